import HTTPBounds
import NIOCore
import Testing

/// Long times: what is not tested never expires.
private func bounds(_ change: (inout ConnectionBounds) -> Void = { _ in }) -> ConnectionBounds {
    var bounds = ConnectionBounds(lingerTime: .seconds(1), bodyLength: 1_000)
    change(&bounds)
    return bounds
}

private let get = "GET /constant HTTP/1.1\r\nHost: localhost\r\n\r\n"
private let getLast = "GET /constant HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

private func post(_ path: String, _ fields: String, _ body: String = "") -> String {
    "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n\(body)"
}

@Suite(.timeLimit(.minutes(5)))
struct ServedRequestTests {
    @Test
    func `A connection serves one request after the other`() async throws {
        try await TestServer.run(bounds()) { server in
            try await RawClient.run(server) { client in
                for _ in 0..<3 {
                    try await client.send(get)
                    let answer = try await client.receive { $0.hasSuffix("constant") }
                    #expect(answer.statuses == ["200"])
                    #expect(!answer.lowercased().contains("connection: close"))
                }
                for _ in 0..<2 {
                    try await client.send(post("/echo", "Content-Length: 5", "hello"))
                    #expect(try await client.receive { $0.hasSuffix("hello") }.statuses == ["200"])
                }
            }
        }
    }

    @Test
    func `Pipelined requests are answered in order, whatever their bytes are cut into`() async throws {
        try await TestServer.run(bounds()) { server in
            let all =
                get + post("/echo", "Content-Length: 5", "first") + get
                + post("/echo", "Transfer-Encoding: chunked", "6\r\nsecond\r\n0\r\n\r\n")
                + post("/echo", "Content-Length: 3000", String(repeating: "x", count: 3_000)) + getLast
            for length in [all.utf8.count, 1_000, 37, 1] {
                try await RawClient.run(server) { client in
                    var rest = all[...]
                    while !rest.isEmpty {
                        try await client.send(String(rest.prefix(length)))
                        rest = rest.dropFirst(length)
                    }
                    let (text, end) = await client.receiveAll()
                    #expect(text.statuses == Array(repeating: "200", count: 6))
                    #expect(end == .closed)
                    let places = ["constant", "first", "second", "xxx"].map { text.firstRange(of: $0)?.lowerBound }
                    #expect(!places.contains(nil))
                    #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
                    #expect(text.hasSuffix("constant"))
                }
            }
        }
    }

    @Test
    func `A thousand pipelined requests are answered`() async throws {
        try await TestServer.run(bounds()) { server in
            try await RawClient.run(server) { client in
                try await client.send(String(repeating: get, count: 1_000) + getLast)
                let (text, end) = await client.receiveAll()
                #expect(text.count(of: "HTTP/1.1 200 OK") == 1_001 && end == .closed)
            }
        }
    }

    @Test
    func `A pipelined request waits until the one before is answered`() async throws {
        try await TestServer.run(bounds()) { server in
            try await RawClient.run(server) { client in
                try await client.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n" + get + getLast)
                // Another client is served meanwhile, so the server had time to do more than it should.
                try await RawClient.run(server) { other in
                    try await other.send(getLast)
                    #expect(await other.receiveAll().text.statuses == ["200"])
                }
                #expect(server.requests.all.count { $0 == "/constant" } == 1)
                server.gate.open()
                let (text, end) = await client.receiveAll()
                #expect(text.statuses == ["200", "200", "200"] && end == .closed)
            }
        }
    }

    @Test
    func `Nothing is performed behind an answer that closes the connection`() async throws {
        try await TestServer.run(bounds()) { server in
            try await RawClient.run(server) { client in
                try await client.send("GET /close HTTP/1.1\r\nHost: localhost\r\n\r\n" + get + get)
                let (text, end) = await client.receiveAll()
                #expect(text.statuses == ["200"] && text.hasSuffix("bye") && end == .closed)
            }
            #expect(server.requests.all == ["/close"])
        }
    }

    @Test
    func `A client that closes its side gets its answers`() async throws {
        try await TestServer.run(bounds()) { server in
            let large = "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
            for (requests, count) in [(get + large + get, 3), (large, 1), (get, 1)] {
                try await RawClient.run(server) { client in
                    try await client.send(requests)
                    try await client.closeOutput()
                    let (text, end) = await client.receiveAll()
                    #expect(text.count(of: "HTTP/1.1 200 OK") == count && end == .closed)
                    #expect(!requests.contains("large") || text.utf8.count > 32 << 20)
                }
            }
        }
    }

