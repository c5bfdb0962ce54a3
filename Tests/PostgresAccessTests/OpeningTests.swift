import Platform
@testable import PostgresAccess
import Testing
import Watchdog

/// How a pool finds the server that takes writes, if other servers of its list are gone, frozen or standbys.
@Suite(.watched) struct OpeningTests {
    private func uri(_ ports: UInt16..., settings: String = "") -> String {
        "postgresql://app@" + ports.map { "127.0.0.1:\($0)" }.joined(separator: ",") + "/profiles" + settings
    }

    private func kinds(_ error: PostgresError?) -> [ServerProblem.Kind]? {
        guard case .unreachable(let problems)? = error else { return nil }
        return problems.map(\.kind)
    }

    @Test func `E6: a frozen first server costs the callers one time-out only, and is not asked again`() async throws {
        let (frozen, port) = try FakeServer.listeningSocket()
        defer { close(frozen) }
        let server = try FakeServer()
        let patience = Duration.milliseconds(500)
        let pool = try ConnectionPool(ServerList(uri(port, server.port)), limit: 64, patience: patience)
        let start = ContinuousClock.now
        // All callers begin at once. No caller waits until the attempts of others have timed out.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { try await pool.withConnection { _ = try await $0.run("a") } } }
            try await group.waitForAll()
        }
        #expect(.now - start >= patience)
        #expect(.now - start < patience * 6)
        pool.close()
    }

    @Test func `a frozen server is given up at the deadline, and when the task is cancelled`() async throws {
        let (frozen, port) = try FakeServer.listeningSocket()
        defer { close(frozen) }
        let pool = try ConnectionPool(ServerList(uri(port)), limit: 1, patience: .seconds(600))
        let start = ContinuousClock.now
        let error = await problem { try await pool.withConnection(until: .now + .milliseconds(50)) { _ in } }
        #expect(kinds(error) == [.timedOut])
        let task = Task { try await pool.withConnection { _ in } }
        try await waitUntil { pool.loop.waitingCount == 1 }
        task.cancel()
        #expect(await task.problem == .cancelled)
        #expect(.now - start < .seconds(60))
        pool.close()
    }

    @Test func `a server that reads and never answers is given up too`() async throws {
        let server = try FakeServer(.silence)
        let pool = try ConnectionPool(ServerList(server.uri), limit: 1, patience: .milliseconds(50))
        #expect(kinds(await problem { try await pool.withConnection { _ in } }) == [.timedOut])
        try await waitUntil { server.openCount == 0 }
        pool.close()
    }

    @Test func `a port that refuses fails at once, and one that hangs up too`() async throws {
        let (bound, port) = try FakeServer.boundSocket()
        defer { close(bound) }
        let rude = try FakeServer(.nothing)
        let pool = try ConnectionPool(ServerList(uri(port, rude.port)), limit: 1, patience: .seconds(600))
        let error = await problem { try await pool.withConnection { _ in } }
        #expect(kinds(error) == [.unreachable, .unreachable])
        guard case .unreachable(let problems)? = error else { return }
        #expect(problems.map(\.server) == ["127.0.0.1:\(port)", "127.0.0.1:\(rude.port)"])
        #expect(problems.allSatisfy { !$0.message.isEmpty })
        pool.close()
    }

    @Test(arguments: [
        ("28P01", ServerProblem.Kind.refused), ("28000", .refused), ("42501", .refused), ("3D000", .failed),
        ("XX000", .failed), ("08P01", .failed),
    ])
    func `a server that refuses user, password or database is asked once`(
        code: String, kind: ServerProblem.Kind
    ) async throws {
        let server = try FakeServer(.refusal(code))
        let pool = try ConnectionPool(ServerList(server.uri), limit: 1)
        #expect(kinds(await problem { try await pool.withConnection { _ in } }) == [kind])
        #expect(server.connectionCount == 1)
        pool.close()
    }

    @Test(arguments: ["57P03", "57P01", "53300"])
    func `a server that starts, stops or is full is asked again until it accepts the client`(code: String) async throws
    {
        let server = try FakeServer(.refusal(code))
        let pool = try ConnectionPool(ServerList(server.uri), limit: 1)
        let task = Task { try await pool.withConnection { try await $0.run("a").tag } }
        try await waitUntil { server.connectionCount >= 2 }
        server.greet(with: .welcome)
        #expect(try await task.value == "a")
        server.greet(with: .refusal(code))
        let late = try ConnectionPool(ServerList(server.uri), limit: 1)
        let error = await problem { try await late.withConnection(until: .now + .seconds(1)) { _ in } }
        #expect(kinds(error) == [.notReady])
        pool.close()
        late.close()
    }

    @Test func `a standby is passed by, and asked again while no other server takes writes`() async throws {
        let (standby, leader) = (try FakeServer(.readOnly), try FakeServer())
        let pool = try ConnectionPool(ServerList(uri(standby.port, leader.port)), limit: 1)
        #expect(try await pool.withConnection { $0.server } == 1)
        #expect(standby.connectionCount == 1)
        pool.close()

        leader.greet(with: .readOnly)
        let later = try ConnectionPool(ServerList(uri(standby.port, leader.port)), limit: 1)
        let task = Task { try await later.withConnection { $0.server } }
        try await waitUntil { standby.connectionCount >= 2 }
        standby.greet(with: .welcome)
        #expect(try await task.value == 0)
        later.close()

        let anybody = try ConnectionPool(
            ServerList(uri(leader.port, settings: "?target_session_attrs=any")), limit: 1)
        try await anybody.withConnection { _ in }
        anybody.close()
    }

    @Test func `a pool waits for a server that it has reached before and that is gone now`() async throws {
        let server = try FakeServer { $0 == "stop" ? .hangUp : .tag($0) }
        let pool = try ConnectionPool(ServerList(server.uri), limit: 1)
        try await pool.withConnection { _ = try await $0.run("a") }
        server.greet(with: .nothing)
        guard case .lost? = await problem({ try await pool.withConnection { _ = try await $0.run("stop") } }) else {
            Issue.record()
            return
        }
        let task = Task { try await pool.withConnection { try await $0.run("b").tag } }
        try await waitUntil { server.connectionCount >= 3 }
        server.greet(with: .welcome)
        #expect(try await task.value == "b")
        pool.close()
    }

    @Test func `a lost connection does not disturb the one that got the number of its socket`() async throws {
        let server = try FakeServer { $0 == "stop" ? .hangUp : .tag($0) }
        let pool = try ConnectionPool(ServerList(server.uri), limit: 2)
        for _ in 0..<20 {
            try await pool.withConnection { lost in
                guard case .lost? = await problem({ try await lost.run("stop") }) else {
                    Issue.record()
                    return
                }
                // libpq has closed the socket of the lost connection. The next connection gets its number while `lost`
                // still exists.
                try await pool.withConnection { (connection) async throws in
                    for _ in 0..<3 { #expect(try await connection.run("a").tag == "a") }
                    withExtendedLifetime(lost) {}
                }
            }
        }
        pool.close()
    }
}

