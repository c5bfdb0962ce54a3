/// One step in how the tables came to be: a script that is never edited once it was released.
package struct Migration: Sendable {
    /// From 1, without gaps.
    package let version: Int
    /// The file's name without its ending.
    package let name: String
    /// The script, UTF-8.
    package let sql: [UInt8]

    /// Every migration, in order. A test compares the list with the folder.
    package static let all = [
        Migration(version: 1, name: "V0001_store", sql: PackageResources.V0001_store_sql),
        Migration(version: 2, name: "V0002_tokens", sql: PackageResources.V0002_tokens_sql),
    ]
}
