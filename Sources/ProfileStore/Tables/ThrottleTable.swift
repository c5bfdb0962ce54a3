internal import SQLiteAccess

/// Which of a profile's two secrets.
public enum CredentialKind: String, Sendable, CaseIterable {
    /// A field of the schema; logs in.
    case password
    /// Follows the ``PasscodePolicy``; the create, validate and edit flows.
    case passcode
}

/// The table `throttles`: failed attempts in a row, by the name that was tried, whether there is such a profile or not.
enum ThrottleTable {
    /// Counts an attempt, or refuses it, within a transaction.
    static func admit(
        _ name: String, _ kind: CredentialKind, at time: Timestamp, isKnown: Bool, mostUnknownNames: Int,
        _ connection: borrowing Connection
    ) throws(SQLiteError) -> ThrottleState.Decision {
        let name = folded(name)
        var state = try load(name, kind, connection)
        let decision = state.admit(at: time.millisecondsSince1970)
        try store(state, name, kind, at: time, isKnown: isKnown, connection)
        // For any name, as the time that it takes must not tell whether there is such a profile (P10).
        if state.failures == 1 { try dropOldestUnknown(mostUnknownNames, connection) }
        return decision
    }

    /// Takes back an attempt that was admitted and not made, within a transaction.
    static func withdraw(
        _ name: String, _ kind: CredentialKind, at time: Timestamp, isKnown: Bool, _ connection: borrowing Connection
    ) throws(ProfileStoreError) {
        let state = try ProfileStoreError.wrap { () throws(SQLiteError) in
            var state = try load(folded(name), kind, connection)
            state.withdraw()
            return state
        }
        guard state.failures > 0 else { return try forget(name, kind, connection) }
        try ProfileStoreError.wrap { () throws(SQLiteError) in
            try store(state, folded(name), kind, at: time, isKnown: isKnown, connection)
        }
    }

    /// Forgets the failures of a name: after a success, or when the owner unlocks; both kinds where none is named.
    static func forget(
        _ name: String, _ kind: CredentialKind?, _ connection: borrowing Connection
    ) throws(ProfileStoreError) {
        try ProfileStoreError.wrap { () throws(SQLiteError) in
            var statement = try connection.prepare(
                "DELETE FROM throttles WHERE name = ?1 AND kind = coalesce(?2, kind)")
            try statement.bind(folded(name), at: 1)
            try statement.bind(kind?.rawValue, at: 2)
            try statement.run()
        }
    }

    private static func load(
        _ name: String, _ kind: CredentialKind, _ connection: borrowing Connection
    ) throws(SQLiteError) -> ThrottleState {
        var statement = try connection.prepare(
            "SELECT failures, blocked_until FROM throttles WHERE name = ?1 AND kind = ?2")
        try statement.bind(name, at: 1)
        try statement.bind(kind.rawValue, at: 2)
        guard try statement.step() else { return ThrottleState() }
        return ThrottleState(failures: Int(statement.integer(at: 0)), blockedUntil: statement.integer(at: 1))
    }

    private static func store(
        _ state: ThrottleState, _ name: String, _ kind: CredentialKind, at time: Timestamp, isKnown: Bool,
        _ connection: borrowing Connection
    ) throws(SQLiteError) {
        var statement = try connection.prepare(
            """
            INSERT INTO throttles (name, kind, failures, blocked_until, attempted_at, is_known)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (name, kind) DO UPDATE SET failures = excluded.failures,
                blocked_until = excluded.blocked_until, attempted_at = excluded.attempted_at,
                is_known = excluded.is_known
            """)
        try statement.bind(name, at: 1)
        try statement.bind(kind.rawValue, at: 2)
        try statement.bind(Int64(state.failures), at: 3)
        try statement.bind(state.blockedUntil, at: 4)
        try statement.bind(time.millisecondsSince1970, at: 5)
        try statement.bind(isKnown ? Int64(1) : 0, at: 6)
        try statement.run()
    }

    private static func dropOldestUnknown(
        _ mostUnknownNames: Int, _ connection: borrowing Connection
    ) throws(SQLiteError) {
        var statement = try connection.prepare(
            """
            DELETE FROM throttles WHERE is_known = 0 AND attempted_at <= (
                SELECT attempted_at FROM throttles WHERE is_known = 0
                ORDER BY attempted_at DESC LIMIT 1 OFFSET ?1)
            """)
        try statement.bind(Int64(mostUnknownNames), at: 1)
        try statement.run()
    }

    /// As usernames are compared. A name that nobody can have is cut, so that it cannot fill the table.
    private static func folded(_ name: String) -> String {
        let bytes = name.utf8.prefix(1_024).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        return bytes.isEmpty ? " " : String(decoding: bytes, as: UTF8.self)
    }
}
