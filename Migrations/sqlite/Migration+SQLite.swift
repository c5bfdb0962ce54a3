package import ProfileStore

extension Migration {
    /// The migrations of an SQLite file, in order. A test compares the list with the folder.
    ///
    /// The version is also the `user_version` of the file. Every script must change the schema, because a running program
    /// of an earlier version detects the migration by that.
    package static let sqlite = [
        Migration(version: 1, name: "V0001_profiles", sql: PackageResources.V0001_profiles_sql),
        Migration(version: 2, name: "V0002_changes", sql: PackageResources.V0002_changes_sql),
        Migration(version: 3, name: "V0003_counts", sql: PackageResources.V0003_counts_sql),
        Migration(version: 4, name: "V0004_writes", sql: PackageResources.V0004_writes_sql),
        Migration(version: 5, name: "V0005_accounts", sql: PackageResources.V0005_accounts_sql),
        Migration(version: 6, name: "V0006_tokens", sql: PackageResources.V0006_tokens_sql),
        Migration(version: 7, name: "V0007_history", sql: PackageResources.V0007_history_sql),
        Migration(version: 8, name: "V0008_devices", sql: PackageResources.V0008_devices_sql),
    ]
}
