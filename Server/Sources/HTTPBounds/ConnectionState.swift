internal import NIOCore

/// The state of a connection: what may be read, what closes it, and when.
///
/// It covers one request at a time. The handlers hold back the next request until the answer to the current request has
/// ended. So answers keep their order, and no request is performed after an answer that closes the connection.
struct ConnectionState {
    enum Stage: Equatable {
        /// No request has begun.
        case idle
        /// A part of a head has arrived.
        case head
        /// The head is passed on. A part of the body is missing.
        case body
        /// The whole request is passed on or refused. The end of the answer has not been written.
        case answering
        /// The last answer is written. The client has not received all of it.
        case finishing
        /// The output is closed. The input is read until the client closes it.
        case lingering
        case closed
    }

    /// The action after a deadline has passed.
    enum Expiry: Equatable {
        case nothing
        case refuse(Refusal)
        /// The reader of the body gets ``BodyTimedOut``. The responder answers.
        case failBody
        /// The connection closes without an answer.
        case close
        /// The connection closes although bytes wait for the client.
        case abort
    }

    /// What follows the end of an answer.
    enum AnswerEnd: Equatable {
        case nextRequest
        case lastAnswer
    }

    private(set) var stage = Stage.idle
    /// Whether the connection closes after the current answer.
    private(set) var isLast = false
    /// Whether the rest of the current request is discarded.
    private(set) var isInputDropped = false
    /// Whether the client has closed its side.
    private(set) var isInputClosed = false
    /// Whether bytes of a request have arrived. Until then, the TLS handshake may still be in progress.
    private(set) var hasInput = false
    /// The number of bytes of the current head that have arrived.
    private(set) var headLength = 0
    /// The number of bytes of the body that are missing, if the head has told its length.
    private var bodyRest: Int?

    private let bounds: ConnectionBounds
    private var discarded = 0
    /// The time at which the stage ends.
    private var deadline: NIODeadline?
    /// The remaining time of the stage. It is set only while reading is paused.
    private var pausedTime: TimeAmount?
    private var stall: Stall?

    /// The client takes no bytes although some wait for it.
    private struct Stall {
        var taken: Int
        var since: NIODeadline
        var checked: NIODeadline
    }

    init(_ bounds: ConnectionBounds, now: NIODeadline) {
        self.bounds = bounds
        deadline = now + TimeAmount(bounds.headTime)
    }

    // MARK: - Requests

    /// Whether bytes may be given to the parser now.
    var isReading: Bool {
        switch stage {
        case .idle, .head: true
        case .body: !isInputDropped
        case .answering, .finishing, .lingering, .closed: false
        }
    }

    /// Whether arriving bytes are counted and thrown away, because no later request will be read.
    var isDiscarding: Bool {
        switch stage {
        case .idle, .head: false
        case .body: isInputDropped
        case .answering: isLast
        case .finishing, .lingering, .closed: true
        }
    }

    /// Whether the server can discard more input: the connection is open, the client has not closed its side, and the
    /// discarded input has not reached `lingerLength`.
    var mayDiscard: Bool { discarded < bounds.lingerLength && !isInputClosed && stage != .closed }

    /// The number of bytes that the parser may be given at once. It is 0 or less if the head is too long.
    ///
    /// The parser reads all bytes that it gets. Further requests in these bytes wait as parsed messages, which take up
    /// to a hundred times the memory of their bytes. So the number is small. For a body of known length, it is the
    /// number of missing bytes.
    var room: Int {
        switch stage {
        case .idle: min(Self.sliceLength, bounds.headLength)
        case .head: min(Self.sliceLength, bounds.headLength - headLength)
        case .body: bodyRest.map { max(1, $0) } ?? 4 * Self.sliceLength
        case .answering, .finishing, .lingering, .closed: 0
        }
    }

    private static let sliceLength = 1024

    /// Bytes are about to be given to the parser.
    mutating func received(_ count: Int, now: NIODeadline) {
        hasInput = true
        switch stage {
        case .idle:
            stage = .head
            headLength = count
            start(bounds.headTime, now)
        case .head: headLength += count
        case .body, .answering, .finishing, .lingering, .closed: break
        }
    }

    /// Bytes were thrown away. Returns whether the connection closes now, because they are too many.
    mutating func discarded(_ count: Int) -> Bool {
        discarded += count
        return stage == .lingering && discarded >= bounds.lingerLength
    }

    /// The parser has read a head. A refused request gets its answer from the guard.
    mutating func headEnded(_ head: RequestHead, now: NIODeadline) {
        stage = .body
        start(bounds.bodyTime, now)
        isLast = isLast || head.isLast
        bodyRest = head.length
        if head.refusal != nil { refuse() }
    }

