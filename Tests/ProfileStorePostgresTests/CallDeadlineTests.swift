import Platform
import PostgresAccess
import PostgresProxy
import ProfileCore
import ProfileStore
import ProfileStorePostgres
import StoreFixtures
import Testing
import Watchdog

/// The time that a call may take in all, and its error at the end of this time.
@Suite(.onlyWithPostgres, .alone, .watched(for: .seconds(300))) struct CallDeadlineTests {
    private static let limit = Duration.seconds(1)
    /// Three round trips fit into the limit, so each transaction alone does.
    private static let roundTrip = Duration.milliseconds(300)

    /// A call that takes several transactions.
    private struct Call: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (ProfileRepository) async throws -> Void
    }

    private static let calls: [Call] = [
        Call(testDescription: "register") { try await $0.register("new") },
        Call(testDescription: "register again") { repository in
            // The name is taken, so the call needs a second attempt, which checks for conflicts.
            try await repository.register("shared")
        },
        Call(testDescription: "register with a key") { repository in
            let valid = try repository.judged(People.draft("keyed"))
            _ = try await repository.register(valid, key: WriteKey("r"))
        },
        Call(testDescription: "edit with a key") { repository in
            _ = try await repository.edit("shared", key: WriteKey("e")) { $0["address"] = "1" }
        },
        Call(testDescription: "log in") { repository in
            _ = try await repository.sessions.start(Secret("aK8oio"), for: "shared")
        },
        Call(testDescription: "create a passcode") { repository in
            try await repository.passcodes.create(Secret("Geheim12"), for: "shared")
        },
        Call(testDescription: "unlock") { try await $0.unlock("shared") },
        Call(testDescription: "issue a reset") { _ = try await $0.passwords.issueReset(of: "shared") },
        Call(testDescription: "sessions") { _ = try await $0.sessions.list(of: "shared") },
        Call(testDescription: "changes") { _ = try await $0.changes.latestNumber },
        Call(testDescription: "statistics") { _ = try await $0.statistics() },
        Call(testDescription: "count") { _ = try await $0.count() },
    ]

    @Test(arguments: calls)
    private func `one deadline covers a call, however many transactions it takes`(call: Call) async throws {
        let store = try PostgresStore()
        let before = try await store.open()
        try await before.register("shared")
        await before.close()
        let proxy = try store.proxy()
        let repository = try await store.open(through: proxy) { $0.waitLimit = Self.limit }
        proxy.follow { message in
            if message.kind == .sync { usleep(300_000) }
            return .forward
        }
        let clock = ContinuousClock()
        let start = clock.now
        do {
            try await call.run(repository)
        } catch {
            // The error of the deadline, or an error that the call found before.
        }
        let time = start.duration(to: clock.now)
        // The call does not wait for the round trip in which the deadline passes. What it begins then has 50 ms.
        #expect(time < Self.limit + Self.roundTrip, "\(call.testDescription) took \(time)")
        proxy.follow { _ in .forward }
        await repository.close()
    }

    @Test func `a server that does not answer is reported as unavailable, and a locked row as busy`() async throws {
        let store = try PostgresStore()
        let proxy = try store.proxy()
        let repository = try await store.open(through: proxy) { $0.waitLimit = .milliseconds(600) }
        try await repository.register("one")
        // Another program keeps the row locked, so the server is alive and busy.
        let pool = try ConnectionPool(ServerList(store.uri()), limit: 1)
        try await pool.withConnection(until: .now + .seconds(60)) { connection in
            try await connection.transaction { transaction in
                try await transaction.run("SELECT 1 FROM profiles FOR UPDATE")
                guard case .busy(holder: nil, _)? = await problem({ try await repository.remove("one") })?.reason else {
                    Issue.record("a row that is locked")
                    return
                }
            }
        }
        pool.close()
        proxy.freeze()
        for _ in 1...2 {
            let error = await problem { try await repository.profile(username: "one") }
            guard case .unavailable(let faults)? = error?.reason, faults.count == 1, case .noAnswer? = faults.first
            else {
                Issue.record("\(String(describing: error))")
                break
            }
        }
        proxy.thaw()
        #expect(try await repository.profile(username: "one") != nil)
        await repository.close()
    }

    @Test func `a call may give up earlier than its repository while another program keeps the row locked`()
        async throws
    {
        let store = try PostgresStore()
        let repository = try await store.open { $0.waitLimit = .seconds(60) }
        try await repository.register("one")
        let pool = try ConnectionPool(ServerList(store.uri()), limit: 1)
        try await pool.withConnection(until: .now + .seconds(60)) { connection in
            try await connection.transaction { transaction in
                try await transaction.run("SELECT 1 FROM profiles FOR UPDATE")
                let start = ContinuousClock.now
                let error = await problem {
                    try await repository.withWaitLimit(.milliseconds(500)) { try await repository.remove("one") }
                }
                let elapsed = ContinuousClock.now - start
                #expect(error?.code == .busy)
                #expect(elapsed >= .milliseconds(400) && elapsed < .seconds(20), "\(elapsed)")
            }
        }
        pool.close()
        try await repository.withWaitLimit(.seconds(20)) { _ = try await repository.remove("one") }
        await repository.close()
    }

    @Test func `the error of a statement that the server ends has the server's words`() async throws {
        let store = try PostgresStore()
        let patient = try await store.open()
        try await patient.register("one")
        let hasty = try await ProfileRepository.open(postgres: store.uri("options=-cstatement_timeout%3D200"))
        let pool = try ConnectionPool(ServerList(store.uri()), limit: 1)
        try await pool.withConnection(until: .now + .seconds(60)) { connection in
            try await connection.transaction { transaction in
                try await transaction.run("SELECT 1 FROM profiles FOR UPDATE")
                #expect(
                    await problem { try await hasty.remove("one") }
                        == .database("57014: canceling statement due to statement timeout", code: 0))
            }
        }
        pool.close()
        await patient.close()
        await hasty.close()
    }

    // MARK: Several hosts

    /// Two addresses of one server, of which each can be frozen.
    private func withTwoHosts(
        _ body: (PostgresStore, ProfileRepository, _ first: PostgresProxy, _ second: PostgresProxy) async throws -> Void
    ) async throws {
        let store = try PostgresStore()
        let (first, second) = (try store.proxy(), try store.proxy())
        let uri = try store.uri(through: first)
            .replacing(":\(first.port)", with: ":\(first.port),127.0.0.1:\(second.port)")
        var options = ProfileRepository.Options()
        options.createsMissing = true
        let repository = try await ProfileRepository.open(postgres: uri, options: options)
        try await repository.register("one")
        #expect(second.connectionCount == 0)
        try await body(store, repository, first, second)
        await repository.close()
    }

    @Test func `calls on a server that freezes go on with another one long before their deadline`() async throws {
        try await withTwoHosts { store, repository, first, second in
            let clock = ContinuousClock()
            let start = clock.now
            first.freeze()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    let profile = try await repository.profile(username: "one")
                    #expect(profile != nil)
                }
                group.addTask { try await repository.register("two") }
                group.addTask { _ = try await repository.edit("one") { $0["address"] = "1" } }
                try await group.waitForAll()
            }
            // The limit is 30 s. The freeze is noticed after 2 s, and the server is then asked for 4 s more.
            let time = start.duration(to: clock.now)
            #expect(time < .seconds(15), "\(time)")
            #expect(second.connectionCount > 0)
            #expect(try await store.number("SELECT count(*) FROM profiles") == 2)
        }
    }

    @Test(arguments: PostgresProxy.Action.Moment.allCases)
    func `a COMMIT on a server that freezes is settled on another one, and has one effect`(
        moment: PostgresProxy.Action.Moment
    ) async throws {
        try await withTwoHosts { store, repository, first, second in
            let isCommitted = Counter()
            first.follow { message in
                // From its first COMMIT on, the server does not answer other connections either.
                if isCommitted.count > 0 { return .stall(.beforeForwarding) }
                guard message.isCommit else { return .forward }
                isCommitted.add()
                return .stall(moment)
            }
            // When another server leads after a failover, the sessions of the first server have ended.
            let failover = Task {
                try await waitUntil { second.connectionCount > 0 }
                first.close()
            }
            let profile = try await repository.edit("one") { $0["address"] = "1" }
            try await failover.value
            #expect(profile.revision == 2)
            #expect(try await store.number("SELECT max(revision) FROM profiles") == 2)
        }
    }

    @Test func `a server that is alive and slow is waited for, and not asked twice`() async throws {
        try await withTwoHosts { store, repository, _, second in
            let pool = try ConnectionPool(ServerList(store.uri()), limit: 1)
            let removing = try await pool.withConnection(until: .now + .seconds(60)) { connection in
                try await connection.transaction { transaction in
                    try await transaction.run("SELECT 1 FROM profiles FOR UPDATE")
                    let removing = Task { try await repository.remove("one") }
                    // Longer than a server may be silent.
                    try await transaction.run("SELECT pg_sleep(3)")
                    return removing
                }
            }
            #expect(try await removing.value.username == "one")
            #expect(second.connectionCount == 0)
            pool.close()
        }
    }
}
