/// One step in how the tables came to be: a script that is never edited once it was released. It changes the schema: that
/// is how a program of an earlier version that is running notices it.
package struct Migration: Sendable {
    /// From 1, without gaps; the database's `user_version` once it was applied.
    package let version: Int
    /// The file's name without its ending.
    package let name: String
    /// The script, UTF-8.
    package let sql: [UInt8]

    /// Every migration, in order. A test compares the list with the folder.
    package static let all = [
        Migration(version: 1, name: "V0001_profiles", sql: PackageResources.V0001_profiles_sql),
        Migration(version: 2, name: "V0002_changes", sql: PackageResources.V0002_changes_sql),
        Migration(version: 3, name: "V0003_counts", sql: PackageResources.V0003_counts_sql),
        Migration(version: 4, name: "V0004_writes", sql: PackageResources.V0004_writes_sql),
        Migration(version: 5, name: "V0005_accounts", sql: PackageResources.V0005_accounts_sql),
        Migration(version: 6, name: "V0006_tokens", sql: PackageResources.V0006_tokens_sql),
    ]
}
