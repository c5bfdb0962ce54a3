internal import NIOCore

/// Gives bytes to the HTTP parser when the connection may read a request, and holds or discards them otherwise.
///
/// It stands before the parser and behind TLS.
final class InputGate: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private(set) var context: ChannelHandlerContext?
    private let connection: GuardedConnection
    private var held = ByteBuffer()
    private var isInputClosedHeld = false
    private var isReadHeld = false
    private var isFeeding = false
    /// Whether the first line of the current head has arrived.
    private(set) var hasRequestLine = false

    init(_ connection: GuardedConnection) {
        self.connection = connection
        connection.input = self
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        if !connection.isAdmitted { connection.abort() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // First, the parser must report an unfinished body. Otherwise Hummingbird would take the end of the connection
        // for the end of the body.
        context.fireChannelInactive()
        connection.ended()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        if connection.state.isDiscarding {
            connection.discarded(bytes.readableBytes)
        } else if held.readableBytes == 0 {
            held = bytes
            feed()
        } else {
            held.writeBuffer(&bytes)
            feed()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        connection.paused()
        context.fireChannelReadComplete()
        if connection.state.isDiscarding { discardMore() }
        connection.schedule()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event as? ChannelEvent == .inputClosed else { return context.fireUserInboundEventTriggered(event) }
        connection.inputClosed()
        if held.readableBytes > 0 {
            isInputClosedHeld = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func read(context: ChannelHandlerContext) {
        let state = connection.state
        let mayRead = state.stage == .closed || !state.isDiscarding || state.mayDiscard
        guard held.readableBytes == 0, mayRead else {
            isReadHeld = true
            return
        }
        connection.resumed()
        context.read()
    }

    /// Reads the next request. The answer to the previous request has ended.
    func readNextRequest() {
        guard let context, held.readableBytes > 0 || isReadHeld else { return }
        let hadBytes = held.readableBytes > 0
        feed()
        if hadBytes { context.fireChannelReadComplete() }
        if isReadHeld, held.readableBytes == 0 {
            isReadHeld = false
            read(context: context)
        }
        connection.schedule()
    }

    /// Reads input to throw it away, because the application reads no more.
    func discardMore() {
        if held.readableBytes > 0 {
            let count = held.readableBytes
            held.clear()
            connection.discarded(count)
        }
        if connection.state.mayDiscard { context?.read() }
    }

    private func feed() {
        // The parser must not be called while it runs. The loop of the outer call to this method continues.
        guard !isFeeding, let context else { return }
        isFeeding = true
        defer { isFeeding = false }
        while held.readableBytes > 0, connection.state.isReading, connection.messages?.isEmpty ?? false {
            let room = connection.state.room
            if room <= 0 {
                connection.refuse(connection.headOverflow)
                break
            }
            let isHead = connection.state.stage != .body
            guard let slice = held.readSlice(length: min(room, held.readableBytes)) else { break }
            if isHead, !hasRequestLine {
                hasRequestLine = slice.readableBytesView.contains(UInt8(ascii: "\n"))
            }
            connection.received(slice.readableBytes)
            context.fireChannelRead(Self.wrapInboundOut(slice))
            if isHead, connection.state.stage != .head { hasRequestLine = Self.hasLineBehindHead(slice) }
        }
        if connection.state.isDiscarding, held.readableBytes > 0 {
            let count = held.readableBytes
            held.clear()
            connection.discarded(count)
        }
        if held.readableBytes == 0, isInputClosedHeld {
            isInputClosedHeld = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    /// Returns whether the slice contains the end of a head and then the first line of the next head. If the slice ends
    /// with LF, it is assumed to contain no part of the next head.
    private static func hasLineBehindHead(_ slice: ByteBuffer) -> Bool {
        slice.withUnsafeReadableBytes { bytes in
            let carriageReturn = UInt8(ascii: "\r")
            let lineFeed = UInt8(ascii: "\n")
            guard bytes.last != lineFeed else { return false }
            var hasHeadEnd = false
            var hasLine = false
            // The number of bytes of CR LF CR LF that have just been seen. This loop runs for most requests with a
            // body, and Swift's general search takes 60 times as long.
            var matched = 0
            for byte in bytes {
                if byte == (matched.isMultiple(of: 2) ? carriageReturn : lineFeed) {
                    matched += 1
                } else {
                    matched = byte == carriageReturn ? 1 : 0
                }
                if matched == 4 {
                    (hasHeadEnd, hasLine, matched) = (true, false, 0)
                } else if hasHeadEnd, byte == lineFeed {
                    hasLine = true
                }
            }
            return hasLine
        }
    }
}
