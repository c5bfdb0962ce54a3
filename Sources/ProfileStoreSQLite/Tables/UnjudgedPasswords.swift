internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

/// The passwords that the rules in force have not judged, since they were brought as hashes or set under other rules
/// (L1). How many there are stands in the table `store`: who writes a password counts it, and who changes the rules counts
/// all anew.
enum UnjudgedPasswords {
    /// Changes a profile, in its transaction, and counts what that has done to its password.
    static func counting<Value>(
        of id: Int64, under rules: RulesInForce, _ connection: borrowing Connection, _ change: () throws -> Value
    ) throws -> Value {
        let before = try count(of: id, under: rules, connection)
        let value = try change()
        let more = try count(of: id, under: rules, connection) - before
        if more != 0 { try StoreTable.add(more, to: .unjudgedPasswords, connection) }
        return value
    }

    /// How many a profile has: 1 or 0.
    private static func count(
        of id: Int64, under rules: RulesInForce, _ connection: borrowing Connection
    ) throws -> Int64 {
        var statement = try connection.prepare(
            """
            SELECT password_schema_version, password_is_judged FROM profiles
            WHERE id = ?1 AND password_hash IS NOT NULL
            """)
        try statement.bind(id, at: 1)
        guard try statement.step() else { return 0 }
        guard statement.integer(at: 1) != 0 else { return 1 }
        return try rules.judgesPasswords(of: Int(statement.integer(at: 0)), connection) ? 0 : 1
    }

    /// Counts all, because the rules in force have changed or nobody has counted yet.
    static func recount(_ connection: borrowing Connection) throws {
        try StoreTable.set(.unjudgedPasswords, to: total(connection), connection)
    }

    /// How many there are, by a look at every profile.
    static func total(_ connection: borrowing Connection) throws -> Int64 {
        guard let schema = try SchemaTable.latest(connection)?.parsed() else { return 0 }
        let versions = try SchemaTable.versions(sharingPasswordRulesOf: schema, connection)
        var statement = try connection.prepare(ProfileTable.countUnjudgedPasswords(besides: versions))
        return try statement.step() ? statement.integer(at: 0) : 0
    }
}
