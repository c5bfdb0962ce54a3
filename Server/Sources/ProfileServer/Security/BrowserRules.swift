internal import HTTPTypes

/// The security and CORS headers of answers, and the checks of a request's `Host` and origin.
struct BrowserRules: Sendable {
    let hosts: Set<String>
    let allowedOrigins: Set<String>
    /// The fields that every answer has.
    private let protection: HTTPFields

    init(_ options: ServiceOptions) {
        hosts = Set(options.hosts.map { $0.lowercased() })
        allowedOrigins = Set(options.allowedOrigins.map { $0.lowercased() })
        var protection: HTTPFields = [
            .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'", .referrerPolicy: "same-origin",
        ]
        if case .encrypted = options.transport { protection[.strictTransportSecurity] = "max-age=31536000" }
        self.protection = protection
    }

    /// Checks that the `Host` of the request is one of the names of this service.
    func requireHost(_ authority: String?) throws(Problem) {
        guard let authority, !authority.isEmpty else { throw .noHost }
        guard hosts.contains(authority) || hosts.contains(authority.lowercased()) else { throw .otherHost }
    }

    /// Checks that an unsafe request with a cookie was sent by a page of this service.
    func requireSameOrigin(_ headers: HTTPFields, isSecure: Bool) throws(Problem) {
        if let site = headers[.secFetchSite] {
            guard site == "same-origin" else { throw .otherSite }
            return
        }
        let scheme = isSecure ? "https" : "http"
        guard let origin = headers[.origin]?.lowercased(), origin.hasPrefix(scheme + "://"),
            hosts.contains(String(origin.dropFirst(scheme.utf8.count + 3)))
        else { throw .otherSite }
    }

    /// Adds the security headers, which every answer has.
    func protect(_ response: inout HTTPFields) { response.append(contentsOf: protection) }

    /// Adds the CORS headers that allow a page of an allowed origin to read the answer.
    /// `Access-Control-Allow-Credentials` is never sent, so such a page can use a token, but no cookie.
    func allow(_ request: HTTPFields, _ response: inout HTTPFields) {
        guard !allowedOrigins.isEmpty else { return }
        response[values: .vary].append("Origin")
        guard let origin = request[.origin], allowedOrigins.contains(origin.lowercased()) else { return }
        response[.accessControlAllowOrigin] = origin
        response[.accessControlExposeHeaders] = "ETag, Link, Location, Retry-After, WWW-Authenticate"
    }

    /// Returns the headers of the answer to a preflight request. Returns nil for another request, or if the origin is
    /// not allowed.
    func preflight(_ request: HTTPFields, allowing methods: [HTTPRequest.Method]) -> HTTPFields? {
        guard let origin = request[.origin], allowedOrigins.contains(origin.lowercased()),
            request[.accessControlRequestMethod] != nil
        else { return nil }
        return [
            .accessControlAllowMethods: methods.map(\.rawValue).joined(separator: ", "),
            .accessControlAllowHeaders: "Authorization, Content-Type, Idempotency-Key, If-Match",
            .accessControlMaxAge: "600",
        ]
    }
}
