internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Performs what the state of a connection decides. All handlers of the connection share one instance.
final class GuardedConnection {
    private(set) var state: ConnectionState
    let bounds: ConnectionBounds
    /// Whether the counter allows the connection. Otherwise the connection closes when it becomes active.
    let isAdmitted: Bool
    private let refusal: ConnectionGuard.Answer
    /// The guard's context, through which refusals are written. Nil after the connection has ended.
    private var guardContext: ChannelHandlerContext?
    private let eventLoop: any EventLoop

    var meter: SocketMeter?
    var input: InputGate?
    var messages: MessageGate?

    private var timer: Scheduled<Void>?
    private var timerTime: NIODeadline?

    init(
        _ bounds: ConnectionBounds, context: ChannelHandlerContext, isAdmitted: Bool,
        refusal: @escaping ConnectionGuard.Answer
    ) {
        self.bounds = bounds
        self.isAdmitted = isAdmitted
        self.refusal = refusal
        guardContext = context
        eventLoop = context.eventLoop
        state = ConnectionState(bounds, now: .now())
        schedule()
    }

    /// The pipeline is gone.
    func ended() {
        state.closed()
        timer?.cancel()
        timer = nil
        guardContext = nil
        meter = nil
        input = nil
        messages = nil
    }

    // MARK: - Input

    func received(_ count: Int) { state.received(count, now: .now()) }
    func discarded(_ count: Int) { if state.discarded(count) { abort() } }
    func paused() { state.paused(now: .now()) }
    func headEnded(_ head: RequestHead) { state.headEnded(head, now: .now()) }
    func bodyContinued(_ count: Int) { state.bodyContinued(count) }
    func requestEnded() { state.requestEnded() }
    func quiesce() { state.quiesce() }

    func resumed() {
        state.resumed(now: .now())
        schedule()
    }

    func inputClosed() {
        state.inputClosed()
        if state.stage == .lingering { close() }
    }

    /// The reason to refuse a head that is too long.
    var headOverflow: Refusal { input?.hasRequestLine ?? true ? .headTooLarge : .targetTooLong }

    /// The parser has failed.
    func unreadable(_ refusal: Refusal) {
        switch state.stage {
        case .idle, .head:
            if messages?.context?.channel.isActive ?? false { refuse(refusal) }
        case .body: cutBody()
        case .answering, .finishing, .lingering, .closed: break
        }
    }

    /// Writes the guard's own answer to the current request.
    func refuse(_ reason: Refusal, isHEAD: Bool = false) {
        state.refuse()
        guard let guardContext else { return }
        var (response, body) = refusal(reason)
        response.headerFields[.contentLength] = String(body.readableBytes)
        guardContext.write(ConnectionGuard.wrapOutboundOut(.head(response)), promise: nil)
        if !isHEAD, body.readableBytes > 0 {
            guardContext.write(ConnectionGuard.wrapOutboundOut(.body(body)), promise: nil)
        }
        guardContext.write(ConnectionGuard.wrapOutboundOut(.end(nil)), promise: nil)
        guardContext.flush()
    }

    // MARK: - Answers

    func answerBegan(closes: Bool) -> Bool { state.answerBegan(closes: closes) }

    func answerEnded() -> ConnectionState.AnswerEnd {
        // A responder that still reads the body must not mistake the missing rest for the end of the body.
        cutBody()
        return state.answerEnded(now: .now())
    }

    /// Bytes were given to the socket.
    func flushed() {
        guard let meter else { return }
        let waiting = meter.waiting
        state.flushed(waiting: waiting, taken: meter.written - waiting, now: .now())
        schedule()
    }

    /// The client has taken the last answer, or the socket has failed.
    func answerTaken(_ result: Result<Void, any Error>) {
        guard state.stage == .finishing, let context = messages?.context else { return }
        guard case .success = result else { return abort() }
        if state.isInputClosed { return close() }
        let closed = context.eventLoop.makePromise(of: Void.self)
        closed.futureResult.assumeIsolated().whenComplete { [self] result in
            guard state.stage == .finishing else { return }
            guard case .success = result else { return abort() }
            state.outputClosed(now: .now())
            if state.isInputClosed { return close() }
            if !state.mayDiscard { return abort() }
            input?.discardMore()
            schedule()
        }
        context.close(mode: .output, promise: closed)
    }

    // MARK: - Times

    /// Schedules the next check, unless an earlier one is scheduled already.
    ///
    /// If the deadline becomes later, the timer is not changed, because most deadlines are replaced before they pass.
    func schedule() {
        guard let next = state.nextCheck else { return }
        if let timerTime, timer != nil, timerTime <= next { return }
        timer?.cancel()
        timerTime = next
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: next) { [weak self] in self?.check() }
    }

    private func check() {
        timer = nil
        guard let meter else { return }
        let waiting = meter.waiting
        let expiry = state.expired(now: .now(), waiting: waiting, taken: meter.written - waiting)
        switch expiry {
        case .nothing: break
        case .refuse(let reason): refuse(reason)
        case .failBody: cutBody(BodyTimedOut())
        case .close: finish()
        case .abort: abort()
        }
        schedule()
    }

    // MARK: - Closing

    /// Reports an error to the reader of an unfinished body. Otherwise Hummingbird would treat a closed input as the
    /// end of the body.
    private func cutBody(_ error: any Error = UnreadableBody()) {
        guard state.stage == .body, !state.isInputDropped else { return }
        state.failBody()
        messages?.context?.fireErrorCaught(error)
    }

    /// Closes a connection that has no complete request. First, the client receives all bytes that wait to be sent.
    func finish() {
        // The TLS handshake may be incomplete, and an orderly close would wait for its end.
        guard state.hasInput else { return abort() }
        state.finish()
        // Bytes of the previous answer may still wait to be sent. The empty write completes after them.
        messages?.writeLast(.body(.byteBuffer(ByteBuffer())))
        messages?.context?.flush()
    }

    /// Closes the connection. If it uses TLS, the TLS handler sends `close_notify` first.
    private func close() {
        cutBody()
        state.closed()
        messages?.context?.close(mode: .all, promise: nil)
    }

    /// Closes the socket at once, even if bytes wait to be sent.
    func abort() {
        cutBody()
        state.closed()
        meter?.context?.close(mode: .all, promise: nil)
    }
}
