public import Hummingbird
public import NIOCore

/// The context of a request, which knows the other end of the connection.
public struct ServiceContext: RequestContext, RemoteAddressRequestContext {
    public var coreContext: CoreRequestContextStorage
    public let remoteAddress: SocketAddress?

    /// Makes the context of a request.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}

/// Answers every request by the routes of a service.
public struct ProfileResponder<Context: RemoteAddressRequestContext>: HTTPResponder {
    private let service: ProfileService
    private let audience: Audience

    /// Makes the responder of a listener.
    public init(_ service: ProfileService, audience: Audience = .everyone) {
        self.service = service
        self.audience = audience
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        await service.respond(to: request, from: context.remoteAddress, audience: audience)
    }
}

/// Adds the routes of a service to the router of another application. The service answers the requests to its own
/// paths. All other requests go on to the application's routes.
///
/// ```swift
/// router.add(middleware: ProfileRoutes(service))
/// ```
public struct ProfileRoutes<Context: RemoteAddressRequestContext>: RouterMiddleware {
    private let service: ProfileService

    /// Makes the middleware.
    public init(_ service: ProfileService) { self.service = service }

    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let path = (request.head.path ?? "").prefix { $0 != "?" }
        guard service.owns(path) else { return try await next(request, context) }
        return await service.respond(to: request, from: context.remoteAddress)
    }
}
