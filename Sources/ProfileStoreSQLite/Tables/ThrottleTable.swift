internal import ProfileStore
internal import SQLiteAccess
internal import SecretHashing

/// The table `throttles`: the number of consecutive failed login attempts for each name that was tried and each kind of
/// secret, whether or not a profile has the name.
enum ThrottleTable {
    /// Counts an attempt, or refuses it, within a transaction.
    static func admit(
        _ attempt: LoginAttempt, mostUnknownNames: Int, _ connection: borrowing Connection
    ) throws -> ThrottleState.Decision {
        let remembered = try load(attempt, connection)
        // Also makes room if a profile has the name: the duration of the call must not reveal whether a profile has
        // the name (P10).
        if remembered == nil { try makeRoom(mostUnknownNames, connection) }
        let (decision, state) = attempt.admitted(after: remembered?.state)
        try store(state, attempt, replacing: remembered, connection)
        return decision
    }

    /// Removes an attempt from the count, within a transaction. The attempt was admitted, but it was not made.
    static func withdraw(_ attempt: LoginAttempt, _ connection: borrowing Connection) throws {
        let remembered = try load(attempt, connection)
        guard let state = LoginAttempt.withdrawn(from: remembered?.state) else {
            return try forget(attempt.username, attempt.kind, connection)
        }
        try store(state, attempt, replacing: remembered, connection)
    }

    /// Removes the failures of a name, for example after a successful login. If `kind` is nil, removes the failures of
    /// both kinds.
    static func forget(
        _ username: String, _ kind: CredentialKind?, _ connection: borrowing Connection
    ) throws {
        // The rows are counted first, because most names have none. A DELETE with a RETURNING clause could count the
        // removed rows, but SQLite would open a temporary table for it.
        let name = LoginAttempt.foldedName(username)
        var search = try connection.prepare(
            """
            SELECT count(*), count(*) FILTER (WHERE is_known = 0) FROM throttles
            WHERE name = ?1 AND kind = coalesce(?2, kind)
            """, name, kind?.rawValue)
        guard try search.step(), search.integer(at: 0) > 0 else { return }
        let unknown = search.integer(at: 1)
        try connection.run("DELETE FROM throttles WHERE name = ?1 AND kind = coalesce(?2, kind)", name, kind?.rawValue)
        try StoreTable.add(-unknown, to: .unknownThrottles, connection)
    }

    /// Removes the failures that are counted for the tokens of a profile; see ``LoginAttempt/name(of:_:)``.
    static func forgetTokens(of username: String, _ connection: borrowing Connection) throws {
        try connection.run(
            """
            DELETE FROM throttles WHERE is_known = 0 AND name IN (
                SELECT tokens.kind || ':' || substr(tokens.hash, 1, 16)
                FROM profiles JOIN tokens ON tokens.profile_id = profiles.id WHERE profiles.username = ?1)
            """, username)
        try StoreTable.add(-Int64(connection.changes), to: .unknownThrottles, connection)
    }

    /// Copies the failures of a renamed profile to its new name.
    ///
    /// Failures of the new name do not count if they happened before a profile had that name. If the new name already
    /// has failures, the higher count and the later times are kept. The old name keeps its failures, although no
    /// profile has that name now. If these failures were removed, an attacker could find out that a profile had the old
    /// name (P10).
    static func move(from old: String, to new: String, _ connection: borrowing Connection) throws {
        let (old, new) = (LoginAttempt.foldedName(old), LoginAttempt.foldedName(new))
        // Compares bytes, because strings that are equal in Swift may be different names.
        guard !old.utf8.elementsEqual(new.utf8) else { return }
        try connection.run("DELETE FROM throttles WHERE name = ?1 AND is_known = 0", new)
        try StoreTable.add(-Int64(connection.changes), to: .unknownThrottles, connection)
        try connection.run(
            """
            INSERT INTO throttles (name, kind, failures, blocked_until, attempted_at, is_known)
            SELECT ?2, kind, failures, blocked_until, attempted_at, 1 FROM throttles WHERE name = ?1
            ON CONFLICT (name, kind) DO UPDATE SET failures = max(failures, excluded.failures),
                blocked_until = max(blocked_until, excluded.blocked_until),
                attempted_at = max(attempted_at, excluded.attempted_at)
            """, old, new)
        try connection.run("UPDATE throttles SET is_known = 0 WHERE name = ?1 AND is_known = 1", old)
        try StoreTable.add(Int64(connection.changes), to: .unknownThrottles, connection)
    }

