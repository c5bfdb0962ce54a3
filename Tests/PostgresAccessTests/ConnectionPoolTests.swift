@testable import PostgresAccess
import Testing
import Watchdog

/// Which callers get a connection of a pool, and when. A fake server without data is enough for these tests.
@Suite(.watched) struct ConnectionPoolTests {
    private struct Broken: Error {}

    /// A task that holds a connection until `letGo()` is called.
    private struct Holder {
        let task: Task<Void, any Error>
        private let gate: AsyncStream<Void>.Continuation

        init(_ pool: ConnectionPool, _ body: @escaping @Sendable (Connection) async throws -> Void = { _ in })
            async throws
        {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            let holds = Noted<Bool>()
            gate = continuation
            task = Task {
                try await pool.withConnection { connection in
                    holds.value = true
                    for await _ in stream {}
                    try await body(connection)
                }
            }
            try await waitUntil { holds.value == true }
        }

        func letGo() async throws {
            gate.finish()
            try await task.value
        }
    }

    private func pool(of server: FakeServer, limit: Int) throws -> ConnectionPool {
        try ConnectionPool(ServerList(server.uri), limit: limit)
    }

    @Test func `a connection is opened only when it is needed, and an idle one is used again`() async throws {
        let server = try FakeServer()
        let pool = try pool(of: server, limit: 5)
        #expect(server.connectionCount == 0)
        for _ in 0..<10 { try await pool.withConnection { _ = try await $0.run("a") } }
        #expect(server.connectionCount == 1)
        pool.close()
        try await waitUntil { server.openCount == 0 }
    }

