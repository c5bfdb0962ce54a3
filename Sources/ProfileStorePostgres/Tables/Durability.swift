internal import PostgresAccess
internal import ProfileStore

/// Checks that committed data is still safe if any single machine is lost.
///
/// `open` checks the settings once. If the address lists several servers, the first statement of each write checks
/// whether commits wait for another machine. The reason: a new primary commits alone until a standby follows it. If
/// that primary is then lost too, the commits that it has confirmed are lost. After its `COMMIT`, each write checks
/// again whether commits wait for another machine. The reason: if an operator empties `synchronous_standby_names`, the
/// server ends all waits for a standby without a warning.
enum Durability {
    /// An SQL expression. Its value is 1 if commits wait for another machine. Otherwise the statement that contains
    /// this expression fails with a division by zero.
    static let quorum = "1 / (\(hasQuorum))::int"

    /// An SQL condition: whether commits wait for another machine, according to the session's settings.
    static let hasQuorum = """
        current_setting('synchronous_standby_names') <> '' \
        AND current_setting('synchronous_commit') NOT IN ('off', 'local')
        """

    fileprivate static let selectHasQuorum = Command("SELECT \(hasQuorum)")

    /// Whether an error says that commits do not wait for another machine.
    static func isMissing(_ error: any Error) -> Bool {
        if error is QuorumIsGone { return true }
        guard case PostgresError.refused(.divisionByZero, _, _, let sql) = error else { return false }
        return sql.contains(quorum)
    }

    /// The error of a write if the server reported, before the `COMMIT`, that commits do not wait for another machine.
    static let missing = ProfileStoreError.notDurable(.noStandby)

    private static let selectSettings = """
        SELECT current_setting('synchronous_commit'), current_setting('server_encoding'),
            EXISTS (SELECT FROM pg_stat_replication), current_setting('fsync'), current_setting('full_page_writes'),
            pg_backend_pid()::bigint, current_setting('search_path')
        """

    /// Checks the settings of the server that takes writes, before `open` uses it.
    ///
    /// - Throws: `notDurable`, `unsupported`, or `unreadableAddress` if a pooler shares sessions or ignores the schema.
    ///   Also an error that ``isMissing(_:)`` recognizes; if the primary is new, this error is temporary.
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
            throw ProfileStoreError.notDurable(.settings(isOff, are: "off"))
        }
        guard list.needsQuorum(havingStandbys: settings.flag(0, 2)) else { return }
        if commit == "local" { throw ProfileStoreError.notDurable(.settings(["synchronous_commit"], are: "local")) }
        try await connection.run("SELECT \(quorum)")
    }
}

/// The error of a transaction that was committed, but maybe only on one machine. After the `COMMIT`, the server
/// reported that commits do not wait for another machine.
struct QuorumIsGone: Error {
    /// Whether the transaction contains the caller's write. If false, the transaction contains only a key. The commit
    /// of a key proves that an earlier answer came from the leader.
    let isStored: Bool
}

extension Transaction {
    /// Runs the last commands and commits.
    ///
    /// - Returns: Whether another machine has the transaction too. Also true if the address does not require another
    ///   machine. If false, only this server has the transaction, because the server stopped waiting for standbys.
    /// - Throws: The errors of ``PostgresAccess/Transaction/commit(_:thenAsking:)``.
    func commit(_ commands: [Command] = [], onQuorumOf list: ServerList) async throws(PostgresError) -> Bool {
        guard list.needsQuorum() else {
            try await commit(commands)
            return true
        }
        return try await commit(commands, thenAsking: [Durability.selectHasQuorum]).last?.flag(0, 0) ?? false
    }
}

extension ServerList {
    /// Whether a commit must wait for another machine. True if the address lists several servers or a server has
    /// standbys. But always false if the address sets `durability=local`.
    func needsQuorum(havingStandbys: Bool = false) -> Bool {
        !isLocalDurabilityEnough && (servers.count > 1 || havingStandbys)
    }
}
