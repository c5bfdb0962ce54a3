internal import PostgresAccess
internal import ProfileStore

/// Whether what a server has committed stays, whichever machine is lost.
///
/// `open` asks for the settings once. Where the address lists several servers, each write asks in its first statement
/// whether commits wait for another machine: a new leader goes on alone until a standby follows it, and a second machine
/// that is lost meanwhile would take what it has confirmed. Each write asks the same behind its `COMMIT`: emptying
/// `synchronous_standby_names` releases commits that wait for a standby, without a warning.
enum Durability {
    /// 1 where commits wait for another machine. Where they wait for none, a statement that has it fails.
    static let quorum = "1 / (\(hasQuorum))::int"

    /// Whether commits wait for another machine, by the settings of the session.
    static let hasQuorum = """
        current_setting('synchronous_standby_names') <> '' \
        AND current_setting('synchronous_commit') NOT IN ('off', 'local')
        """

    fileprivate static let selectHasQuorum = Command("SELECT \(hasQuorum)")

    /// Whether an error says that commits wait for no other machine.
    static func isMissing(_ error: any Error) -> Bool {
        if error is QuorumIsGone { return true }
        guard case PostgresError.refused(.divisionByZero, _, _, let sql) = error else { return false }
        return sql.contains(quorum)
    }

    /// The store's error for a write that found no quorum before its `COMMIT`.
    static let missing = ProfileStoreError.notDurable(.noStandby)

    private static let selectSettings = """
        SELECT current_setting('synchronous_commit'), current_setting('server_encoding'),
            EXISTS (SELECT FROM pg_stat_replication), current_setting('fsync'), current_setting('full_page_writes'),
            pg_backend_pid()::bigint, current_setting('search_path')
        """

    /// Asks what `open` has to know before it goes by the server that takes writes.
    ///
    /// - Throws: `notDurable`, `unsupported`, `unreadableAddress` where a pooler is in the way, or what ``isMissing(_:)``
    ///   tells, which goes by where a leader is new.
    static func require(_ connection: Connection, of pool: ConnectionPool) async throws {
        let list = pool.list
        let settings = try await connection.run(selectSettings)
        if let process = settings.number(0, 5), process != connection.processID {
            try await PoolerCheck.requireOwnSessions(connection, servedBy: process, of: pool)
        }
        if let schema = list.schema, settings.text(0, 6) != schema {
            throw ProfileStoreError.unreadableAddress(.schemaIgnored)
        }
        guard settings.text(0, 1) == "UTF8" else {
            throw ProfileStoreError.unsupported(.encoding(settings.text(0, 1) ?? ""))
        }
        guard !list.isLocalDurabilityEnough else { return }
        let commit = settings.text(0, 0) ?? ""
        let isOff = [
            "synchronous_commit": commit, "fsync": settings.text(0, 3), "full_page_writes": settings.text(0, 4),
        ].filter { $0.value == "off" }.keys.sorted()
        guard isOff.isEmpty else {
            throw ProfileStoreError.notDurable(.settings(isOff.map { "\($0) is off" }))
        }
        guard list.needsQuorum(havingStandbys: settings.flag(0, 2)) else { return }
        if commit == "local" { throw ProfileStoreError.notDurable(.settings(["synchronous_commit is local"])) }
        try await connection.run("SELECT \(quorum)")
    }
}

/// A transaction was committed, and behind its `COMMIT` the server says that commits wait for no other machine.
struct QuorumIsGone: Error {
    /// Whether the transaction holds what the caller asked for, rather than a key that proves an answer.
    let isStored: Bool
}

extension Transaction {
    /// Runs the last commands and commits.
    ///
    /// - Returns: Whether another machine has the transaction too, where the address asks for that. If not, this machine
    ///   has it alone: the server stopped to wait for standbys.
    /// - Throws: What ``PostgresAccess/Transaction/commit(_:thenAsking:)`` throws.
    func commit(_ commands: [Command] = [], onQuorumOf list: ServerList) async throws(PostgresError) -> Bool {
        guard list.needsQuorum() else {
            try await commit(commands)
            return true
        }
        return try await commit(commands, thenAsking: [Durability.selectHasQuorum]).last?.flag(0, 0) ?? false
    }
}

extension ServerList {
    /// Whether a commit has to wait for another machine: there are others, by the address or by what a server has said.
    func needsQuorum(havingStandbys: Bool = false) -> Bool {
        !isLocalDurabilityEnough && (servers.count > 1 || havingStandbys)
    }
}