    @Test func `no more connections are open than the limit, however many callers wait`() async throws {
        let server = try FakeServer()
        let pool = try pool(of: server, limit: 3)
        let lent = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask {
                    try await pool.withConnection { (connection) async throws in
                        #expect(lent.add(1) <= 3)
                        defer { lent.add(-1) }
                        #expect(try await connection.run("tag \(number % 7)").tag == "tag \(number % 7)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.connectionCount <= 3)
        #expect(pool.waiting == 0)
        pool.close()
    }

    @Test func `waiting callers get a connection in the order in which they came`() async throws {
        let server = try FakeServer()
        let pool = try pool(of: server, limit: 1)
        let order = Noted<[Int]>()
        let holder = try await Holder(pool)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<20 {
            tasks.append(Task { try await pool.withConnection { _ in order.value = (order.value ?? []) + [number] } })
            try await waitUntil { pool.waiting == number + 1 }
        }
        try await holder.letGo()
        for task in tasks { try await task.value }
        #expect(order.value == Array(0..<20))
        pool.close()
    }

    @Test func `a deadline and a cancellation end a wait, and the next caller gets the connection`() async throws {
        let server = try FakeServer()
        let pool = try pool(of: server, limit: 1)
        let holder = try await Holder(pool)
        #expect(await problem { try await pool.withConnection(until: .now + .milliseconds(20)) { _ in } } == .timedOut)
        #expect(await problem { try await pool.withConnection(until: .now - .seconds(1)) { _ in } } == .timedOut)
        #expect(pool.waiting == 0)
        let cancelled = Task { try await pool.withConnection { _ in } }
        try await waitUntil { pool.waiting == 1 }
        let patient = Task { try await pool.withConnection { _ in } }
        try await waitUntil { pool.waiting == 2 }
        cancelled.cancel()
        #expect(await cancelled.problem == .cancelled)
        try await holder.letGo()
        try await patient.value
        pool.close()
    }

    @Test func `no connection is lost while many callers wait, time out and are cancelled`() async throws {
        let server = try FakeServer()
        let pool = try pool(of: server, limit: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3_000 {
                group.addTask {
                    let task = Task {
                        let deadline: ContinuousClock.Instant =
                            number % 3 == 0 ? .now + .microseconds(number % 500) : .late
                        try await pool.withConnection(until: deadline) { _ in await Task.yield() }
                    }
                    if number % 2 == 0 {
                        await Task.yield()
                        task.cancel()
                    }
                    do { try await task.value } catch PostgresError.timedOut, PostgresError.cancelled, PostgresError
                        .unreachable
                    {}
                }
            }
            try await group.waitForAll()
        }
        // Both connections can be borrowed at once.
        try await pool.withConnection { _ in try await pool.withConnection { _ in } }
        #expect(pool.waiting == 0)
        pool.close()
    }

    @Test func `the connection is given back when the body throws`() async throws {
        let server = try FakeServer()
        let pool = try pool(of: server, limit: 1)
        for _ in 0..<3 {
            await #expect(throws: Broken.self) { try await pool.withConnection { _ in throw Broken() } }
        }
        #expect(server.connectionCount == 1)
        pool.close()
    }

    @Test func `when opening a connection fails, the next caller tries`() async throws {
        let server = try FakeServer(.refusal("28000"))
        let pool = try pool(of: server, limit: 1)
        try await withThrowingTaskGroup(of: PostgresError?.self) { group in
            for _ in 0..<20 { group.addTask { await problem { try await pool.withConnection { _ in } } } }
            for try await error in group {
                guard case .unreachable(let problems)? = error else {
                    Issue.record("\(error as Any)")
                    continue
                }
                #expect(problems.map(\.kind) == [.refused])
            }
        }
        #expect(server.connectionCount == 20)
        server.greet(with: .welcome)
        try await pool.withConnection { _ in }
        pool.close()
    }

    @Test func `closing ends every wait, and a lent connection is closed when it comes back`() async throws {
        let server = try FakeServer()
        let pool = try pool(of: server, limit: 2)
        let holder = try await Holder(pool) { (connection) async throws in
            #expect(try await connection.run("still mine").tag == "still mine")
        }
        let other = try await Holder(pool)
        let waiting = (0..<5).map { _ in Task { try await pool.withConnection { _ in } } }
        try await waitUntil { pool.waiting == 5 }
        pool.close()
        for task in waiting { #expect(await task.problem == .closed) }
        #expect(await problem { try await pool.withConnection { _ in } } == .closed)
        #expect(server.openCount == 2)
        try await holder.letGo()
        try await other.letGo()
        try await waitUntil { server.openCount == 0 }
        pool.close()
    }

    @Test func `closing ends the wait for a server that is not ready`() async throws {
        let server = try FakeServer(.readOnly)
        let pool = try pool(of: server, limit: 1)
        let task = Task { try await pool.withConnection { _ in } }
        try await waitUntil { server.connectionCount >= 2 }
        pool.close()
        #expect(await task.problem == .closed)
    }

    @Test func `a pool that is released closes its connections and ends its thread`() async throws {
        let server = try FakeServer()
        var pool: ConnectionPool? = try pool(of: server, limit: 2)
        try await pool?.withConnection { _ in }
        weak let loop = pool?.loop
        #expect(loop != nil)
        pool = nil
        try await waitUntil { server.openCount == 0 && loop == nil }
    }

    @Test func `the idle connections to a server that does not answer are closed too`() async throws {
        let server = try FakeServer { $0 == "stop" ? .silence : .tag($0) }
        let pool = try pool(of: server, limit: 3)
        let holders = [try await Holder(pool), try await Holder(pool)]
        for holder in holders { try await holder.letGo() }
        #expect(pool.idle == 2)
        func stop() async -> PostgresError? {
            await problem {
                // After half of this time the pool asks the server on another connection, also on a slow machine.
                try await pool.withConnection(until: .now + .seconds(3)) { _ = try await $0.run("stop") }
            }
        }
        // The server answers on another connection, so it is only slow.
        #expect(await stop() == .timedOut)
        #expect(pool.idle == 1)
        server.greet(with: .silence)
        #expect(await stop() == .noAnswer(server: "127.0.0.1:\(server.port)"))
        #expect(pool.idle == 0)
        try await waitUntil { server.openCount == 0 }
        server.greet(with: .welcome)
        try await pool.withConnection { _ = try await $0.run("go on") }
        pool.close()
    }
}
