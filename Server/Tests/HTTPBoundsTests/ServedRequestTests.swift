import HTTPBounds
import NIOCore
import Testing

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
    func `Pipelined requests are answered in order, however their bytes are split`() async throws {
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
                // While the server serves another client, it would have the time to perform the waiting requests too.
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
    func `Requests behind an answer that closes the connection are not performed`() async throws {
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
    func `A request to upgrade the protocol is answered, and no request behind it is read`() async throws {
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
            // The body never ends. The client sends all its chunks before it reads.
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
    func `100 Continue is sent before a body of allowed length, and after earlier answers`() async throws {
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
