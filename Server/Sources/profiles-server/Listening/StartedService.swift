internal import HTTPBounds
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ProfileServer
internal import Synchronization

/// The service, once all its listeners have their ports.
///
/// The service must know the ports, because they are part of the names that it answers to. The system may choose them,
/// so the service is made after the sockets are bound, and before the first connection is accepted.
final class StartedService: Sendable {
    private let service = AtomicLazyReference<ProfileService>()
    private let ports: Mutex<[Int?]>
    /// Each listener waits for the end of its own stream. The streams end together.
    private let waits: [(stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)]
    private let start: @Sendable (_ ports: [Int]) -> ProfileService

    /// Prepares the start of a service.
    ///
    /// - Parameters:
    ///   - listeners: The number of listeners.
    ///   - start: Makes the service when all listeners have their ports.
    init(listeners: Int, start: @escaping @Sendable (_ ports: [Int]) -> ProfileService) {
        ports = Mutex(Array(repeating: nil, count: listeners))
        waits = (0..<listeners).map { _ in AsyncStream.makeStream() }
        self.start = start
    }

    /// Notes the port of a listener, and waits until the service is there or the task is cancelled.
    func listens(_ listener: Int, on port: Int) async {
        let all = ports.withLock { ports in
            ports[listener] = port
            return ports.compactMap(\.self)
        }
        if all.count == waits.count {
            _ = service.storeIfNil(start(all))
            for wait in waits { wait.continuation.finish() }
        }
        for await _ in waits[listener].stream {}
    }

    /// Answers a request.
    func respond(to request: Request, from peer: SocketAddress?, audience: Audience) async -> Response {
        guard let service = service.load() else { return Response(status: .serviceUnavailable) }
        return await service.respond(to: request, from: peer, audience: audience)
    }

    /// Makes the answer to a request that the guard of its connection refuses.
    @Sendable func answer(to refusal: Refusal) -> (HTTPResponse, ByteBuffer) {
        service.load()?.answer(to: refusal) ?? (HTTPResponse(status: .serviceUnavailable), ByteBuffer())
    }
}

/// Answers the requests of a listener by the service.
struct StartedResponder: HTTPResponder {
    let service: StartedService
    let audience: Audience

    func respond(to request: Request, context: ServiceContext) async throws -> Response {
        await service.respond(to: request, from: context.remoteAddress, audience: audience)
    }
}
