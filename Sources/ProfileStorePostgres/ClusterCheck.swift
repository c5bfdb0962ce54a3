internal import PostgresAccess
internal import ProfileCore
public import ProfileStore
internal import Threads

/// What a server says of itself and of those that copy it: how safe what it has committed is.
public struct ClusterCheck: Hashable, Sendable {
    /// A server that copies the one that takes writes.
    public struct Standby: Hashable, Sendable {
        /// What it calls itself (`application_name`).
        public let name: String
        /// `streaming` once it has caught up.
        public let state: String
        /// How commits wait for it: `quorum`, `sync`, `potential` or `async`.
        public let kind: String
        /// How many bytes of the log it has not written to its disk yet.
        public let lagBytes: Int64
        /// How many milliseconds ago it wrote what it wrote last; nil where nothing is on its way.
        public let lagMilliseconds: Int64?
    }

    /// A setting, and whether it is as it has to be.
    public struct Setting: Hashable, Sendable {
        /// Its name, as the server has it.
        public let name: String
        /// Its value, as the server has it.
        public let value: String
        /// Whether what is committed is safe with it.
        public let isAsWanted: Bool
    }

    /// Which server takes writes: host and port.
    public let server: String
    /// Its version, such as `15.8`.
    public let serverVersion: String
    /// The standbys that are connected to it now.
    public let standbys: [Standby]
    /// The settings that decide whether a commit is kept.
    public let settings: [Setting]
    /// The migrations that were applied.
    public let version: Int
    /// Whether a bulk load has not ended: profiles cannot be written until its indexes are made. The next writer makes them
    /// if the load's process has died.
    public let isLoading: Bool
    /// Why a write fails that the check tried, such as `outcomeUnknown` where no standby confirms it; nil where it was
    /// committed.
    public internal(set) var writeProblem: ProfileStoreError?

    /// Whether commits wait for another machine, which is connected.
    public var hasQuorum: Bool { standbys.contains { $0.kind == "quorum" || $0.kind == "sync" } }

    /// Whether all settings are as they have to be, commits wait for another machine where there is one, and a write is
    /// committed.
    ///
    /// A user who may not read `pg_stat_replication` (the role `pg_read_all_stats`) sees standbys of which nothing is known;
    /// then the settings alone decide.
    public var isSound: Bool {
        let known = standbys.filter { !$0.kind.isEmpty }
        return settings.allSatisfy(\.isAsWanted) && (known.isEmpty || hasQuorum) && !isLoading && writeProblem == nil
    }
}

extension ProfileRepository {
    /// Asks the server that takes writes for its settings and its standbys, and has it commit a write that changes no
    /// profile, for which it waits five seconds at the most.
    ///
    /// - Throws: `unsupported` where the store is in no PostgreSQL database, `unavailable`, …
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
            // Damage is noticed with them and without; with them sooner.
            Setting(name: "data_checksums", value: values.text(0, 4) ?? "", isAsWanted: true),
            Setting(name: "server_encoding", value: values.text(0, 5) ?? "", isAsWanted: values.text(0, 5) == "UTF8"),
        ]
        self.standbys = standbys
        isLoading = try await connection.run(SchemaTable.selectState).flag(0, 1)
        version = values.count(0, 6)
    }
}
