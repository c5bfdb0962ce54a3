/// A migration: a SQL script that creates or changes the tables. A released script is never edited.
package struct Migration: Sendable {
    /// The version of the tables after the migration. Versions begin at 1 and have no gaps.
    package let version: Int
    /// The file name without its extension.
    package let name: String
    /// The script in UTF-8.
    package let sql: [UInt8]

    /// All migrations in order. A test compares the list with the folder.
    package static let all = [
        Migration(version: 1, name: "V0001_store", sql: PackageResources.V0001_store_sql),
        Migration(version: 2, name: "V0002_tokens", sql: PackageResources.V0002_tokens_sql),
    ]
}
