internal import Platform

/// The connection of a client, the connection to the server for this client, and the bytes that wait to be forwarded.
struct ProxyConnection {
    private let number: Int
    private var client: LoopbackSocket?
    private var server: LoopbackSocket?
    private var toServer: [UInt8] = []
    private var toClient: [UInt8] = []
    private var frontend = FrontendReader()
    private var backend = MessageSplitter(isTyped: true)
    private var answers = AwaitedAnswers()
    /// The action to perform when the server has answered the target message; see ``AwaitedAnswers``.
    private var plan = PostgresProxy.Action.forward
    private var isStalled = false
    /// The time limit for the other side after one side is closed. Nil while both sides are open.
    private var end: ContinuousClock.Instant?

    init(number: Int, _ client: LoopbackSocket, _ server: LoopbackSocket) {
        self.number = number
        self.client = client
        self.server = server
    }

    var hasEnded: Bool { client == nil && server == nil }

    /// Whether the connection has a time at which it is closed.
    var isLimited: Bool { end != nil }

    // MARK: Forwarding

    /// If this number of bytes waits for one side, the proxy stops reading from the other side.
    private static let limit = 1 << 20

    /// The entries for poll(2): the client's socket and the server's socket, with the events to wait for.
    var waitedFor: [pollfd] {
        let isOpen = !isStalled && client != nil
        return [
            Self.entry(
                client, reads: !isStalled && server != nil && toServer.count < Self.limit,
                writes: !isStalled && !toClient.isEmpty),
            // If the client's side is closed, the output of the server is read to its end and discarded.
            Self.entry(
                server, reads: client == nil || isOpen && toClient.count < Self.limit, writes: !toServer.isEmpty),
        ]
    }

    private static func entry(_ socket: LoopbackSocket?, reads: Bool, writes: Bool) -> pollfd {
        // poll(2) ignores a negative descriptor. With the real descriptor, poll(2) would report an error of the socket
        // again and again, even without requested events.
        pollfd(
            fd: reads || writes ? socket?.descriptor ?? -1 : -1,
            events: Int16(reads ? POLLIN : 0) | Int16(writes ? POLLOUT : 0), revents: 0)
    }

    /// Reads the available bytes of both sides, and forwards them as the rule says.
    mutating func forward(_ isReady: (client: Bool, server: Bool), by rule: PostgresProxy.Rule) {
        // The server is read first. If its answer stalls the connection, later messages of the client are not
        // forwarded.
        if isReady.server, client == nil || !isStalled, toClient.count < Self.limit, let bytes = server?.read() {
            if bytes.isEmpty { closeServer() } else if client != nil { take(fromServer: bytes) }
        }
        if isReady.client, !isStalled, server != nil, toServer.count < Self.limit, let bytes = client?.read() {
            if bytes.isEmpty { closeClient() } else { take(fromClient: bytes, by: rule) }
        }
        if !isStalled, let client { toClient.removeFirst(client.write(toClient)) }
        if let server { toServer.removeFirst(server.write(toServer)) }
        if server == nil, toClient.isEmpty, !isStalled { client = nil }
        if client == nil, toServer.isEmpty { server?.endWriting() }
        if let end, end < .now { (client, server) = (nil, nil) }
    }

    private mutating func take(fromClient bytes: [UInt8], by rule: PostgresProxy.Rule) {
        frontend.append(bytes)
        do throws(MalformedMessage) {
            while client != nil, !isStalled, let (message, bytes) = try frontend.next(ofConnection: number) {
                if message.kind == .encryptionRequest {
                    toClient.append(UInt8(ascii: "N"))
                } else {
                    take(message, bytes, rule(message))
                }
            }
        } catch {
            closeClient()
        }
    }

    private mutating func take(_ message: FrontendMessage, _ bytes: [UInt8], _ action: PostgresProxy.Action) {
        // After a message with a planned action, all later messages are forwarded until the action is performed.
        let action = plan == .forward ? action : .forward
        if action == .cut(.beforeForwarding) { return closeClient() }
        if action == .stall(.beforeForwarding) { return isStalled = true }
        toServer += bytes
        let isTarget = action == .cut(.afterAnswer) || action == .stall(.afterAnswer)
        if isTarget { plan = action }
        answers.sent(message.kind, isTarget: isTarget)
        if action == .cut(.afterForwarding) { closeClient() }
        if action == .stall(.afterForwarding) { isStalled = true }
    }

    private mutating func take(fromServer bytes: [UInt8]) {
        backend.append(bytes)
        do throws(MalformedMessage) {
            while client != nil, !isStalled, let (type, bytes) = try backend.next() {
                let isWithheld = answers.isTargetNext
                let isTargetAnswered = answers.received(type)
                if !isWithheld, !isTargetAnswered { toClient += bytes }
                guard isTargetAnswered else { continue }
                if case .stall = plan { isStalled = true } else { (client, server) = (nil, nil) }
            }
        } catch {
            closeServer()
        }
    }

    // MARK: The end

    /// Closes the client's side. The server gets the forwarded bytes and then the end of the stream. Its side is closed
    /// after at most 10 seconds.
    private mutating func closeClient() {
        client = nil
        end = end ?? .now + .seconds(10)
    }

    private mutating func closeServer() {
        server = nil
        toServer = []
        end = end ?? .now + .seconds(10)
    }
}
