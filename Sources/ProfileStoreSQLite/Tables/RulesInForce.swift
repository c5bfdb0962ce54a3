internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess
internal import Threads

/// The schema in force, and the SQL for the table `profiles` under this schema.
final class RulesInForce: Sendable {
    let adopted: AdoptedSchema
    let table: ProfileTable
    private let versionsJudgingPasswords = Locked<Set<Int>?>(nil)

    var schema: ProfileSchema { adopted.schema }

    init(_ adopted: AdoptedSchema) {
        self.adopted = adopted
        table = ProfileTable(adopted.schema)
    }

    /// Returns whether a password that was validated under the schema version `version` also counts as validated by
    /// this schema. This is true if both schemas have the same password rules.
    func judgesPasswords(of version: Int, _ connection: borrowing Connection) throws -> Bool {
        // Most passwords were validated under this schema. For these passwords, earlier schemas need not be read.
        if version == adopted.version { return true }
        if let versions = versionsJudgingPasswords.withLock(\.self) { return versions.contains(version) }
        let versions = Set(try SchemaTable.all(connection).versions(sharingPasswordRulesOf: schema))
        versionsJudgingPasswords.withLock { $0 = versions }
        return versions.contains(version)
    }

    // MARK: Writing, within a transaction

    /// Stores a row as a new profile.
    ///
    /// - Returns: False if another profile has the same value in a unique field.
    func insert(
        _ rows: ValidProfiles, row: Int = 0, id: Int64, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Bool {
        var statement = try connection.prepare(table.insert)
        try table.bindCommon(at: time, schemaVersion: adopted.version, to: &statement)
        return try rows.bytes.withUnsafeBufferPointer { bytes throws(SQLiteError) in
            try table.insert(
                row: row, of: rows, bytes, id: id, schemaVersion: Int64(adopted.version), with: &statement)
        }
    }

    /// Changes a profile if it has the expected revision. Also updates the stored number of passwords that were not
    /// validated.
    func update(
        _ update: RowUpdate, at time: Timestamp, _ connection: borrowing Connection
    ) throws -> ProfileTable.UpdateOutcome {
        guard update.newHash(in: table.secretField) != nil else {
            return try table.update(update, at: time, schemaVersion: adopted.version, connection)
        }
        return try UnjudgedPasswords.counting(of: update.id, under: self, connection) {
            try table.update(update, at: time, schemaVersion: adopted.version, connection)
        }
    }

    /// Returns the unique fields in which another profile has the same value as the row.
    func takenFields(
        of rows: ValidProfiles, row: Int, besides id: Int64?, _ connection: borrowing Connection
    ) throws(SQLiteError) -> [FieldName] {
        var taken: [FieldName] = []
        for (index, field) in schema.fields.enumerated() where field.isUnique {
            guard let value = rows.text(row: row, field: index) else { continue }
            if let owner = try ProfileTable.owner(of: value, in: field.column, connection), owner != id {
                taken.append(field.name)
            }
        }
        return taken
    }

    /// Returns the profile with a username, and the hash of its password. If no such profile exists, both values of the
    /// result are nil.
    func stored(_ username: String, _ connection: borrowing Connection) throws(SQLiteError) -> StoredMatch {
        guard let profile = try table.profile(.username(username), connection) else { return StoredMatch() }
        return StoredMatch(
            profile: profile, passwordHash: try ProfileTable.passwordHash(of: profile.id, connection))
    }
}
