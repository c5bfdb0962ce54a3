import HTTPBounds
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RefusedRequestTests {
    /// Requests that RFC 9112 forbids, or whose framing two servers might read differently.
    static let unreadable: [String] = [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        "GET / HTTP/1.1\r\n Host: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n\tb\r\n\r\n",
        "GET / HTTP/1.1\nHost: localhost\n\n",
        "GET / HTTP/1.1\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX(: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX\r\n\r\n",
        "GET /a#b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://other/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.2\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/0.9\r\nHost: localhost\r\n\r\n",
        "GET /\r\n\r\n",
        "GET / http/1.1\r\nHost: localhost\r\n\r\n",
        "get / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "CONNECT localhost:1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n",
        "\u{16}\u{3}\u{1}\0",
        post("/echo", "Content-Length: 5\r\nContent-Length: 5", "hello"),
        post("/echo", "Content-Length: 5\r\nContent-Length: 6", "hello"),
        post("/echo", "Content-Length: 5, 5", "hello"),
        post("/echo", "Content-Length: +5", "hello"),
        post("/echo", "Content-Length: -5", "hello"),
        post("/echo", "Content-Length: 0x5", "hello"),
        post("/echo", "Content-Length: 5 5", "hello"),
        post("/echo", "Content-Length:", "hello"),
        post("/echo", "Content-Length: 99999999999999999999", "hello"),
        post("/echo", "Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        post("/echo", "Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"),
        post("/echo", "Transfer-Encoding: chunked, identity", "0\r\n\r\n"),
        post("/echo", "Transfer-Encoding: identity", "0\r\n\r\n"),
        post("/echo", "Transfer-Encoding: gzip, chunked", "0\r\n\r\n"),
        post("/echo", "Transfer-Encoding: xchunked", "0\r\n\r\n"),
        post("/echo", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        post("/echo", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        post("/echo", "Transfer-Encoding:", "0\r\n\r\n"),
        post("/echo", "Transfer-Encoding: \u{b}chunked", "0\r\n\r\n"),
        "POST /echo HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ]

    @Test
    func `Requests that are not valid are refused by the guard, and the application never sees them`() async throws {
        try await TestServer.run(bounds()) { server in
            for request in Self.unreadable {
                for (before, answers) in [("", ["400"]), (get, ["200", "400"])] {
                    try await RawClient.run(server) { client in
                        try await client.send(before + request)
                        try await client.closeOutput()
                        let (text, end) = await client.receiveAll()
                        #expect(text.statuses == answers && end == .closed, "\(request.debugDescription): \(text)")
                        #expect(text.hasSuffix("{\"status\":400}"), "\(request.debugDescription)")
                        #expect(text.contains("Connection: close\r\n"))
                    }
                }
            }
            #expect(server.requests.all.allSatisfy { $0 == "/constant" })
            #expect(server.bodyErrors.all.isEmpty)
        }
    }

    @Test(arguments: [
        "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r\n0\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n",
        "x\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "\r\nhello\r\n0\r\n\r\n",
        "5 \r\nhello\r\n0\r\n\r\n", "11111111111111111\r\nhello", "5;a\nb\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello\r\n0\r\nX : y\r\n\r\n", "5\r\nhel",
    ])
    func `Reading an invalid body fails, and the application answers`(chunks: String) async throws {
        try await TestServer.run(bounds()) { server in
            try await RawClient.run(server) { client in
                try await client.send(get + post("/echo", "Transfer-Encoding: chunked", chunks))
                try await client.closeOutput()
                let (text, end) = await client.receiveAll()
                #expect(text.statuses == ["200", "400"] && end == .closed, "\(chunks.debugDescription)")
                #expect(text.contains("Connection: close\r\n"))
            }
            #expect(server.bodyErrors.all == ["UnreadableBody"])
        }
    }

    @Test
    func `A body whose connection breaks is never taken for a whole one`() async throws {
        try await TestServer.run(bounds()) { server in
            for isAbrupt in [true, false] {
                let client = try await RawClient.connect(server)
                try await client.send(post("/echo", "Content-Length: 5", "hel"))
                while server.requests.all.isEmpty { try await poll() }
                if isAbrupt { client.close() } else { try await client.closeOutput() }
                while server.bodyErrors.all.count < (isAbrupt ? 1 : 2) { try await poll() }
                client.close()
            }
            #expect(server.bodyErrors.all == ["UnreadableBody", "UnreadableBody"])
        }
    }

    @Test
    func `Targets and heads that are too long are refused, after the answers to earlier requests`() async throws {
        try await TestServer.run(bounds()) { server in
            let cases: [(String, String)] = [
                ("GET /\(String(repeating: "a", count: 8 * 1024)) HTTP/1.1\r\nHost: localhost\r\n\r\n", "414"),
                (post("/" + String(repeating: "a", count: 9_000), "Content-Length: 9", "123"), "414"),
                ("GET /\(String(repeating: "a", count: 100_000))", "414"),
                ("GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 16 * 1024))\r\n\r\n", "431"),
                ("GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: 100_000))", "431"),
                ("GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X: a\r\n", count: 101) + "\r\n", "431"),
                ("GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X: a\r\n", count: 9_000), "431"),
                (post("/echo", "Expect: a-miracle\r\nContent-Length: 5", "hello"), "417"),
            ]
            for (request, status) in cases {
                for (before, answers) in [("", [status]), (get, ["200", status])] {
                    try await RawClient.run(server) { client in
                        try await client.send(before + request)
                        let (text, end) = await client.receiveAll()
                        #expect(text.statuses == answers && end == .closed, "\(request.prefix(80))")
                        #expect(text.hasSuffix("{\"status\":\(status)}"))
                    }
                }
            }
            #expect(server.requests.all.allSatisfy { $0 == "/constant" })
            try await RawClient.run(server) { client in
                let path = "/" + String(repeating: "a", count: 8 * 1024 - 1)
                try await client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                #expect(await client.receiveAll().text.statuses == ["404"])
            }
        }
    }

    @Test
    func `A refusal of HEAD has no body`() async throws {
        try await TestServer.run(bounds()) { server in
            try await RawClient.run(server) { client in
                try await client.send("HEAD / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
                let (text, _) = await client.receiveAll()
                #expect(text.statuses == ["400"] && text.hasSuffix("\r\n\r\n"))
            }
        }
    }
}
