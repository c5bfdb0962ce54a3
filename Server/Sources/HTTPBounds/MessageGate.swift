internal import NIOCore
internal import NIOHTTP1

/// Passes requests on one at a time, watches their answers, and closes the connection after the last one.
///
/// It stands behind the HTTP parser and before the codec, because the codec drops what ``RequestHead`` checks: the
/// version and all but one `Host` field.
final class MessageGate: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What the parser has read before the answer to the previous request ended.
    private enum Waiting {
        /// A part, unwrapped and as it arrived. The second value is passed on, because wrapping the part again would
        /// allocate memory.
        case part(HTTPServerRequestPart, NIOAny)
        case failure(Refusal)
        case inputClosed

        var isInputClosed: Bool {
            if case .inputClosed = self { true } else { false }
        }
    }

    private(set) var context: ChannelHandlerContext?
    private let connection: GuardedConnection
    private var waiting = CircularBuffer<Waiting>()
    private var isHTTP10 = false
    /// The step that follows the end of an answer. It is kept until this end is flushed.
    private var answerEnd: ConnectionState.AnswerEnd?

    /// Whether no message or event waits for the end of the previous answer.
    var isEmpty: Bool { waiting.isEmpty }

    init(_ connection: GuardedConnection) {
        self.connection = connection
        connection.messages = self
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        take(.part(Self.unwrapInboundIn(data), data), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow: take(.failure(connection.headOverflow), context)
        case is HTTPParserError, is ByteToMessageDecoderError: take(.failure(.unreadable), context)
        default: context.fireErrorCaught(error)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            take(.inputClosed, context)
        } else {
            if event is ChannelShouldQuiesceEvent { connection.quiesce() }
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func take(_ next: Waiting, _ context: ChannelHandlerContext) {
        let state = connection.state
        if state.isInputDropped {
            // The application has nothing more to read, but it may wait for the end of the input.
            if case .inputClosed = next { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        } else if !waiting.isEmpty || state.stage == .answering && !next.isInputClosed {
            // No request is performed behind an answer that closes the connection.
            if !state.isLast { waiting.append(next) }
        } else {
            pass(next, context)
        }
    }

    private func pass(_ next: Waiting, _ context: ChannelHandlerContext) {
        switch next {
        case .part(.head(let head), let data): begin(head, data, context)
        case .part(let part, let data):
            switch part {
            case .head: break
            case .body(let bytes): connection.bodyContinued(bytes.readableBytes)
            case .end: connection.requestEnded()
            }
            context.fireChannelRead(data)
        case .failure(let refusal): connection.unreadable(refusal)
        case .inputClosed: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ data: NIOAny, _ context: ChannelHandlerContext) {
        let judged = RequestHead(head, connection.bounds)
        isHTTP10 = head.version.minor == 0
        connection.headEnded(judged)
        if let refusal = judged.refusal {
            connection.refuse(refusal, isHEAD: head.method == .HEAD)
            return
        }
        if judged.expectsContinue {
            let go = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(Self.wrapOutboundOut(.head(go)), promise: nil)
        }
        context.fireChannelRead(data)
    }

    // MARK: - Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch Self.unwrapOutboundIn(data) {
        case .head(let head) where (100..<200).contains(head.status.code):
            context.write(data, promise: promise)
        case .head(var head):
            let closes =
                head.headers.contains(name: "connection")
                && head.headers[canonicalForm: "connection"].contains { $0.lowercased() == "close" }
            let isLast = connection.answerBegan(closes: closes)
            guard isLast && !closes || isHTTP10 else {
                context.write(data, promise: promise)
                return
            }
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            // The encoder sends no chunks to a client of HTTP/1.0, which cannot read them.
            if isHTTP10 { head.version = .http1_0 }
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end(let trailers):
            let end = connection.answerEnded()
            answerEnd = end
            guard end == .lastAnswer else {
                context.write(data, promise: promise)
                return
            }
            writeLast(.end(trailers), promise)
        }
    }

    /// Writes the last part of the last answer. The connection closes once the client has taken it.
    func writeLast(_ part: HTTPServerResponsePart, _ promise: EventLoopPromise<Void>? = nil) {
        guard let context else { return }
        let taken = context.eventLoop.makePromise(of: Void.self)
        taken.futureResult.cascade(to: promise)
        taken.futureResult.assumeIsolated().whenComplete { [connection] in connection.answerTaken($0) }
        context.write(Self.wrapOutboundOut(part), promise: taken)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard let end = answerEnd else { return }
        answerEnd = nil
        switch end {
        case .nextRequest:
            passWaiting(context)
            connection.input?.readNextRequest()
        case .lastAnswer:
            waiting.removeAll()
            // The application waits for the rest of the body or for the next request. Neither will come.
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            connection.input?.discardMore()
        }
    }

    private func passWaiting(_ context: ChannelHandlerContext) {
        var hasPassed = false
        while let next = waiting.first, connection.state.isReading {
            waiting.removeFirst()
            pass(next, context)
            hasPassed = true
        }
        if hasPassed { context.fireChannelReadComplete() }
    }

    // MARK: - Closing

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch (mode, connection.state.stage) {
        case (.input, _):
            context.close(mode: mode, promise: promise)
        case (_, .finishing), (_, .lingering):
            // The connection closes by itself when the client has the answer.
            if let promise { context.channel.closeFuture.cascade(to: promise) }
        case (_, .idle), (_, .head):
            if let promise { context.channel.closeFuture.cascade(to: promise) }
            connection.finish()
        default:
            // The application gives up an answer that has not ended.
            context.close(mode: .all, promise: promise)
        }
    }
}