    /// The parser has read a part of the body.
    mutating func bodyContinued(_ count: Int) {
        bodyRest? -= count
    }

    /// The parser has read the whole request.
    mutating func requestEnded() {
        guard stage == .body, !isInputDropped else { return }
        stage = .answering
        stop()
    }

    /// The guard answers. The rest of the input is discarded.
    mutating func refuse() {
        stage = .answering
        isLast = true
        isInputDropped = true
        stop()
    }

    /// The reader of the body gets an error. The responder answers.
    mutating func failBody() {
        isLast = true
        isInputDropped = true
        stop()
    }

    /// The server shuts down: the current answer is the last one.
    mutating func quiesce() {
        isLast = true
    }

    mutating func inputClosed() {
        isInputClosed = true
    }

    // MARK: - Answers

    /// The head of the final answer is about to be written. Returns whether it says `Connection: close`.
    mutating func answerBegan(closes: Bool) -> Bool {
        // The rest of the request would be read only to be thrown away, so the connection closes instead.
        if closes || stage == .body { isLast = true }
        return isLast
    }

    /// The end of the answer is about to be written.
    mutating func answerEnded(now: NIODeadline) -> AnswerEnd {
        switch stage {
        case .answering where !isLast:
            stage = .idle
            headLength = 0
            start(bounds.idleTime, now)
            return .nextRequest
        case .idle, .head, .body, .answering: finish()
        case .finishing, .lingering, .closed: break
        }
        return .lastAnswer
    }

    /// No more answers follow.
    mutating func finish() {
        stage = .finishing
        isLast = true
        isInputDropped = true
        stop()
    }

    /// Nothing waits for the client any more, and the output is closed.
    mutating func outputClosed(now: NIODeadline) {
        guard stage != .closed else { return }
        stage = .lingering
        start(bounds.lingerTime, now)
    }

    mutating func closed() {
        stage = .closed
        stall = nil
        stop()
    }

    // MARK: - Times

    /// The next time at which `expired` must be called.
    var nextCheck: NIODeadline? {
        let check = stall.map { $0.checked + stallCheckInterval }
        guard let deadline else { return check }
        return check.map { min($0, deadline) } ?? deadline
    }

    /// Bytes were given to the socket. `waiting` bytes still wait, and `taken` is the number of all bytes taken so far.
    mutating func flushed(waiting: Int, taken: Int, now: NIODeadline) {
        guard waiting > 0, stage != .closed else {
            stall = nil
            return
        }
        if stall == nil || stall?.taken != taken {
            stall = Stall(taken: taken, since: now, checked: now)
        }
    }

    /// The server reads nothing from the client until `resumed`, because the application does not take the bytes that
    /// have arrived.
    ///
    /// The deadline for the head or body is suspended until then.
    mutating func paused(now: NIODeadline) {
        guard stage == .head || stage == .body, let deadline else { return }
        pausedTime = deadline - now
        self.deadline = nil
    }

    mutating func resumed(now: NIODeadline) {
        guard let pausedTime else { return }
        self.pausedTime = nil
        deadline = now + pausedTime
    }

    /// Returns the action that is due. Returns `nothing` if the method is called before ``nextCheck``.
    mutating func expired(now: NIODeadline, waiting: Int, taken: Int) -> Expiry {
        if let due = stall, due.checked + stallCheckInterval <= now {
            flushed(waiting: waiting, taken: taken, now: now)
            stall?.checked = now
            if let stall, stall.since + TimeAmount(bounds.writeTime) <= now { return .abort }
        }
        guard let deadline, deadline <= now else { return .nothing }
        if stage == .idle, waiting > 0 {
            // The client has not received the whole answer yet, so the idle time starts again. `writeTime` limits this.
            start(bounds.idleTime, now)
            return .nothing
        }
        stop()
        switch stage {
        case .idle: return .close
        case .head: return .refuse(.timedOut)
        case .body: return .failBody
        case .lingering: return .abort
        case .answering, .finishing, .closed: return .nothing
        }
    }

    private var stallCheckInterval: TimeAmount {
        .nanoseconds(max(1, TimeAmount(bounds.writeTime).nanoseconds / 4))
    }

    private mutating func start(_ time: Duration, _ now: NIODeadline) {
        pausedTime = nil
        deadline = now + TimeAmount(time)
    }

    private mutating func stop() {
        pausedTime = nil
        deadline = nil
    }
}
