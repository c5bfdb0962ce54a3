import PostgresAccess
import ProfileCore
import ProfileStore
import ProfileStorePostgres
import StoreFixtures
import Testing
import Watchdog

/// The behaviour of a cluster while some of its servers are frozen.
@Suite(.onlyWithCluster, .alone, .watched(for: .seconds(300))) struct QuorumTests {
    /// Runs `body` while these nodes are frozen, and waits until all are well again.
    private func withFrozen(_ nodes: [Cluster.Node], _ body: () async throws -> Void) async throws {
        for node in nodes { try await Cluster.run("freeze", node) }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        for node in nodes { try await Cluster.run("thaw", node) }
        try await Cluster.waitUntilWhole()
        try outcome.get()
    }

    @Test func `E2, E3: a write whose COMMIT no standby has is never reported as done, also when it is cancelled`()
        async throws
    {
        let leader = try await Cluster.leader()
        let store = try PostgresStore(on: Cluster.uri)
        let repository = try await store.open { $0.waitLimit = .seconds(6) }
        let count = 8
        // These reserve ids for all writes. Otherwise a call could wait for a standby while it reserves an id, before
        // its own write.
        for number in 0..<2 * count { try await repository.register("before\(number)") }
        let pool = try ConnectionPool(ServerList(Cluster.uri(of: leader)), limit: 1)
        let waiting = """
            FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'profiles' AND datname = 'profiles'
            """
        try await withFrozen(Cluster.nodes.filter { $0 != leader }) {
            let tasks = try (0..<count).map { number in
                let valid = try repository.judged(People.draft("new\(number)"))
                return Task { try await repository.register(valid, key: WriteKey("new\(number)")) }
            }
            try await pool.withConnection(until: .now + .seconds(100)) { connection in
                while try await connection.run("SELECT count(*) \(waiting)").number(0, 0) ?? 0 < count {
                    try await Task.sleep(for: .milliseconds(5))
                }
                for task in tasks.prefix(count / 2) { task.cancel() }
                // The server reports these as committed, with a warning.
                try await connection.run("SELECT pg_cancel_backend(pid) \(waiting) LIMIT 3")
            }
            let check = try await repository.checkCluster()
            #expect(check.writeProblem?.code == .outcomeUnknown && !check.isSound)
            for task in tasks {
                let error = await problem { try await task.value }
                guard case .outcomeUnknown? = error?.reason else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
        pool.close()
        for number in 0..<count {
            let valid = try repository.judged(People.draft("new\(number)"))
            let profile = try await repository.register(valid, key: WriteKey("new\(number)"))
            #expect(profile.revision == 1)
        }
        #expect(try await store.number("SELECT count(*) FROM profiles") == Int64(3 * count))
        #expect(try await store.number("SELECT count(*) FROM changes") == Int64(3 * count))
        await repository.close()
    }

    @Test(arguments: [("synchronous_standby_names", ""), ("synchronous_commit", "local")])
    func `E2: a leader that waits for no standby takes no writes, and answers reads`(
        setting: String, value: String
    ) async throws {
        let store = try PostgresStore(on: Cluster.uri)
        // This repository is refused, each time after its wait limit. The other one waits as long as a call takes.
        let repository = try await store.open { $0.waitLimit = .milliseconds(600) }
        let patient = try await store.open { $0.waitLimit = .seconds(100) }
        try await patient.register("one")
        let local = try await ProfileRepository.open(postgres: store.uri("durability=local"))
        let before = try #require(await store.text("SELECT current_setting('\(setting)')"))
        func set(_ value: String) async throws {
            try await store.run("ALTER SYSTEM SET \(setting) = '\(value)'")
            try await store.run("SELECT pg_reload_conf()")
            try await waitUntil { try await store.text("SELECT current_setting('\(setting)')") == value }
        }
        // The setting also has this value for some seconds after a failover.
        try await set(value)
        let valid = try repository.judged(People.draft("two"))
        let outcome: Result<(names: [String], waiting: Task<Profile, any Error>), any Error>
        var tries = 0
        do {
            // A session may get the new setting a little later.
            try await waitUntil {
                tries += 1
                return await isNotDurable { try await repository.register("try\(tries)") }
            }
            let names = try await patient.usernames()
            let waiting = Task { try await patient.register("three") as Profile }
            #expect(await isNotDurable { try await repository.register("two") })
            #expect(await isNotDurable { try await repository.register(valid, key: WriteKey("two")) })
            #expect(await isNotDurable { try await repository.remove("one") })
            #expect(await isNotDurable { try await repository.sessions.start(vouchingFor: "one") })
            #expect(await isNotDurable { try await store.open { $0.waitLimit = .milliseconds(600) } })
            #expect(try await patient.usernames() == names)
            try await local.register("local")
            outcome = .success((names, waiting))
        } catch {
            outcome = .failure(error)
        }
        try await set(before)
        let (names, waiting) = try outcome.get()
        // The write that began before is done once commits wait for a standby again.
        _ = try await waiting.value
        #expect(try await patient.register(valid, key: WriteKey("two")).revision == 1)
        #expect(try await patient.usernames().sorted() == (names + ["local", "three", "two"]).sorted())
        for repository in [repository, patient, local] { await repository.close() }
    }

    private func isNotDurable<Value>(_ body: () async throws -> Value) async -> Bool {
        if case .notDurable? = await problem(body)?.reason { true } else { false }
    }

    @Test func `E6: while the first server of the list stands still, a look-up succeeds within five seconds`()
        async throws
    {
        let store = try PostgresStore(on: Cluster.uri)
        let before = try await store.open()
        try await before.register("one")
        await before.close()
        let leader = try await Cluster.leader()
        let standbys = Cluster.nodes.filter { $0 != leader }
        let clock = ContinuousClock()
        try await withFrozen([standbys[0]]) {
            let uri = try Cluster.uri([standbys[0], leader, standbys[1]]) + "&schema=\(store.schema)"
            let start = clock.now
            let repository = try await ProfileRepository.open(postgres: uri)
            #expect(try await repository.profile(username: "one") != nil)
            let time = start.duration(to: clock.now)
            print("A look-up past a server that stands still: \(time)")
            #expect(time < .seconds(5))
            try await repository.register("two")
            await repository.close()
        }
    }
}
