internal import NIOCore

/// Counts the bytes that are given to the socket. It stands beside the socket, so it counts those of TLS as well.
final class SocketMeter: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private(set) var context: ChannelHandlerContext?
    private(set) var written = 0
    private let connection: GuardedConnection

    init(_ connection: GuardedConnection) {
        self.connection = connection
        connection.meter = self
    }

    /// The number of bytes that the socket has not taken.
    var waiting: Int {
        (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += Self.unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        connection.flushed()
    }
}
