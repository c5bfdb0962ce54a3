public import HTTPTypes
public import NIOCore
internal import NIOHTTP1
public import NIOHTTPTypes

/// Keeps a connection within its bounds. Each connection needs a guard of its own.
///
/// Add it to the pipeline behind the HTTP codec. For Hummingbird, pass it in `additionalChannelHandlers`. The guard
/// adds three more handlers: one next to the socket, one before the HTTP parser, and one after the parser.
public final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    public typealias InboundIn = HTTPRequestPart
    public typealias InboundOut = HTTPRequestPart
    public typealias OutboundIn = HTTPResponsePart
    public typealias OutboundOut = HTTPResponsePart

    /// Makes the answer to a request that the guard refuses. The guard adds `Connection` and `Content-Length`.
    public typealias Answer = @Sendable (Refusal) -> (HTTPResponse, ByteBuffer)

    private let bounds: ConnectionBounds
    private let counter: ConnectionCounter
    private let refusal: Answer
    private var connection: GuardedConnection?

    /// Creates the guard of one connection.
    ///
    /// - Parameters:
    ///   - bounds: The limits of the connection.
    ///   - counter: The counter that all connections of the server share.
    ///   - refusal: Makes the answer to a refused request.
    public init(_ bounds: ConnectionBounds, counter: ConnectionCounter, refusal: @escaping Answer) {
        self.bounds = bounds
        self.counter = counter
        self.refusal = refusal
    }

    public func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let parser = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else {
            // Without the parser the bounds cannot hold, so no request may be served.
            context.fireErrorCaught(GuardMisplaced())
            context.close(promise: nil)
            return
        }
        let address = context.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
        let counted = counter.opened(from: address, bounds)
        if let counted {
            context.channel.closeFuture.whenComplete { [counter] _ in counter.closed(counted) }
        }
        let connection = GuardedConnection(
            bounds, context: context, isAdmitted: counted != nil, refusal: refusal)
        do {
            try pipeline.addHandler(SocketMeter(connection), position: .first)
            try pipeline.addHandler(InputGate(connection), position: .before(parser))
            try pipeline.addHandler(MessageGate(connection), position: .after(parser))
        } catch {
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
        self.connection = connection
    }

    public func handlerRemoved(context: ChannelHandlerContext) {
        connection?.ended()
        connection = nil
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}

/// The guard was added to a pipeline that has no parser of HTTP requests before it.
public struct GuardMisplaced: Error {}
