import HTTPBounds
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Synchronization

/// A Hummingbird application whose connections are guarded, on an ephemeral port of the loopback interface.
struct TestServer: Sendable {
    let port: Int
    let counter: ConnectionCounter
    /// The route `/wait` answers when this is released.
    let gate: TestGate
    /// The errors that reading a body has thrown.
    let bodyErrors: TestLog
    /// The paths of the requests that the application has seen.
    let requests: TestLog
    let shutDown: @Sendable () async -> Void

    /// Runs the application during `body`, and shuts it down gracefully afterwards.
    static func run<Result: Sendable>(
        _ bounds: ConnectionBounds, tls: TLSConfiguration? = nil,
        _ body: @escaping @Sendable (TestServer) async throws -> Result
    ) async throws -> Result {
        let counter = ConnectionCounter()
        let gate = TestGate()
        let (bodyErrors, requests) = (TestLog(), TestLog())
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ConnectionGuard(bounds, counter: counter) { refusal in
                    let text = "{\"status\":\(refusal.status)}"
                    return (
                        HTTPResponse(
                            status: .init(code: refusal.status),
                            headerFields: [.contentType: "application/problem+json"]), ByteBuffer(string: text)
                    )
                }
            ],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: bounds.headLength, maxHeaderListSize: bounds.headLength, maxHeaderFieldCount: 100))
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let application = Application(
            router: router(gate: gate, bodyErrors: bodyErrors, requests: requests),
            server: try tls.map { try .tls(.http1(configuration: configuration), tlsConfiguration: $0) }
                ?? .http1(configuration: configuration),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) },
            logger: logger)
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            guard let number = await ports.first(where: { _ in true }) else { throw TestFailure() }
            let server = TestServer(
                port: number, counter: counter, gate: gate, bodyErrors: bodyErrors, requests: requests,
                shutDown: { await group.triggerGracefulShutdown() })
            do {
                let result = try await body(server)
                gate.open()
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return result
            } catch {
                gate.open()
                await group.triggerGracefulShutdown()
                throw error
            }
        }
    }

    private static func router(gate: TestGate, bodyErrors: TestLog, requests: TestLog) -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: RequestLog(log: requests))
        router.get("constant") { _, _ in "constant" }
        router.get("close") { _, _ in
            Response(status: .ok, headers: [.connection: "close"], body: .init(byteBuffer: ByteBuffer(string: "bye")))
        }
        router.get("chunks") { _, _ in
            Response(
                status: .ok,
                body: .init { writer in
                    try await writer.write(ByteBuffer(string: "one"))
                    try await writer.write(ByteBuffer(string: "two"))
                    try await writer.finish(nil)
                })
        }
        router.get("wait") { _, _ in
            await gate.wait()
            return "waited"
        }
        router.get("large") { _, _ in
            Response(status: .ok, body: .init(byteBuffer: ByteBuffer(repeating: 0x61, count: 32 * 1024 * 1024)))
        }
        router.post("early") { _, _ in
            Response(status: .contentTooLarge, body: .init(byteBuffer: ByteBuffer(string: "early")))
        }
        router.post("echo") { request, _ in
            do {
                return Response(status: .ok, body: .init(byteBuffer: try await request.body.collect(upTo: 1 << 20)))
            } catch is BodyTimedOut {
                bodyErrors.append("BodyTimedOut")
                return Response(status: .requestTimeout)
            } catch is UnreadableBody {
                bodyErrors.append("UnreadableBody")
                return Response(status: .badRequest)
            }
        }
        return router
    }
}

struct TestFailure: Error {}

/// Sleeps for a moment before the caller checks a condition again.
func poll() async throws {
    try await Task.sleep(for: .milliseconds(2))
}

struct RequestLog: RouterMiddleware {
    typealias Context = BasicRequestContext
    let log: TestLog

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        log.append(request.uri.path)
        return try await next(request, context)
    }
}

final class TestLog: Sendable {
    private let entries = Mutex<[String]>([])
    func append(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
}

/// A gate at which tasks wait until it is opened.
final class TestGate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(waiter) }
                return state.isOpen
            }
            if isOpen { waiter.resume() }
        }
    }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
