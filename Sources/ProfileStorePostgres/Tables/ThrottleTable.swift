internal import PostgresAccess
internal import ProfileStore
internal import SecretHashing

/// The table `throttles`: the number of consecutive failed login attempts for each name. A name is a username that was
/// tried, even if no profile has it, or the name of a token; see ``LoginAttempt/name(of:_:)``.
///
/// If the row of a name is missing, an attempt inserts the row. Then the attempt locks the row. So an attempt sees the
/// counts of all earlier attempts, even if several attempts run at the same time. An attempt locks only the row of its
/// own name, so attempts at different names do not wait for each other.
enum ThrottleTable {
    /// Counts an attempt, or refuses it.
    ///
    /// - Returns: The decision, and the last commands of the transaction.
    static func admit(
        _ attempt: LoginAttempt, mostUnknownNames: Int, _ transaction: Transaction
    ) async throws -> (decision: ThrottleState.Decision, last: [Command]) {
        let name = key(of: attempt.username)
        let answers = try await transaction.run([
            Command(
                """
                INSERT INTO throttles (name, kind, failures, blocked_until, attempted_at, is_known)
                VALUES ($1, $2, 0, 0, $3, true) ON CONFLICT DO NOTHING
                """,
                [.text(name), .text(attempt.kind.rawValue), .number(attempt.time.millisecondsSince1970)]),
            lock(attempt),
        ])
        // Another transaction, such as a successful login, has deleted the row between the `INSERT` and the lock.
        guard !answers[1].isEmpty else { throw PostgresError.changedMeanwhile }
        let (decision, state) = attempt.admitted(after: ThrottleState(in: answers[1]))
        // Counting the unknown names scans their index. So an attempt counts them only with a probability of 100 /
        // `mostUnknownNames`. The probability does not depend on the name, so attempts at known and unknown names take
        // the same time (P10).
        let isTimeToMakeRoom = Int.random(in: 0..<max(1, mostUnknownNames / 100)) == 0
        return (decision, [store(state, attempt)] + (isTimeToMakeRoom ? [makeRoom(mostUnknownNames, attempt)] : []))
    }

    /// Removes an attempt from the count. The attempt was admitted, but it was not made.
    static func withdraw(_ attempt: LoginAttempt, _ transaction: Transaction) async throws -> [Command] {
        let row = try await transaction.run([lock(attempt)])[0]
        guard !row.isEmpty else { return [] }
        guard let state = LoginAttempt.withdrawn(from: ThrottleState(in: row)) else {
            return forget(attempt.username, attempt.kind)
        }
        return [store(state, attempt)]
    }

    /// Deletes the failures of a name, for example after a successful login. If `kind` is nil, deletes the failures of
    /// both kinds of credentials.
    static func forget(_ username: String, _ kind: CredentialKind? = nil) -> [Command] {
        [
            Command(
                "DELETE FROM throttles WHERE name = $1 AND kind = coalesce($2::text, kind)",
                [.text(key(of: username)), .text(kind?.rawValue)])
        ]
    }

    /// Deletes the failures that are counted for the tokens of a profile; see ``LoginAttempt/name(of:_:)``.
    static func forgetTokens(of username: String) -> Command {
        Command(
            """
            DELETE FROM throttles WHERE NOT is_known AND name IN (
                SELECT tokens.kind || ':' || left(tokens.hash, 16)
                FROM profiles JOIN tokens ON tokens.profile_id = profiles.id WHERE profiles.username$key = $1)
            """, [.text(ProfileTable.key(of: username))])
    }

