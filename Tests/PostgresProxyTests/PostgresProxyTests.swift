import PostgresProxy
import ProfileTesting
import Synchronization
import Testing
import Watchdog

@Suite(.watched) struct PostgresProxyTests {
    private let server: FakeServer
    private let proxy: PostgresProxy

    init() throws {
        server = try FakeServer(rowBytes: 8 << 20)
        proxy = try PostgresProxy(to: server.port)
    }

    // MARK: What is seen

    @Test(arguments: [1, 3, 1 << 16])
    func `messages that arrive in pieces of any size are seen and forwarded as a whole`(pieceSize: Int) async throws {
        let seen = Mutex<[FrontendMessage]>([])
        proxy.follow { message in
            seen.withLock { $0.append(message) }
            return .forward
        }
        let client = try RawClient(to: proxy.port)
        let bytes: [UInt8] = .joined(
            .startup(), .query("begin"), .parse("one", "insert"), .bind("one"), .execute(), .parse("c", "commit"),
            .bind("c", portal: "p"), .execute(portal: "p"), .sync, .message("X"))
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            try client.send(Array(bytes[start..<min(start + pieceSize, bytes.count)]))
        }
        #expect(
            try client.messages(11) == [
                "R", "Z", "C BEGIN", "Z", "1", "2", "C INSERT", "1", "2", "C COMMIT", "Z",
            ])
        // The server does not answer the terminate message.
        try await waitUntil { server.received().count == 10 }
        #expect(server.received() == ["startup", "Q begin", "P insert", "B", "E", "P commit", "B", "E", "S", "X"])
        let messages = seen.withLock { $0 }
        #expect(
            messages.map(\.kind) == [
                .startup, .query, .parse, .bind, .execute, .parse, .bind, .execute, .sync, .terminate,
            ])
        #expect(
            messages.map(\.text) == ["", "begin", "insert", "insert", "insert", "commit", "commit", "commit", "", ""])
        #expect(messages.map(\.isCommit) == [false, false, false, false, false, false, false, true, false, false])
    }

    @Test func `a COMMIT is known by its last statement, in any case and with any words after it`() throws {
        let texts = [
            "COMMIT": true, " commit ;": true, "END": true, "Commit Work": true, "commit and no chain": true,
            "insert into t values ('a'); commit; ": true, "commit; begin": false, "COMMIT PREPARED 'a'": false,
            "begin": false, "insert into t values ('; commit')": false, "": false, ";": false, "committed": false,
        ]
        let seen = Mutex<[String: Bool]>([:])
        proxy.follow { message in
            if message.kind == .query { seen.withLock { $0[message.text] = message.isCommit } }
            return .forward
        }
        let client = try RawClient(greeting: proxy.port)
        for text in texts.keys {
            try client.send(.query(text))
            _ = try client.messages(2)
        }
        #expect(seen.withLock { $0 } == texts)
    }

    @Test func `the proxy refuses TLS itself, and forwards a request to cancel`() async throws {
        let client = try RawClient(to: proxy.port)
        for code in [80_877_103, 80_877_104] {
            try client.send(.request(code))
            #expect(try client.byte() == UInt8(ascii: "N"))
        }
        try client.send(.startup())
        #expect(try client.messages(2) == ["R", "Z"])
        let cancels = Atomic(0)
        proxy.follow { message in
            if message.kind == .cancelRequest { cancels.add(1, ordering: .relaxed) }
            return .forward
        }
        let other = try RawClient(to: proxy.port)
        try other.send(.request(80_877_102, .number(1) + .number(2)))
        try await waitUntil { server.received(1) == ["request"] }
        #expect(cancels.load(ordering: .relaxed) == 1)
        #expect(server.received(0) == ["startup"])
        #expect(proxy.connectionCount == 2)
    }

    // MARK: What is cut and stalled

    /// How a client commits.
    enum Way: CaseIterable {
        case query, pipeline, flushedPipeline

        var commit: [UInt8] {
            switch self {
            case .query: .query("COMMIT")
            case .pipeline: .joined(.bind("c"), .execute(), .sync)
            case .flushedPipeline: .joined(.bind("c"), .execute(), .flush)
            }
        }

        /// The complete answer of the server to `commit`.
        var answer: [String] {
            switch self {
            case .query: ["C COMMIT", "Z"]
            case .pipeline: ["2", "C COMMIT", "Z"]
            case .flushedPipeline: ["2", "C COMMIT"]
            }
        }

        /// The messages of `commit` that the server has got at this moment.
        func received(_ moment: PostgresProxy.Action.Moment) -> Set<[String]> {
            switch (self, moment) {
            case (.query, .beforeForwarding): [[]]
            case (.query, _): [["Q COMMIT"]]
            case (_, .beforeForwarding): [["B"]]
            case (_, .afterForwarding): [["B", "E"]]
            // The server may answer before it has read the messages that follow.
            case (.pipeline, .afterAnswer): [["B", "E"], ["B", "E", "S"]]
            case (.flushedPipeline, .afterAnswer): [["B", "E"], ["B", "E", "H"]]
            }
        }
    }

    @Test(arguments: Way.allCases, PostgresProxy.Action.Moment.allCases)
    func `a connection is cut at each moment of its COMMIT, and no other connection is cut`(
        way: Way, moment: PostgresProxy.Action.Moment
    ) async throws {
        let client = try prepared()
        let other = try prepared()
        let before = server.received().count
        proxy.atNextCommit(.cut(moment))
        try client.send(.query("begin"))
        #expect(try client.messages(2) == ["C BEGIN", "Z"])
        try client.send(way.commit)
        // Only one part of an answer may arrive before the cut: 2, which says that the portal is bound.
        let heard = try client.messagesToEnd()
        #expect(heard.isEmpty || heard == ["2"])
        try await waitUntil { server.endedCount == 1 }
        #expect(way.received(moment).contains(Array(server.received().dropFirst(before + 1))))
        try other.send(way.commit)
        #expect(try other.messages(way.answer.count) == way.answer)
    }

    @Test(arguments: Way.allCases, PostgresProxy.Action.Moment.allCases)
    func `a connection is stalled at each moment of its COMMIT, and no other connection is stalled`(
        way: Way, moment: PostgresProxy.Action.Moment
    ) async throws {
        let client = try prepared()
        let other = try prepared()
        let before = server.received().count
        proxy.atNextCommit(.stall(moment))
        try client.send(way.commit)
        try await waitUntil { way.received(moment).contains(Array(server.received().dropFirst(before))) }
        if moment == .afterAnswer {
            // The proxy forwards what the client sends until the answer has come.
            let executionCount = way == .query ? 1 : 2
            try await waitUntil { server.answeredCount() >= before + executionCount }
        }
        try client.send(.query("select"))
        try other.send(way.commit)
        #expect(try other.messages(way.answer.count) == way.answer)
        // 2, which says that the portal is bound, may have arrived before the stall.
        while way != .query, moment == .afterAnswer, !client.hearsNothing() {
            #expect(try client.messages(1) == ["2"])
        }
        #expect(client.hearsNothing())
        #expect(!server.received().contains("Q select"))
        proxy.close()
        #expect(try client.messagesToEnd() == [])
    }

    @Test func `an execution that fails, or is passed over after a failure, is answered by the error`() async throws {
        for first in ["fail", "insert"] {
            let client = try prepared()
            try client.send(.parse("first", first), .parse("fail", "fail"), .sync)
            #expect(try client.messages(3) == ["1", "1", "Z"])
            let sent = Mutex(0)
            proxy.follow { message in
                // The second execution of the pipeline.
                message.kind == .execute
                    && sent.withLock { count in
                        count += 1
                        return count == 2
                    } ? .cut(.afterAnswer) : .forward
            }
            try client.send(.bind("first"), .execute(), .bind("fail"), .execute(), .sync)
            let heard = try client.messagesToEnd()
            #expect(heard == (first == "fail" ? ["2"] : ["2", "C INSERT", "2"]) || heard == Array(heard.prefix(2)))
            #expect(!heard.contains("E") && !heard.contains("Z"))
        }
    }

    @Test func `data that is copied does not hide the answer to a COMMIT after it`() async throws {
        let client = try prepared()
        try client.send(.parse("copy", "copy"), .bind("copy"), .execute(), .sync)
        #expect(try client.messages(3) == ["1", "2", "G"])
        try client.send(.message("d", [1, 2, 3]), .message("c"), .sync)
        #expect(try client.messages(2) == ["C COPY", "Z"])
        proxy.atNextCommit(.cut(.afterAnswer))
        try client.send(.query("select"))
        #expect(try client.messages(2) == ["C SELECT", "Z"])
        try client.send(.query("commit"))
        #expect(try client.messagesToEnd() == [])
        #expect(server.received().last == "Q commit")
    }

    // MARK: The whole

    @Test func `clients can connect to a frozen proxy, but it forwards nothing until it is thawed`() throws {
        let client = try prepared()
        proxy.freeze()
        try client.send(.query("select"))
        let other = try RawClient(to: proxy.port)
        try other.send(.startup())
        #expect(client.hearsNothing() && other.hearsNothing())
        #expect(!server.received().contains("Q select"))
        proxy.thaw()
        #expect(try client.messages(2) == ["C SELECT", "Z"])
        #expect(try other.messages(2) == ["R", "Z"])
    }

    @Test func `an answer that is longer than the proxy's buffer arrives as a whole`() throws {
        let client = try prepared()
        try client.send(.query("rows"))
        let rows = (8 << 20) / 1000
        let messages = try client.messages(rows + 2)
        #expect(messages.prefix(rows).allSatisfy { $0 == "D1000" })
        #expect(messages.suffix(2) == ["C ROWS", "Z"])
    }

    @Test func `when a client or the server ends a connection, the proxy ends the other side too`() async throws {
        var client: RawClient? = try prepared()
        client = nil
        #expect(client == nil)
        try await waitUntil { server.endedCount == 1 }
        var mortal: FakeServer? = try FakeServer()
        let proxy = try PostgresProxy(to: #require(mortal).port)
        let orphan = try RawClient(greeting: proxy.port)
        mortal = nil
        #expect(mortal == nil)
        #expect(try orphan.messagesToEnd() == [])
        // The server does not listen any more.
        let late = try RawClient(to: proxy.port)
        try late.send(.startup())
        #expect(try late.messagesToEnd() == [])
    }

    @Test func `a client that does not follow the protocol is cut`() throws {
        for bytes in [[UInt8](repeating: 255, count: 8), .joined(.number(3), .number(0))] {
            let client = try RawClient(to: proxy.port)
            try client.send(bytes)
            #expect(try client.messagesToEnd() == [])
        }
        let client = try prepared()
        try client.send(.message("P", [65, 66]))
        #expect(try client.messagesToEnd() == [])
    }

    @Test func `once the proxy is closed, its connections have ended and it accepts no new ones`() throws {
        let client = try prepared()
        proxy.close()
        #expect(try client.messagesToEnd() == [])
        let late = try RawClient(to: proxy.port)
        #expect(try late.messagesToEnd() == [])
        proxy.close()
    }

    /// A client that has `COMMIT` prepared under the name c.
    private func prepared() throws -> RawClient {
        let client = try RawClient(greeting: proxy.port)
        try client.send(.parse("c", "COMMIT"), .sync)
        #expect(try client.messages(2) == ["1", "Z"])
        return client
    }
}
