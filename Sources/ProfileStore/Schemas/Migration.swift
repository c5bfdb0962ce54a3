/// A migration: an SQL script that creates or changes the tables of an engine. A released script is never edited.
package struct Migration: Sendable {
    /// The version of the tables after the migration. Versions begin at 1 and have no gaps.
    package let version: Int
    /// The file name without its extension.
    package let name: String
    /// The SHA-256 of the script in lower-case hexadecimal digits. The store keeps it. The value is a constant, because
    /// opening a store compares all checksums. If it also computed them, a look-up by the command would take a twelfth
    /// longer.
    package let checksum: String
    /// The script in UTF-8.
    package let sql: [UInt8]

    package init(version: Int, name: String, checksum: String, sql: [UInt8]) {
        self.version = version
        self.name = name
        self.checksum = checksum
        self.sql = sql
    }
}

extension [Migration] {
    /// Compares the stored checksums of the applied migrations with the checksums of these migrations. In `applied`,
    /// each key is the version of a migration, and each value is the stored checksum.
    ///
    /// - Throws: `alteredMigration` for the first migration that differs.
    package func verify(_ applied: [Int: String]) throws(ProfileStoreError) {
        for migration in self {
            guard let checksum = applied[migration.version] else { continue }
            guard checksum == migration.checksum else { throw .alteredMigration(name: migration.name) }
        }
    }
}