/// The same on a real server.
@Suite(.onlyWithPostgres, .watched) struct ServerOpeningTests {
    private func kinds(_ list: ServerList, until deadline: ContinuousClock.Instant) async throws -> [ServerProblem.Kind]
    {
        let pool = try ConnectionPool(list, limit: 1)
        defer { pool.close() }
        guard
            case .unreachable(let problems)? = await problem({ try await pool.withConnection(until: deadline) { _ in } }
            )
        else { return [] }
        return problems.map(\.kind)
    }

    @Test func `a database that is not there is refused, and not asked for again`() async throws {
        #expect(try await kinds(TestServer.list("dbname=not-there"), until: .late) == [.failed])
        #expect(try await kinds(TestServer.list("user=nobody-of-that-name"), until: .late) == [.refused])
    }

    @Test func `a server that takes no writes is not ready`() async throws {
        let readOnly = "options=-cdefault_transaction_read_only%3Don"
        #expect(try await kinds(TestServer.list(readOnly), until: .now + .seconds(1)) == [.notReady])
        #expect(try await kinds(TestServer.list(readOnly, "target_session_attrs=any"), until: .late) == [])
        #expect(
            try await kinds(TestServer.list("target_session_attrs=standby"), until: .now + .seconds(1))
                == [.notReady])
    }
}