    /// Copies the failures of a profile to its new name. Failures at the new name do not count if they happened before
    /// a profile had that name. If the new name already has failures, the higher count and the later times are kept.
    /// The old name keeps its failures, although it has no profile now. If these failures were deleted, an attacker
    /// could find out that a profile had the old name (P10).
    static func move(from old: String, to new: String) -> [Command] {
        let (old, new) = (key(of: old), key(of: new))
        // Two strings that Swift treats as equal may be two different names.
        guard !old.utf8.elementsEqual(new.utf8) else { return [] }
        return [
            Command("DELETE FROM throttles WHERE name = $1 AND NOT is_known", [.text(new)]),
            Command(
                """
                INSERT INTO throttles (name, kind, failures, blocked_until, attempted_at, is_known)
                SELECT $2::text, kind, failures, blocked_until, attempted_at, true FROM throttles WHERE name = $1
                ON CONFLICT (name, kind) DO UPDATE SET failures = greatest(throttles.failures, excluded.failures),
                    blocked_until = greatest(throttles.blocked_until, excluded.blocked_until),
                    attempted_at = greatest(throttles.attempted_at, excluded.attempted_at)
                """, [.text(old), .text(new)]),
            Command("UPDATE throttles SET is_known = false WHERE name = $1 AND is_known", [.text(old)]),
        ]
    }

    /// Deletes the failures of these names.
    static func forget(_ usernames: [String]) -> Command {
        Command("DELETE FROM throttles WHERE name = ANY ($1::text[])", [.texts(usernames.map { key(of: $0) })])
    }

    /// Deletes the failed attempts for the names of new profiles. Attempts do not count if they were made before the
    /// profile existed.
    static func forgetUnknown(namesOf profiles: ClosedRange<Int64>) -> Command {
        Command(
            """
            DELETE FROM throttles WHERE NOT is_known AND name IN (
                SELECT username$key FROM profiles WHERE id BETWEEN $1 AND $2
                AND EXISTS (SELECT 1 FROM throttles WHERE NOT is_known))
            """, [.number(profiles.lowerBound), .number(profiles.upperBound)])
    }

    // MARK: Rows

    private static func key(of username: String) -> String { ProfileTable.key(of: LoginAttempt.foldedName(username)) }

    private static func lock(_ attempt: LoginAttempt) -> Command {
        Command(
            "SELECT failures, blocked_until FROM throttles WHERE name = $1 AND kind = $2 FOR UPDATE",
            [.text(key(of: attempt.username)), .text(attempt.kind.rawValue)])
    }

    private static func store(_ state: ThrottleState, _ attempt: LoginAttempt) -> Command {
        Command(
            """
            UPDATE throttles SET failures = $3, blocked_until = $4, attempted_at = $5, is_known = $6::bigint <> 0
            WHERE name = $1 AND kind = $2
            """,
            [
                .text(key(of: attempt.username)), .text(attempt.kind.rawValue), .number(Int64(state.failures)),
                .number(state.blockedUntil), .number(attempt.time.millisecondsSince1970),
                .number(attempt.isKnown ? 1 : 0),
            ])
    }

    /// Deletes the oldest unknown names if there are too many. The name of this attempt is not deleted. Rows that
    /// another attempt has locked are skipped. One call can delete more rows than the attempts between two calls
    /// usually add. If too many rows remain, later calls delete them.
    private static func makeRoom(_ mostUnknownNames: Int, _ attempt: LoginAttempt) -> Command {
        Command(
            """
            WITH oldest AS (
                SELECT name, kind FROM throttles WHERE NOT is_known AND (name, kind) <> ($2, $3) ORDER BY attempted_at
                LIMIT (
                    SELECT least(greatest(count(*) - $1, 0), \(mostForgottenAtOnce))
                    FROM throttles WHERE NOT is_known)
                FOR UPDATE SKIP LOCKED)
            DELETE FROM throttles USING oldest WHERE throttles.name = oldest.name AND throttles.kind = oldest.kind
            """,
            [
                .number(Int64(max(1, mostUnknownNames))), .text(key(of: attempt.username)),
                .text(attempt.kind.rawValue),
            ])
    }

    private static let mostForgottenAtOnce = 4_000
}

extension ThrottleState {
    fileprivate init(in rows: Rows) {
        self.init(failures: Int(rows.number(0, 0) ?? 0), blockedUntil: rows.number(0, 1) ?? 0)
    }
}
