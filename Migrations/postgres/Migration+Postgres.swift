package import ProfileStore

extension Migration {
    /// The migrations of a PostgreSQL database, in order. A test compares the list with the folder.
    package static let postgres = [
        Migration(version: 1, name: "V0001_store", sql: PackageResources.V0001_store_sql),
        Migration(version: 2, name: "V0002_tokens", sql: PackageResources.V0002_tokens_sql),
        Migration(version: 3, name: "V0003_history", sql: PackageResources.V0003_history_sql),
        Migration(version: 4, name: "V0004_devices", sql: PackageResources.V0004_devices_sql),
    ]
}
