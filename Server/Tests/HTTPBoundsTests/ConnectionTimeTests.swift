import HTTPBounds
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConnectionTimeTests {
    /// Checks that the server serves another client while the connections of a test are open.
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
    func `Reading a slow body fails, and the client gets an answer`() async throws {
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
    func `An answer may take longer than the body, idle and write times`() async throws {
        let short = bounds {
            $0.bodyTime = .milliseconds(200)
            $0.idleTime = .milliseconds(200)
            $0.writeTime = .milliseconds(200)
        }
        try await TestServer.run(short) { server in
            try await RawClient.run(server) { client in
                try await client.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n")
                // Each other connection stays open for the idle time. After two of them, all times of the first
                // connection are over.
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
    func `Connections above the total limit or the limit of an address close at once, until others close`() async throws
    {
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
