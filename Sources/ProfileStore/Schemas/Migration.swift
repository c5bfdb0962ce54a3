internal import SecretHashing

/// A migration: an SQL script that creates or changes the tables of an engine. A released script is never edited.
package struct Migration: Sendable {
    /// The version of the tables after the migration. Versions begin at 1 and have no gaps.
    package let version: Int
    /// The file name without its extension.
    package let name: String
    /// The script in UTF-8.
    package let sql: [UInt8]

    package init(version: Int, name: String, sql: [UInt8]) {
        self.version = version
        self.name = name
        self.sql = sql
    }

    /// The SHA-256 of the script in lower-case hexadecimal digits. The store keeps it.
    package var checksum: String { SHA256.hexadecimal(sql.span) }
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
