internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

/// The passwords that were not validated by the rules in force, because they were imported as hashes or set under other
/// rules (L1). The table `store` contains the number of these passwords. Each write of a password updates this number,
/// and each change of the password rules counts all unjudged passwords again.
enum UnjudgedPasswords {
    /// Changes a profile within a transaction. If the change affects the profile's password, also updates the number of
    /// unjudged passwords.
    static func counting<Value>(
        of id: Int64, under rules: RulesInForce, _ connection: borrowing Connection, _ change: () throws -> Value
    ) throws -> Value {
        let before = try count(of: id, under: rules, connection)
        let value = try change()
        let more = try count(of: id, under: rules, connection) - before
        if more != 0 { try StoreTable.add(more, to: .unjudgedPasswords, connection) }
        return value
    }

    /// Returns 1 if the profile has an unjudged password, otherwise 0.
    private static func count(
        of id: Int64, under rules: RulesInForce, _ connection: borrowing Connection
    ) throws -> Int64 {
        var statement = try connection.prepare(
            """
            SELECT password_schema_version, password_is_judged FROM profiles
            WHERE id = ?1 AND password_hash IS NOT NULL
            """, id)
        guard try statement.step() else { return 0 }
        guard statement.integer(at: 1) != 0 else { return 1 }
        return try rules.judgesPasswords(of: Int(statement.integer(at: 0)), connection) ? 0 : 1
    }

    /// Counts all unjudged passwords again and stores their number.
    static func recount(_ connection: borrowing Connection) throws {
        try StoreTable.set(.unjudgedPasswords, to: total(connection), connection)
    }

    /// Returns the number of unjudged passwords. Looks at every profile.
    static func total(_ connection: borrowing Connection) throws -> Int64 {
        guard let schema = try SchemaTable.latest(connection)?.parsed() else { return 0 }
        let versions = try SchemaTable.all(connection).versions(sharingPasswordRulesOf: schema)
        var statement = try connection.prepare(ProfileTable.countUnjudgedPasswords(besides: versions))
        return try statement.step() ? statement.integer(at: 0) : 0
    }
}
