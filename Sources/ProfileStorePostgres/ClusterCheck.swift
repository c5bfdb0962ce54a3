internal import PostgresAccess
internal import ProfileCore
public import ProfileStore
internal import Threads

/// The state of a server and its standbys. It shows how safe committed data is.
public struct ClusterCheck: Hashable, Sendable {
    /// A server that replicates the primary.
    public struct Standby: Hashable, Sendable {
        /// The name that the standby uses for its connection (`application_name`).
        public let name: String
        /// The state of replication. The state is `streaming` after the standby has caught up.
        public let state: String
        /// How commits wait for the standby: `quorum`, `sync`, `potential` or `async`.
        public let kind: String
        /// The number of bytes of the write-ahead log that the standby has not yet flushed to disk.
        public let lagBytes: Int64
        /// The time that the standby needed to flush recent log data to disk, in milliseconds. Nil if the standby has
        /// caught up and no new log data is written.
        public let lagMilliseconds: Int64?
    }

    /// A setting of the server, and whether its value is right.
    public struct Setting: Hashable, Sendable {
        /// The setting's name on the server.
        public let name: String
        /// The setting's value on the server.
        public let value: String
        /// Whether the value is right. Any value of `data_checksums` is right.
        public let isAsWanted: Bool
    }

    /// The host and port of the server that accepts writes.
    public let server: String
    /// The server's version, such as `15.8`.
    public let serverVersion: String
    /// The standbys that are connected to the server now.
    public let standbys: [Standby]
    /// The settings that the check has read.
    public let settings: [Setting]
    /// The version of the newest applied migration.
    public let version: Int
    /// Whether a bulk load is unfinished. A bulk load drops indexes, and profiles cannot be written until it has
    /// created them again. If the load's process has died, the next writer creates the indexes.
    public let isLoading: Bool
    /// The error of the test write, such as `outcomeUnknown` if no standby confirmed it. Nil if the write was
    /// committed.
    public internal(set) var writeProblem: ProfileStoreError?

    /// Whether commits wait for at least one standby that is connected.
    public var hasQuorum: Bool { standbys.contains { $0.kind == "quorum" || $0.kind == "sync" } }

    /// Whether the store is safe to use: all settings are right, the check's write was committed, and no bulk load is
    /// unfinished. If there are standbys, commits must also wait for one of them.
    ///
    /// The database user needs the role `pg_read_all_stats` to read `pg_stat_replication`. Without this role, the check
    /// cannot read the details of the standbys. The check then ignores these standbys.
    public var isSound: Bool {
        let known = standbys.filter { !$0.kind.isEmpty }
        return settings.allSatisfy(\.isAsWanted) && (known.isEmpty || hasQuorum) && !isLoading && writeProblem == nil
    }
}

extension ProfileRepository {
    /// Checks the settings and standbys of the server that accepts writes, and tries a write. The write changes no
    /// profile and takes five seconds at most.
    ///
    /// - Throws: `unsupported` if the store is not in a PostgreSQL database, `unavailable`, …
    public func checkCluster() async throws(ProfileStoreError) -> ClusterCheck {
        guard let engine = engine as? PostgresEngine else { throw .unsupported(.operation("cluster")) }
        var check = try await engine.session.read { connection in try await ClusterCheck(connection, engine) }
        do throws(ProfileStoreError) {
            try await CallDeadline.within(min(options.waitLimit, .seconds(5))) { () throws(ProfileStoreError) in
                try await engine.session.write(at: options.now()) { _, _ in PostgresSession.Outcome(value: ()) }
            }
        } catch {
            if error == .cancelled || error == .closed { throw error }
            check.writeProblem = error
        }
        return check
    }
}

extension ClusterCheck {
    fileprivate init(_ connection: Connection, _ engine: PostgresEngine) async throws {
        server = engine.session.pool.list.servers[connection.server].description
        serverVersion = connection.parameter("server_version") ?? ""
        let rows = try await connection.run(
            """
            SELECT application_name, coalesce(state, ''), coalesce(sync_state, ''),
                coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn), 0)::bigint,
                (extract(epoch FROM flush_lag) * 1000)::bigint
            FROM pg_stat_replication ORDER BY application_name
            """)
        let standbys = (0..<rows.count).map { row in
            Standby(
                name: rows.text(row, 0) ?? "", state: rows.text(row, 1) ?? "", kind: rows.text(row, 2) ?? "",
                lagBytes: rows.number(row, 3) ?? 0, lagMilliseconds: rows.number(row, 4))
        }
        let values = try await connection.run(
            """
            SELECT current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
                current_setting('fsync'), current_setting('full_page_writes'), current_setting('data_checksums'),
                current_setting('server_encoding'), (SELECT max(version) FROM migrations)
            """)
        let commit = values.text(0, 0) ?? ""
        let names = values.text(0, 1) ?? ""
        let list = engine.session.pool.list
        let needsQuorum = list.needsQuorum(havingStandbys: !standbys.isEmpty)
        settings = [
            Setting(
                name: "synchronous_commit", value: commit,
                isAsWanted: list.isLocalDurabilityEnough || commit != "off" && !(commit == "local" && needsQuorum)),
            Setting(
                name: "synchronous_standby_names", value: names, isAsWanted: !needsQuorum || !names.isEmpty),
            Setting(name: "fsync", value: values.text(0, 2) ?? "", isAsWanted: values.text(0, 2) == "on"),
            Setting(name: "full_page_writes", value: values.text(0, 3) ?? "", isAsWanted: values.text(0, 3) == "on"),
            // Checksums only help to detect damage sooner, so both `on` and `off` are accepted.
            Setting(name: "data_checksums", value: values.text(0, 4) ?? "", isAsWanted: true),
            Setting(name: "server_encoding", value: values.text(0, 5) ?? "", isAsWanted: values.text(0, 5) == "UTF8"),
        ]
        self.standbys = standbys
        isLoading = try await connection.run(SchemaTable.selectState).flag(0, 1)
        version = values.count(0, 6)
    }
}
