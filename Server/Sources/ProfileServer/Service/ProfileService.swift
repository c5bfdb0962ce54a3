internal import HTTPBounds
internal import HTTPTypes
public import Hummingbird
internal import Logging
internal import Metrics
public import NIOCore
internal import ProfileCore
internal import ProfileLogin
public import ProfileStore
internal import Tracing

/// Serves the profiles of a store over HTTP.
///
/// It answers requests of Hummingbird: alone, through ``ProfileResponder``, or beside the routes of another application,
/// through ``ProfileRoutes``.
///
/// ```swift
/// let service = ProfileService(repository, ServiceOptions(hosts: ["127.0.0.1:8080"]))
/// let application = Application(responder: ProfileResponder<ServiceContext>(service))
/// ```
public final class ProfileService: Sendable {
    public let repository: ProfileRepository
    /// The options that the service was made with.
    public let options: ServiceOptions
    let attempts: AttemptLimiter
    let scans: ScanLimiter
    let login: LoginService
    let browsers: BrowserRules
    private let tables: [Audience: RouteTable]
    private let metrics = RequestMetrics()

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - repository: The open store. The application also calls the `run()` of the repository.
    ///   - options: How clients reach the service, and what it allows.
    ///   - names: The routes that the service has.
    public init(
        _ repository: ProfileRepository, _ options: ServiceOptions, routes names: [RouteName] = RouteName.allCases
    ) {
        self.repository = repository
        self.options = options
        let routes = names.map(\.route)
        openAPI = OpenAPIDocument(routes).json.text(indented: true)
        tables = Dictionary(
            uniqueKeysWithValues: [.everyone, .people, .programs].map { audience in
                (audience, RouteTable(routes.filter { $0.callers.areServed(to: audience) }))
            })
        browsers = BrowserRules(options)
        attempts = AttemptLimiter(limit: options.attemptsOfAddress)
        login = LoginService(repository)
        scans = ScanLimiter(limit: options.scanLimit, time: options.scanTime)
    }

    /// The service's description in OpenAPI 3.1. It is made only once, because making it takes 3 ms, and any client can
    /// request it.
    public let openAPI: String

    /// The names of the cookies of a request. Nil if the request reached the proxy without encryption: then the service
    /// uses no cookies.
    func cookies(of origin: RequestOrigin) -> CookieNames? {
        switch options.transport {
        case .plain: CookieNames(isSecure: false)
        case .encrypted: CookieNames(isSecure: true)
        case .behindProxy: origin.isEncrypted ? CookieNames(isSecure: true) : nil
        }
    }

