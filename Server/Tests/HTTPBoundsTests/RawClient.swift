import NIOCore
import NIOPosix
import NIOSSL

/// A TCP or TLS client that sends bytes as they are, and reports how the connection ends.
final class RawClient: Sendable {
    enum End: Equatable, Sendable {
        /// The server has closed its side properly.
        case closed
        /// The connection was reset, or TLS was cut.
        case failed
    }

    private enum Event: Sendable {
        case bytes(String)
        case end(End)
    }

    private let channel: any Channel
    private let events: AsyncStream<Event>
    private let clock = ContinuousClock()

    private init(channel: any Channel, events: AsyncStream<Event>) {
        self.channel = channel
        self.events = events
    }

    /// Connects, runs `body`, and closes.
    static func run<Result: Sendable>(
        _ server: TestServer, tls: NIOSSLContext? = nil, reads: Bool = true,
        _ body: @Sendable (RawClient) async throws -> Result
    ) async throws -> Result {
        let client = try await connect(server, tls: tls, reads: reads)
        do {
            let result = try await body(client)
            client.close()
            return result
        } catch {
            client.close()
            throw error
        }
    }

    static func connect(_ server: TestServer, tls: NIOSSLContext? = nil, reads: Bool = true) async throws -> RawClient {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: reads)
            .channelOption(.socketOption(.so_rcvbuf), value: reads ? 256 * 1024 : 8 * 1024)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                    }
                    try channel.pipeline.syncOperations.addHandler(Collector(continuation: continuation))
                }
            }
            .connect(host: "127.0.0.1", port: server.port).get()
        return RawClient(channel: channel, events: events)
    }

    func close() { channel.close(promise: nil) }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text))
    }

    func closeOutput() async throws {
        try await channel.close(mode: .output)
    }

    func startReading() async throws {
        try await channel.setOption(.autoRead, value: true).get()
    }

    func stopReading() async throws {
        try await channel.setOption(.autoRead, value: false).get()
    }

    /// Returns what has arrived once `condition` holds for it.
    func receive(until condition: (String) -> Bool) async throws -> String {
        var text = ""
        for await event in events {
            guard case .bytes(let bytes) = event else { throw TestFailure() }
            text += bytes
            if condition(text) { return text }
        }
        throw TestFailure()
    }

    /// Returns everything until the connection ends, and how it ends.
    func receiveAll() async -> (text: String, end: End) {
        var text = ""
        for await event in events {
            switch event {
            case .bytes(let bytes): text += bytes
            case .end(let end): return (text, end)
            }
        }
        return (text, .failed)
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<Event>.Continuation
        private var end = End.closed

        init(continuation: AsyncStream<Event>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            continuation.yield(.bytes(String(buffer: Self.unwrapInboundIn(data))))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { finish() }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { end = .failed }
        func channelInactive(context: ChannelHandlerContext) { finish() }

        private func finish() {
            continuation.yield(.end(end))
            continuation.finish()
        }
    }
}

extension String {
    /// The status codes of the answers in this text, in order.
    var statuses: [String] {
        split(separator: "HTTP/1.").compactMap { answer in
            let words = answer.split(separator: " ", maxSplits: 2)
            return words.count > 1 && (words[0] == "1" || words[0] == "0") ? String(words[1]) : nil
        }
    }

    func count(of part: String) -> Int { ranges(of: part).count }
}