    @Test
    func `A client of HTTP 1.0 gets no chunks, and the connection ends`() async throws {
        try await TestServer.run(bounds()) { server in
            for fields in ["", "Host: localhost\r\nConnection: keep-alive\r\n"] {
                try await RawClient.run(server) { client in
                    try await client.send("GET /chunks HTTP/1.0\r\n\(fields)\r\n")
                    let (text, end) = await client.receiveAll()
                    #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n") && text.hasSuffix("\r\n\r\nonetwo") && end == .closed)
                    #expect(text.contains("Connection: close\r\n"))
                }
            }
            try await RawClient.run(server) { client in
                try await client.send("GET /chunks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                #expect(await client.receiveAll().text.hasSuffix("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
            }
        }
    }

    @Test
    func `A request for another protocol is answered, and nothing behind it is read`() async throws {
        try await TestServer.run(bounds()) { server in
            try await RawClient.run(server) { client in
                let upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk"
                try await client.send("GET /constant HTTP/1.1\r\nHost: localhost\r\n\(upgrade)\r\n\r\n" + get)
                let (text, end) = await client.receiveAll()
                #expect(text.statuses == ["200"] && text.contains("Connection: close\r\n") && end == .closed)
            }
        }
    }

    @Test
    func `An answer before the end of the body closes the connection, and arrives`() async throws {
        let patient = bounds {
            $0.lingerLength = 256 * 1024
            $0.lingerTime = .seconds(60)
        }
        try await TestServer.run(patient) { server in
            // The body never ends. The client reads nothing before it has sent all that it sends.
            try await RawClient.run(server, reads: false) { client in
                try await client.send(post("/early", "Transfer-Encoding: chunked"))
                for _ in 0..<8 { try? await client.send("4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n") }
                try await client.startReading()
                let answer = try await client.receive { $0.hasSuffix("early") }
                #expect(answer.statuses == ["413"] && answer.contains("Connection: close\r\n"))
                #expect(await client.receiveAll().end == .closed)
            }
            #expect(server.requests.all == ["/early"])
        }
    }

    @Test
    func `After the last answer input is read for a bounded time only`() async throws {
        try await TestServer.run(bounds()) { server in
            try await RawClient.run(server) { client in
                try await client.send(post("/early", "Content-Length: 1000000", "x"))
                #expect(await client.receiveAll().text.hasSuffix("early"))
                // The client keeps its side open and goes on sending. The server closes, so sending fails at some time.
                while (try? await client.send("x")) != nil { try await poll() }
            }
            while server.counter.count > 0 { try await poll() }
        }
    }

    @Test
    func `100 is sent before a body of allowed length, and after earlier answers`() async throws {
        try await TestServer.run(bounds()) { server in
            try await RawClient.run(server) { client in
                try await client.send(get + post("/echo", "Expect: 100-continue\r\nContent-Length: 5"))
                let first = try await client.receive { $0.hasSuffix("HTTP/1.1 100 Continue\r\n\r\n") }
                #expect(first.statuses == ["200", "100"])
                try await client.send("hello")
                #expect(try await client.receive { $0.hasSuffix("hello") }.statuses == ["200"])
                try await client.send(post("/early", "Expect: 100-continue\r\nContent-Length: 1001"))
                let (text, end) = await client.receiveAll()
                #expect(text.statuses == ["413"] && end == .closed)
            }
        }
    }

    @Test
    func `Shutting down ends idle connections and lets answers finish`() async throws {
        try await TestServer.run(bounds()) { server in
            let idle = try await RawClient.connect(server)
            try await idle.send(get)
            _ = try await idle.receive { $0.hasSuffix("constant") }
            let waiting = try await RawClient.connect(server)
            try await waiting.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n" + get)
            while !server.requests.all.contains("/wait") { try await poll() }
            await server.shutDown()
            #expect(await idle.receiveAll().end == .closed)
            server.gate.open()
            let (text, end) = await waiting.receiveAll()
            #expect(text.statuses == ["200"] && text.hasSuffix("waited") && end == .closed)
            #expect(text.contains("Connection: close\r\n"))
            idle.close()
            waiting.close()
        }
    }
}

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
    func `A body that is not valid fails its reader, and the responder answers`(chunks: String) async throws {
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
    func `Targets and heads that are too long are refused in order`() async throws {
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

@Suite(.timeLimit(.minutes(5)))
struct ConnectionTimeTests {
    /// Another client is served while the connections of a test are open.
    private func expectService(_ server: TestServer) async throws {
        try await RawClient.run(server) { client in
            try await client.send(getLast)
            #expect(await client.receiveAll().text.statuses == ["200"])
        }
    }

    @Test
    func `A head that comes byte by byte is cut off with 408`() async throws {
        try await TestServer.run(bounds { $0.headTime = .seconds(1) }) { server in
            for isLater in [false, true] {
                try await RawClient.run(server) { client in
                    if isLater {
                        try await client.send(get)
                        _ = try await client.receive { $0.hasSuffix("constant") }
                    }
                    let drip = Task {
                        for byte in "GET / HTTP/1.1\r\n" + String(repeating: "X: a\r\n", count: 90) {
                            guard (try? await client.send(String(byte))) != nil else { return }
                            try await Task.sleep(for: .milliseconds(20))
                        }
                    }
                    try await expectService(server)
                    let (text, end) = await client.receiveAll()
                    drip.cancel()
                    #expect(text.statuses == ["408"] && end == .closed)
                }
            }
        }
    }

    @Test
    func `Connections without a request close without an answer`() async throws {
        try await TestServer.run(
            bounds {
                $0.headTime = .seconds(1)
                $0.idleTime = .milliseconds(300)
            }
        ) { server in
            try await RawClient.run(server) { client in
                let (text, end) = await client.receiveAll()
                #expect(text.isEmpty && end == .closed)
            }
            try await RawClient.run(server) { client in
                try await client.send(get)
                let (text, end) = await client.receiveAll()
                #expect(text.statuses == ["200"] && end == .closed)
            }
        }
    }

    @Test
    func `A body that is slow fails its reader, and the answer arrives`() async throws {
        try await TestServer.run(bounds { $0.bodyTime = .seconds(1) }) { server in
            try await RawClient.run(server) { client in
                try await client.send(post("/echo", "Content-Length: 1000"))
                let drip = Task {
                    while (try? await client.send("x")) != nil { try await Task.sleep(for: .milliseconds(20)) }
                }
                try await expectService(server)
                let (text, end) = await client.receiveAll()
                drip.cancel()
                #expect(text.statuses == ["408"] && text.contains("Connection: close\r\n") && end == .closed)
            }
            #expect(server.bodyErrors.all == ["BodyTimedOut"])
        }
    }

    @Test
    func `A client that does not read is cut off`() async throws {
        try await TestServer.run(bounds { $0.writeTime = .milliseconds(300) }) { server in
            try await RawClient.run(server, reads: false) { client in
                try await client.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
                while !server.requests.all.contains("/large") { try await poll() }
                try await expectService(server)
                while server.counter.count > 0 { try await poll() }
                try await client.startReading()
                let (text, _) = await client.receiveAll()
                #expect(text.utf8.count < 32 << 20)
            }
        }
    }

    @Test
    func `An answer may take longer than every other time`() async throws {
        let short = bounds {
            $0.bodyTime = .milliseconds(200)
            $0.idleTime = .milliseconds(200)
            $0.writeTime = .milliseconds(200)
        }
        try await TestServer.run(short) { server in
            try await RawClient.run(server) { client in
                try await client.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n")
                // This connection ends by its idle time twice, so the times of the first are over as well.
                for _ in 0..<2 {
                    try await RawClient.run(server) { other in
                        try await other.send(get)
                        #expect(await other.receiveAll().text.statuses == ["200"])
                    }
                }
                server.gate.open()
                #expect(await client.receiveAll().text.statuses == ["200"])
            }
        }
    }

    @Test
    func `Too many connections close at once, in all and of an address, until others close`() async throws {
        let two = bounds { $0.mostConnectionsOfAddress = 2 }
        let all = bounds { $0.mostConnections = 2 }
        for bounds in [two, all] {
            try await TestServer.run(bounds) { server in
                let first = try await RawClient.connect(server)
                let second = try await RawClient.connect(server)
                for client in [first, second] {
                    try await client.send(get)
                    _ = try await client.receive { $0.hasSuffix("constant") }
                }
                let third = try await RawClient.connect(server)
                #expect(await third.receiveAll().text.isEmpty)
                #expect(server.counter.count == 2)
                first.close()
                while server.counter.count > 1 { try await poll() }
                try await expectService(server)
                second.close()
                third.close()
            }
        }
        let exempt = bounds {
            $0.mostConnectionsOfAddress = 0
            $0.exemptAddresses = [AddressRange("127.0.0.0/8")].compactMap { $0 }
        }
        try await TestServer.run(exempt) { server in try await expectService(server) }
    }
}
