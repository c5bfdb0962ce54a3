import PostgresAccess
import PostgresProxy
import ProfileCore
import ProfileStore
import StoreFixtures
import Testing
import Watchdog

/// How long closing takes, and what becomes of the calls that are under way.
@Suite(.onlyWithPostgres, .alone, .watched(for: .seconds(300))) struct ClosingTests {
    @Test func `closing waits no longer than a few seconds for a server that is frozen`() async throws {
        let store = try PostgresStore()
        let proxy = try store.proxy()
        let repository = try await store.open(through: proxy) { $0.waitLimit = .seconds(60) }
        try await repository.register("one")
        let token = try await repository.sessions.start(vouchingFor: "one", policy: nil)
        proxy.freeze()
        let reading = Task { await problem { try await repository.profile(username: "one") } }
        let writing = Task { await problem { try await repository.register("two") } }
        // The look-up of a session notes its use in a second call. Closing waits for this call first.
        let noting = Task { await problem { try await repository.sessions.find(token.token) } }
        try await Task.sleep(for: .milliseconds(100))
        let clock = ContinuousClock()
        let start = clock.now
        await repository.close()
        let time = start.duration(to: clock.now)
        #expect(time < .seconds(5), "\(time)")
        #expect(await reading.value == .closed)
        switch await writing.value?.code {
        case .closed?, .outcomeUnknown?: break
        case let other: Issue.record("\(String(describing: other))")
        }
        #expect(await noting.value == .closed)
        proxy.thaw()
    }

    @Test func `closing lets a write come to its end while the server is alive`() async throws {
        let store = try PostgresStore()
        let repository = try await store.open { $0.waitLimit = .seconds(60) }
        try await repository.register("one")
        let pool = try ConnectionPool(ServerList(store.uri()), limit: 1)
        let removing = try await pool.withConnection(until: .now + .seconds(60)) { connection in
            try await connection.transaction { transaction in
                try await transaction.run("SELECT 1 FROM profiles FOR UPDATE")
                let removing = Task { try await repository.remove("one") }
                try await waitUntil { try await store.isAwaited(transaction) }
                let closing = Task { await repository.close() }
                // This is longer than closing waits for a frozen server.
                try await transaction.run("SELECT pg_sleep(2)")
                return (removing, closing)
            }
        }
        #expect(try await removing.0.value.username == "one")
        await removing.1.value
        #expect(try await store.number("SELECT count(*) FROM profiles") == 0)
        pool.close()
    }
}