    /// Whether the service has routes at this path.
    func owns(_ path: Substring) -> Bool {
        guard let segments = Self.segments(path) else { return false }
        return tables[.everyone]?.match(segments) != nil
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - peer: The other end of the connection; nil in tests without a socket.
    ///   - audience: The callers whom the listener serves.
    /// - Returns: The answer, which may be a problem.
    public func respond(
        to request: Request, from peer: SocketAddress?, audience: Audience = .everyone
    ) async -> Response {
        let start = ContinuousClock.now
        let origin = RequestOrigin(peer, request.headers, options.transport)
        var record = RequestRecord(method: request.method)
        var answer: Answer
        do {
            answer = try await serve(request, origin, audience, &record)
        } catch {
            let problem = Problem(error, repository.schema)
            if problem == .unexpected { record.failure = String(describing: type(of: error)) }
            record.code = problem.code
            answer = .json(problem.json, problem.status, headers: problem.headers)
            answer.headers[.contentType] = "application/problem+json"
        }
        browsers.protect(&answer.headers)
        browsers.allow(request.headers, &answer.headers)
        record.finish(answer, after: start.duration(to: .now), metrics, options.logger)
        return answer.response(to: request.method)
    }

    private func serve(
        _ request: Request, _ origin: RequestOrigin, _ audience: Audience, _ record: inout RequestRecord
    ) async throws -> Answer {
        try browsers.requireHost(request.head.authority)
        let target = request.head.path ?? "/"
        let pathEnd = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        guard let segments = Self.segments(target[..<pathEnd]),
            let query = PercentEncoding.pairs(target[pathEnd...].dropFirst())
        else { throw Problem.badPath }
        guard let match = tables[audience]?.match(segments) else { throw Problem.noSuchRoute }
        let path = match.path
        record.route = path.template
        if request.method == .options, let headers = browsers.preflight(request.headers, allowing: path.methods) {
            return Answer(status: .noContent, headers: headers)
        }
        guard let route = path.route(of: request.method) else { throw Problem.wrongMethod(path.methods) }

        let caller = try await route.callers.admit(
            request.headers, cookies: cookies(of: origin), opensRegistration: options.opensRegistration, repository)
        record.caller = caller.identity
        if case .person(_, isByCookie: true) = caller, route.method != .get {
            try browsers.requireSameOrigin(request.headers, isSecure: origin.isEncrypted)
        }
        if route.keyUse == .refused, request.headers[.idempotencyKey] != nil { throw Problem.keyedSecret }
        let call = Call(
            service: self, route: route, caller: caller, origin: origin, headers: request.headers,
            parameters: match.parameters, query: query, target: target, body: try await body(of: request, route))
        let answer = try await traced(route, origin) { try await route.serve(call) }
        if let audit = route.name.audit(call.body) { record.audit(audit, answer, options.logger) }
        return answer
    }

    private func traced(
        _ route: Route, _ origin: RequestOrigin, _ body: () async throws -> Answer
    ) async throws -> Answer {
        // Without a tracer, a span would cost more than the checks of the request.
        if InstrumentationSystem.instrument is NoOpInstrument { return try await body() }
        return try await withSpan("\(route.method.rawValue) \(route.path)", ofKind: .server) { span in
            let answer = try await body()
            span.attributes["http.response.status_code"] = Int64(answer.status.code)
            return answer
        }
    }

    /// Reads the body within its limit. A body that the route does not take is left unread.
    private func body(of request: Request, _ route: Route) async throws -> JSONValue {
        let limit: Int
        let mediaType: String
        switch route.body {
        case .none: return .null
        case .json(_, let own):
            limit = own ?? options.bodyLimit
            mediaType = "application/json"
        case .patch:
            limit = options.bodyLimit
            mediaType = "application/merge-patch+json"
        }
        if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { throw Problem.bodyTooLarge }
        let buffer = try await request.body.collect(upTo: limit)
        guard buffer.readableBytes > 0 else { throw Problem.missingBody }
        let sent = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard sent == mediaType else { throw Problem.wrongMediaType(mediaType) }
        return try buffer.withUnsafeReadableBytes { bytes in
            try JSONValue(parsing: bytes.bindMemory(to: UInt8.self).span)
        }
    }

    /// The decoded segments of a path; nil if it has a wrong escape or does not begin with a slash.
    private static func segments(_ path: Substring) -> [String]? {
        let slash = UInt8(ascii: "/")
        guard path.utf8.first == slash else { return nil }
        var segments: [String] = []
        var rest = path.dropFirst()
        // Splitting by characters would look for their boundaries, which takes longer than the rest of the routing.
        while let end = rest.utf8.firstIndex(of: slash) {
            guard let decoded = PercentEncoding.decode(rest[..<end]) else { return nil }
            segments.append(decoded)
            rest = rest[rest.utf8.index(after: end)...]
        }
        guard let last = PercentEncoding.decode(rest) else { return nil }
        segments.append(last)
        return segments
    }
}

extension Answer {
    fileprivate func response(to method: HTTPRequest.Method) -> Response {
        if method == .head {
            var headers = headers
            headers[.contentLength] = String(body.count)
            return Response(status: status, headers: headers)
        }
        guard !body.isEmpty else { return Response(status: status, headers: headers) }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