    /// Removes the failures of the names of new profiles. Attempts do not count if they were made before a profile had
    /// the name.
    static func forgetUnknown(
        namesOf profiles: ClosedRange<Int64>, _ connection: borrowing Connection
    ) throws {
        guard try StoreTable.count(.unknownThrottles, connection) > 0 else { return }
        try connection.run(
            """
            DELETE FROM throttles WHERE is_known = 0
            AND name IN (SELECT lower(username) FROM profiles WHERE id BETWEEN ?1 AND ?2)
            """, profiles.lowerBound, profiles.upperBound)
        try StoreTable.add(-Int64(connection.changes), to: .unknownThrottles, connection)
    }

    /// Returns the number of rows with a name that belongs to no profile. This method reads each of these rows.
    static func totalUnknown(_ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        var statement = try connection.prepare("SELECT count(*) FROM throttles WHERE is_known = 0")
        return try statement.step() ? statement.integer(at: 0) : 0
    }

    /// Counts the rows with a name that belongs to no profile, and stores their number.
    static func recount(_ connection: borrowing Connection) throws(SQLiteError) {
        try StoreTable.set(.unknownThrottles, to: totalUnknown(connection), connection)
    }

    /// The stored state of a name.
    private struct Remembered {
        let state: ThrottleState
        let isKnown: Bool
    }

    private static func load(
        _ attempt: LoginAttempt, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Remembered? {
        var statement = try connection.prepare(
            "SELECT failures, blocked_until, is_known FROM throttles WHERE name = ?1 AND kind = ?2", attempt.foldedName,
            attempt.kind.rawValue)
        guard try statement.step() else { return nil }
        return Remembered(
            state: ThrottleState(failures: Int(statement.integer(at: 0)), blockedUntil: statement.integer(at: 1)),
            isKnown: statement.integer(at: 2) != 0)
    }

    private static func store(
        _ state: ThrottleState, _ attempt: LoginAttempt, replacing remembered: Remembered?,
        _ connection: borrowing Connection
    ) throws {
        try connection.run(
            """
            INSERT INTO throttles (name, kind, failures, blocked_until, attempted_at, is_known)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (name, kind) DO UPDATE SET failures = excluded.failures,
                blocked_until = excluded.blocked_until, attempted_at = excluded.attempted_at,
                is_known = excluded.is_known
            """, attempt.foldedName, attempt.kind.rawValue, state.failures, state.blockedUntil,
            attempt.time.millisecondsSince1970, attempt.isKnown ? Int64(1) : 0)
        let wasUnknown = remembered.map { !$0.isKnown } ?? false
        // The count is also written for a known name, although it stays the same. The reason: the write must take the
        // same time for known and unknown names (P10).
        try StoreTable.add((attempt.isKnown ? 0 : 1) - (wasUnknown ? 1 : 0), to: .unknownThrottles, connection)
    }

    /// Removes a few of the oldest unknown names if a new unknown name would exceed the limit. Only a few names are
    /// removed, because other writers wait. If there are far more names than allowed, later attempts remove the rest.
    private static func makeRoom(_ mostUnknownNames: Int, _ connection: borrowing Connection) throws {
        let surplus = try StoreTable.count(.unknownThrottles, connection) - Int64(max(1, mostUnknownNames)) + 1
        guard surplus > 0 else { return }
        try connection.run(
            """
            DELETE FROM throttles WHERE (name, kind) IN (
                SELECT name, kind FROM throttles WHERE is_known = 0 ORDER BY attempted_at LIMIT ?1)
            """, min(surplus, mostForgotten))
        try StoreTable.add(-Int64(connection.changes), to: .unknownThrottles, connection)
    }

    /// The maximum number of names that one attempt removes.
    private static let mostForgotten: Int64 = 8
}
