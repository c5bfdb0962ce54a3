internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// The table `keyed_writes`: what came of writes, by a key of the caller's or one of our own.
enum KeyedWriteTable {
    /// Keeps a key within a transaction, which fails where it is kept already; with `onQuorum` also where commits wait for
    /// no other machine.
    static func keeping(
        _ key: String, _ request: String?, outcome: String, at time: Timestamp, onQuorum: Bool
    ) -> Command {
        Command(
            onQuorum ? insertOnQuorum : insert,
            [.text(key), .text(request), .text(outcome), .number(time.millisecondsSince1970)])
    }

    /// Waits for the end of every write that has begun, and keeps others from beginning. Every write names this table before
    /// any other, so a transaction that holds this lock may alter any table without a deadlock.
    static let lock = "LOCK TABLE keyed_writes IN ACCESS EXCLUSIVE MODE"

    private static let insert = "INSERT INTO keyed_writes (key, request, outcome, made_at) VALUES ($1, $2, $3, $4)"
    private static let insertOnQuorum = """
        INSERT INTO keyed_writes (key, request, outcome, made_at)
        VALUES ($1, $2, $3, $4::bigint * (\(Durability.quorum)))
        """

    /// Whether this is how such a transaction fails.
    static func isTaken(_ error: PostgresError) -> Bool {
        if case .refused(.uniqueViolation, _, "keyed_writes_pkey", _) = error { true } else { false }
    }

    static func setting(_ key: String, outcome: String) -> Command {
        Command("UPDATE keyed_writes SET outcome = $2 WHERE key = $1", [.text(key), .text(outcome)])
    }

    static func select(_ key: String) -> Command {
        Command("SELECT request, outcome, made_at FROM keyed_writes WHERE key = $1", [.text(key)])
    }

    /// Writes the row of a key again, and selects it as ``select(_:)`` does, with whether commits wait for another machine.
    static func confirming(_ key: String) -> Command {
        Command(
            """
            UPDATE keyed_writes SET made_at = made_at WHERE key = $1
            RETURNING request, outcome, made_at, \(Durability.hasQuorum)
            """, [.text(key)])
    }

    // MARK: A copy that is not at its end

    /// The fingerprint of the store of which this one is a copy that is not at its end.
    static let selectUnfinishedCopy = "SELECT request FROM keyed_writes WHERE key = '\(copyKey)'"

    /// Remembers it, or that there is none any more.
    ///
    /// The row's time is the latest there is. Rows are deleted by their age, in programs of every version, so this one
    /// stays until the copy is complete.
    static func settingUnfinishedCopy(of fingerprint: String?) -> [Command] {
        [Command("DELETE FROM keyed_writes WHERE key = '\(copyKey)'")]
            + (fingerprint.map { [keeping(copyKey, $0, outcome: "null", at: never, onQuorum: false)] } ?? [])
    }

    /// The time of a row that does not expire.
    private static let never = Timestamp(millisecondsSince1970: .max)

    /// Neither a caller's key nor one of our own.
    private static let copyKey = " copy"

    // MARK: Room

    /// Forgets a key whose time is up.
    static func forgetting(_ key: String, at time: Timestamp) -> Command {
        Command(
            "DELETE FROM keyed_writes WHERE key = $1 AND made_at <= $2",
            [.text(key), .number(WriteKey.forgotten(at: time).millisecondsSince1970)])
    }

    /// Deletes a few expired rows, unless another session is deleting them.
    static func forgettingSome(at time: Timestamp) -> Command {
        Command(
            """
            DELETE FROM keyed_writes WHERE key IN (
                SELECT key FROM keyed_writes WHERE made_at <= $1 ORDER BY made_at LIMIT 512
                FOR UPDATE SKIP LOCKED)
            """, [.number(WriteKey.forgotten(at: time).millisecondsSince1970)])
    }
}

/// A row of the table.
struct KeptWrite: Sendable {
    let request: String?
    let outcome: String
    let writtenAt: Timestamp
    /// Whether another machine has it too, where the address asks for that.
    let isSafe: Bool

    init?(_ rows: Rows, isSafe: Bool) {
        guard !rows.isEmpty else { return nil }
        self.isSafe = isSafe
        request = rows.text(0, 0)
        outcome = rows.text(0, 1) ?? ""
        writtenAt = rows.time(0, 2)
    }
}
