internal import Platform

/// A client, its connection to the server, and what is on its way between them.
struct ProxyConnection {
    private let number: Int
    private var client: LoopbackSocket?
    private var server: LoopbackSocket?
    private var toServer: [UInt8] = []
    private var toClient: [UInt8] = []
    private var frontend = FrontendReader()
    private var backend = MessageSplitter(isTyped: true)
    private var answers = AwaitedAnswers()
    /// What is to be done once a certain message is answered.
    private var plan = PostgresProxy.Action.forward
    private var isStalled = false
    /// When it is given up, once one of its sides is closed.
    private var end: ContinuousClock.Instant?

    init(number: Int, _ client: LoopbackSocket, _ server: LoopbackSocket) {
        self.number = number
        self.client = client
        self.server = server
    }

    var hasEnded: Bool { client == nil && server == nil }

    /// Whether it ends by itself some time.
    var isLimited: Bool { end != nil }

    // MARK: Forwarding

    /// The most that is kept for a side that does not take it.
    private static let limit = 1 << 20

    /// The client's socket and the server's, with what is waited for.
    var waitedFor: [pollfd] {
        let isOpen = !isStalled && client != nil
        return [
            Self.entry(
                client, reads: !isStalled && server != nil && toServer.count < Self.limit,
                writes: !isStalled && !toClient.isEmpty),
            // When the client is gone, the server is read to its end and nobody hears it.
            Self.entry(
                server, reads: client == nil || isOpen && toClient.count < Self.limit, writes: !toServer.isEmpty),
        ]
    }

    private static func entry(_ socket: LoopbackSocket?, reads: Bool, writes: Bool) -> pollfd {
        // A negative number is passed over, so that an error that nobody looks at does not wake the thread for ever.
        pollfd(
            fd: reads || writes ? socket?.descriptor ?? -1 : -1,
            events: Int16(reads ? POLLIN : 0) | Int16(writes ? POLLOUT : 0), revents: 0)
    }

    /// Forwards what there is, as far as the rule lets it.
    mutating func forward(_ isReady: (client: Bool, server: Bool), by rule: PostgresProxy.Rule) {
        // The server first: what a client says after an answer that stalls it is not forwarded.
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
        // Once it is planned what becomes of the connection, all else is forwarded.
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

    /// Closes the client's side. The server gets what was forwarded, then the end, and has a while to be done.
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
