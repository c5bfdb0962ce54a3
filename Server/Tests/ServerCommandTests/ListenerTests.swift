import Testing

/// The listeners of people and of programs.
@Suite(.timeLimit(.minutes(5))) struct ListenerTests {
    private static let ofPeople = ["/v1/me", "/v1/me/sessions"]
    private static let ofPrograms = ["/v1/profiles", "/v1/statistics", "/v1/tokens", "/metrics"]

    @Test func `with an admin port, each listener has the routes of its callers alone`() async throws {
        let place = try await TemporaryPlace.withStore()
        let server = try await RunningServer(place, listeners: 2)
        #expect(server.addresses.count == 2)
        for path in Self.ofPeople {
            #expect(try await server.get(path, token: place.token, of: 0).status != 404, "\(path)")
            #expect(try await server.get(path, token: place.token, of: 1).status == 404, "\(path)")
        }
        for path in Self.ofPrograms {
            #expect(try await server.get(path, token: place.token, of: 0).status == 404, "\(path)")
            #expect(try await server.get(path, token: place.token, of: 1).status != 404, "\(path)")
        }
        for listener in [0, 1] { #expect(try await server.get("/healthz", of: listener).status == 200) }
    }

    @Test func `without an admin port, the listener has all routes`() async throws {
        let place = try await TemporaryPlace.withStore()
        let server = try await RunningServer(place)
        for path in Self.ofPeople + Self.ofPrograms {
            #expect(try await server.get(path, token: place.token).status != 404, "\(path)")
        }
    }

    @Test func `a request is refused unless its Host is a name of the service`() async throws {
        let place = try await TemporaryPlace.withStore()
        let server = try await RunningServer(place, "--host-name", "profiles.example")
        for (host, status) in [("profiles.example", 200), ("evil.example", 421), ("profiles.example:1", 421)] {
            let connection = try Connection(port: server.port)
            try connection.send("GET /healthz HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(try await connection.answer().status == status, "\(host)")
        }
    }

    @Test func `the connection guard answers with problem details in JSON`() async throws {
        let server = try await RunningServer(try await .withStore())
        let wishes: [(String, Int)] = [
            ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 20_000))\r\n\r\n", 431),
        ]
        for (request, status) in wishes {
            let connection = try Connection(port: server.port)
            try connection.send(request)
            let answer = try await connection.answer()
            #expect(answer.status == status)
            #expect(answer.head.lowercased().contains("content-type: application/problem+json"), "\(answer.head)")
            #expect(answer.body.contains(#""status":\#(status)"#))
            try await connection.waitForEnd()
        }
    }
}
