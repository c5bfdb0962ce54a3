import PostgresAccess
import PostgresProxy
import ProfileCore
import ProfileStore
import ProfileStorePostgres
import ProfileTesting
import ProfileTransfer
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// Bulk loads some of whose sessions are ended. The table has the result that the caller got, and the next writer finds
/// the store in order.
@Suite(.onlyWithPostgres, .watched(for: .seconds(120))) struct LostLoadTests {
    /// A store whose sessions a test can tell from others, and a load that waits in its middle.
    private struct Case {
        let store: PostgresStore
        let repository: ProfileRepository
        let load: GatedLoad
        static let rowCount = 20

        init(_ setting: String = "connect_timeout=10") async throws {
            store = try PostgresStore()
            try await store.open().close()
            var options = ProfileRepository.Options()
            options.waitLimit = .seconds(20)
            repository = try await ProfileRepository.open(
                postgres: store.uri("application_name=\(store.schema)", setting), options: options)
            load = try GatedLoad((0..<Self.rowCount).map { "u\($0)" }, for: repository)
        }

        /// The number of sessions of the load that meet the condition.
        func sessions(_ condition: String) async throws -> Int64 {
            try await store.number(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(store.schema)' AND (\(condition))")
        }

        func end(_ sessions: String) async throws {
            let ended = try await store.number(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE application_name = '\(store.schema)' AND (\(sessions))
                """)
            #expect(ended > 0)
            try await waitUntil { try await self.sessions(sessions) == 0 }
        }

        /// Expects that the load has stored this many rows, that other writes are possible, and that no name can be
        /// stored twice.
        func expectStored(_ count: Int, _ place: SourceLocation = #_sourceLocation) async throws {
            let other = try await store.open()
            try await other.register("last")
            let again = await problem { try await other.register("LAST") }
            #expect(again == .duplicate([.username]), sourceLocation: place)
            if count > 0 {
                let error = await problem { try await other.register("u0") }
                #expect(error == .duplicate([.username]), sourceLocation: place)
            }
            #expect(try await other.count() == count + 1, sourceLocation: place)
            let indexes = try await store.number(
                "SELECT count(*) FROM pg_indexes WHERE schemaname = '\(store.schema)' AND tablename = 'profiles'")
            #expect(indexes == 4, sourceLocation: place)
            await other.close()
            await repository.close()
        }
    }

    /// The session that holds a row while the load lives.
    private static let guardian = "state = 'idle in transaction'"

    @Test func `E3: a load whose session is ended while it copies has stored nothing, and says so`() async throws {
        let it = try await Case()
        let task = Task { try await it.load.run(in: it.repository) }
        try await waitUntil { it.load.gate.isRunning == 1 }
        try await it.end("state = 'active' AND query LIKE 'COPY%'")
        it.load.gate.open(1)
        let error = await problem { try await task.value }
        guard case .unavailable? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await it.expectStored(0)
    }

    @Test func `E3: a load whose guardian is ended while it copies is done, and others wait for its end`() async throws
    {
        let it = try await Case()
        let task = Task { try await it.load.run(in: it.repository) }
        try await waitUntil { it.load.gate.isRunning == 1 }
        try await it.end(Self.guardian)
        let name = it.store.schema + "_other"
        let other = try await ProfileRepository.open(postgres: it.store.uri("application_name=\(name)"))
        let early = Task { try await other.register("early") as Profile }
        try await waitUntil {
            try await it.store.number(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE application_name = '\(name)' AND wait_event_type = 'Lock'
                """) == 1
        }
        it.load.gate.open(1)
        #expect(try await task.value == .loaded)
        _ = try await early.value
        try await other.remove("early")
        await other.close()
        try await it.expectStored(Case.rowCount)
    }

    /// Which sessions are ended while the indexes are made.
    enum Ended: String, CaseIterable {
        case indexMaker = "query LIKE 'CREATE UNIQUE INDEX%' AND state = 'active'"
        case guardian = "state = 'idle in transaction'"
        case all = "true"
    }

    @Test(arguments: Ended.allCases)
    func `E3: a load is done once it was committed, though sessions are ended while its indexes are made`(
        ended: Ended
    ) async throws {
        let it = try await Case()
        let task = Task { try await it.load.run(in: it.repository) }
        try await waitUntil { it.load.gate.isRunning == 1 }
        let pool = try ConnectionPool(ServerList(it.store.uri()), limit: 1)
        try await pool.withConnection(until: .now + .seconds(60)) { holder in
            // This lock allows a copy, but not the creation of an index.
            try await holder.transaction { transaction in
                try await transaction.run("LOCK TABLE profiles IN ROW EXCLUSIVE MODE")
                it.load.gate.open(1)
                try await waitUntil {
                    try await it.sessions(Ended.indexMaker.rawValue + " AND wait_event_type = 'Lock'") == 1
                }
                #expect(try await it.store.number("SELECT count(*) FROM profiles") == Int64(Case.rowCount))
                try await it.end(ended.rawValue)
            }
        }
        pool.close()
        #expect(try await task.value == .loaded)
        try await it.expectStored(Case.rowCount)
    }

    @Test func `E3: a server that ends idle transactions does not end a load`() async throws {
        let it = try await Case("options=-cidle_in_transaction_session_timeout%3D100")
        let task = Task { try await it.load.run(in: it.repository) }
        try await waitUntil { it.load.gate.isRunning == 1 }
        // Waits until the guardian has been idle for three times this time-out, or is gone.
        try await waitUntil {
            try await it.sessions(Self.guardian + " AND now() - state_change < interval '300 ms'") == 0
        }
        #expect(try await it.sessions(Self.guardian) == 1)
        it.load.gate.open(1)
        #expect(try await task.value == .loaded)
        try await it.expectStored(Case.rowCount)
    }

    @Test func `E3: the outcome of a load is unknown if its COMMIT is not answered and the server is lost`()
        async throws
    {
        let store = try PostgresStore()
        let proxy = try store.proxy()
        try await store.open().close()
        let repository = try await store.open(through: proxy) { $0.waitLimit = .seconds(2) }
        let load = try GatedLoad((0..<20).map { "u\($0)" }, for: repository)
        let task = Task { try await load.run(in: repository) }
        try await waitUntil { load.gate.isRunning == 1 }
        let isLost = Atomic(false)
        proxy.follow { message in
            if message.isCommit { isLost.store(true, ordering: .relaxed) }
            return isLost.load(ordering: .relaxed) ? .stall(.afterForwarding) : .forward
        }
        load.gate.open(1)
        let error = await problem { try await task.value }
        guard case .outcomeUnknown? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        proxy.close()
        await repository.close()
        let other = try await store.open()
        try await other.register("last")
        #expect(try await other.count() == 21)
        await other.close()
    }

    @Test func `E3: a load of another process that cannot be ended hides no unknown outcome`() async throws {
        let store = try PostgresStore()
        let proxy = try store.proxy()
        let repository = try await store.open(through: proxy) { $0.waitLimit = .seconds(10) }
        // These reserve an id for the registration, so the next COMMIT is the one of the registration.
        for name in ["one", "two"] { try await repository.register(name) }
        let (isCut, mayGoOn) = (Gate(), Gate())
        let commits = Counter()
        proxy.follow { message in
            if message.isCommit, commits.add() == 1 { return .cut(.beforeForwarding) }
            if commits.count == 1, message.kind == .startup { isCut.open(1); mayGoOn.pass() }
            return .forward
        }
        let task = Task { try await repository.register("three") }
        await onThread { isCut.pass() }
        // Simulates a dead load that has stored a name twice, as no load of ours does. Its index cannot be made.
        try await store.run("DROP INDEX profiles_username")
        try await store.run("UPDATE profiles SET username$key = 'one'")
        try await store.run("UPDATE store SET is_loading = true")
        mayGoOn.open(10)
        let error = await problem { try await task.value }
        guard case .outcomeUnknown? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        proxy.follow { _ in .forward }
        await repository.close()
    }

    @Test func `an import of a value that is too long for its index fails, and stores nothing`() async throws {
        let store = try PostgresStore()
        var options = ProfileRepository.Options()
        options.initialSchema = try ProfileSchema(
            parsing: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                    {"name": "note", "constraints": {"unique": true}}]}
                """)
        options.createsMissing = true
        let repository = try await ProfileRepository.open(postgres: store.uri(), options: options)
        // The server compresses values, so the note is random.
        var random = SeededGenerator(printingSeedOf: "a value that is too long for its index")
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let long = String((0..<5_000).compactMap { _ in letters.randomElement(using: &random) })
        let report = try? await repository.importing("username,note\nabel,\(long)\nbert,b\n")
        #expect(report == nil)
        #expect(try await repository.count() == 0)
        let even = try await repository.importing("username,note\nabel,\(String(repeating: "a", count: 5_000))\n")
        #expect(even.imported == 1)
        _ = try await repository.register(ProfileDraft(["username": "cain", "note": "c"]))
        #expect(try await repository.count() == 2)
        await repository.close()
    }
}
