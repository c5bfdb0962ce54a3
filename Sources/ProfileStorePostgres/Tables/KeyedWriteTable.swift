internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// The table `keyed_writes`: the outcome of each write, under its idempotency key. Either the caller gives the key, or
/// the engine creates a random key.
enum KeyedWriteTable {
    /// Returns a command that inserts a key and its outcome. The command fails if the key is already stored. If
    /// `onQuorum` is true, the command also fails when commits do not wait for another machine.
    static func keeping(
        _ key: String, _ request: String?, outcome: String, at time: Timestamp, onQuorum: Bool
    ) -> Command {
        Command(
            onQuorum ? insertOnQuorum : insert,
            [.text(key), .text(request), .text(outcome), .number(time.millisecondsSince1970)])
    }

    /// Waits until every running write has ended, and blocks new writes until the transaction ends. Every write uses
    /// this table before any other table. So a transaction that holds this lock may alter any table without a deadlock.
    static let lock = "LOCK TABLE keyed_writes IN ACCESS EXCLUSIVE MODE"

    private static let insert = "INSERT INTO keyed_writes (key, request, outcome, kept_at) VALUES ($1, $2, $3, $4)"
    private static let insertOnQuorum = """
        INSERT INTO keyed_writes (key, request, outcome, kept_at)
        VALUES ($1, $2, $3, $4::bigint * (\(Durability.quorum)))
        """

    /// Whether an error says that the key of ``keeping(_:_:outcome:at:onQuorum:)`` is already stored.
    static func isTaken(_ error: PostgresError) -> Bool {
        if case .refused(.uniqueViolation, _, "keyed_writes_pkey", _) = error { true } else { false }
    }

    static func setting(_ key: String, outcome: String) -> Command {
        Command("UPDATE keyed_writes SET outcome = $2 WHERE key = $1", [.text(key), .text(outcome)])
    }

    static func select(_ key: String) -> Command {
        Command("SELECT request, outcome, kept_at FROM keyed_writes WHERE key = $1", [.text(key)])
    }

    /// Updates the row of a key to the same values, and returns the columns of ``select(_:)``. A fourth column says
    /// whether commits wait for another machine.
    static func confirming(_ key: String) -> Command {
        Command(
            """
            UPDATE keyed_writes SET kept_at = kept_at WHERE key = $1
            RETURNING request, outcome, kept_at, \(Durability.hasQuorum)
            """, [.text(key)])
    }

    // MARK: Unfinished copies

    /// Selects the fingerprint of the source store, if this store is an unfinished copy. Otherwise it selects no row.
    static let selectUnfinishedCopy = "SELECT request FROM keyed_writes WHERE key = '\(copyKey)'"

    /// Returns the fingerprint in an answer to `selectUnfinishedCopy`.
    static func unfinishedCopy(in rows: Rows) -> String? { rows.isEmpty ? nil : rows.text(0, 0) }

    /// Marks the store as an unfinished copy of the store with this fingerprint, or removes the mark if `fingerprint`
    /// is nil.
    ///
    /// The row's `kept_at` is the highest possible time. Every version of this program deletes only rows older than a
    /// time limit, so this row stays until the copy is complete.
    static func settingUnfinishedCopy(of fingerprint: String?) -> [Command] {
        [Command("DELETE FROM keyed_writes WHERE key = '\(copyKey)'")]
            + (fingerprint.map { [keeping(copyKey, $0, outcome: "null", at: never, onQuorum: false)] } ?? [])
    }

    /// The time of a row that never expires.
    private static let never = Timestamp(millisecondsSince1970: .max)

    /// The key of the row that marks an unfinished copy. A caller's key contains no space, and a key of the engine is a
    /// space and 32 hexadecimal digits. So no other key equals this one.
    private static let copyKey = " copy"

    /// Deletes the rows whose outcome contains the profile with this id.
    static func erase(_ id: Int64) -> Command {
        Command(
            "DELETE FROM keyed_writes WHERE left(outcome, length($1)) = $1",
            [.text(KeyedOutcome.storedBeginning(ofProfile: id))])
    }

    // MARK: Removing expired rows

    /// Deletes the row of a key if it has expired.
    static func forgetting(_ key: String, at time: Timestamp) -> Command {
        Command(
            "DELETE FROM keyed_writes WHERE key = $1 AND kept_at <= $2",
            [.text(key), .number(WriteKey.forgotten(at: time).millisecondsSince1970)])
    }

    /// Deletes up to 512 expired rows, the oldest first. Rows that another transaction has locked are skipped.
    static func forgettingSome(at time: Timestamp) -> Command {
        Command(
            """
            DELETE FROM keyed_writes WHERE key IN (
                SELECT key FROM keyed_writes WHERE kept_at <= $1 ORDER BY kept_at LIMIT 512
                FOR UPDATE SKIP LOCKED)
            """, [.number(WriteKey.forgotten(at: time).millisecondsSince1970)])
    }
}

/// A row of the table `keyed_writes`.
struct KeptWrite: Sendable {
    let request: String?
    let outcome: String
    let writtenAt: Timestamp
    /// Whether another machine has stored the row too. Also true if the address does not require another machine.
    let isSafe: Bool

    init?(_ rows: Rows, isSafe: Bool) {
        guard !rows.isEmpty else { return nil }
        self.isSafe = isSafe
        request = rows.text(0, 0)
        outcome = rows.text(0, 1) ?? ""
        writtenAt = rows.time(0, 2)
    }
}
