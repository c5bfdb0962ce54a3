import Glibc
import Testing

/// How SIGTERM and SIGINT end the program.
@Suite(.timeLimit(.minutes(5))) struct EndingTests {
    private static let login =
        #"{"username": "\#(TemporaryPlace.canaries[0])", "password": "\#(TemporaryPlace.canaries[1])"}"#

    @Test(arguments: [SIGTERM, SIGINT])
    func `a request that has begun is answered, and an idle connection does not delay the end`(signal: Int32)
        async throws
    {
        let server = try await RunningServer(try await .withStore())
        let idle = try Connection(port: server.port)
        try idle.send("GET", "/healthz")
        #expect(try await idle.answer().status == 200)
        let slow = try Connection(port: server.port)
        try slow.send(
            "POST", "/v1/login", headers: ["Expect: 100-continue"], body: "", declaredLength: Self.login.utf8.count)
        #expect(try await slow.answer().status == 100)
        server.send(signal)
        try await idle.waitForEnd()
        #expect(!server.hasEnded)
        // New connections are refused meanwhile.
        #expect(throws: SystemFailure.self) { try Connection(port: server.port) }
        try slow.send(Self.login)
        #expect(try await slow.answer().status == 200)
        #expect(try await server.end() == 0)
        #expect(server.log.contains(#""message":"ended""#))
    }

    @Test func `after SIGTERM, a client that never sends its body is cut off after ten seconds`() async throws {
        let server = try await RunningServer(try await .withStore())
        let slow = try Connection(port: server.port)
        try slow.send("POST", "/v1/login", headers: ["Expect: 100-continue"], body: "", declaredLength: 100)
        #expect(try await slow.answer().status == 100)
        let start = ContinuousClock.now
        server.send(SIGTERM)
        #expect(try await server.end() == 0)
        #expect(.now - start > .seconds(9))
        try await slow.waitForEnd()
    }

    @Test func `SIGHUP without TLS does not end the program`() async throws {
        let server = try await RunningServer(try await .withStore())
        server.send(SIGHUP)
        try await waitUntil { server.log.contains("SIGHUP has no effect without TLS") }
        #expect(try await server.get("/healthz").status == 200)
    }

    @Test func `if the store is removed, requests fail, and the program runs on until its housekeeping`() async throws {
        let place = try await TemporaryPlace.withStore()
        let server = try await RunningServer(place)
        rename(place.store, place.path + "/elsewhere")
        // Requests get an error, and the program runs on until its housekeeping misses the store.
        #expect(try await server.get("/readyz").status >= 500)
        #expect(!server.hasEnded)
    }
}
