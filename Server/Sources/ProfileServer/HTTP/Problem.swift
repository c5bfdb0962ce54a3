internal import HTTPTypes
internal import ProfileCore

/// The answer to a request that cannot be served, as RFC 9457 describes it: `application/problem+json` with our code.
struct Problem: Error, Hashable, Sendable {
    let status: HTTPResponse.Status
    /// A word that programs compare, such as `stale_revision`. It is also the end of the problem's type.
    let code: String
    /// What happened and what to do, for people. It contains no value, path or SQL.
    let detail: String
    /// Further facts, such as `issues`.
    var members: [JSONMember] = []
    var headers: HTTPFields = [:]

    init(
        _ status: HTTPResponse.Status, _ code: String, _ detail: String, members: [JSONMember] = [],
        headers: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.members = members
        self.headers = headers
    }

    var json: JSONValue {
        .object(
            [
                JSONMember("type", .string("urn:profiles:problem:\(code)")),
                JSONMember("title", .string(status.reasonPhrase)), JSONMember("status", .number(String(status.code))),
                JSONMember("code", .string(code)), JSONMember("detail", .string(detail)),
            ] + members)
    }
}

extension HTTPResponse.Status {
    /// 507 of RFC 4918, which HTTPTypes does not name.
    static let noSpace = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

// MARK: Problems that the service itself finds

extension Problem {
    static let noSuchRoute = Problem(.notFound, "no_such_route", "There is nothing at this path.")
    static let noSuchProfile = Problem(.notFound, "not_found", "There is no such profile.")
    static let noSuchItem = Problem(.notFound, "not_found", "There is no such item.")
    static let invalidToken = Problem(
        .unauthorized, "invalid_token",
        "The token is not valid, has expired or was revoked. Log in, or ask for another.",
        headers: [.wwwAuthenticate: #"Bearer realm="profiles", error="invalid_token""#])
    static let noToken = Problem(
        .unauthorized, "no_token", "Send a token: \"Authorization: Bearer …\".",
        headers: [.wwwAuthenticate: #"Bearer realm="profiles""#])
    static let notPermitted = Problem(.forbidden, "not_permitted", "The token does not permit this.")
    static let otherSite = Problem(
        .forbidden, "other_site", "A request with a cookie must come from a page of this service.")
    static let noCookies = Problem(
        .forbidden, "not_encrypted", "Cookies need an encrypted connection, which the proxy says in X-Forwarded-Proto.")
    static let otherHost = Problem(
        .misdirectedRequest, "other_host",
        "The service is not reached under this name. The option --host-name adds one.")
    static let noHost = Problem(.badRequest, "no_host", "The request has no Host.")
    static let badPath = Problem(.badRequest, "bad_path", "The path or the query has a wrong percent-encoding.")
    static let bodyTooLarge = Problem(.contentTooLarge, "body_too_large", "The body is too large.")
    static let bodyTimedOut = Problem(.requestTimeout, "timed_out", "The body took too long.")
    static let unreadableBody = Problem(.badRequest, "unreadable", "The body of the request is damaged.")
    static let missingBody = Problem(.badRequest, "no_body", "The request needs a body in JSON.")
    static let noPrecondition = Problem(
        .preconditionRequired, "no_precondition",
        "Send \"If-Match\" with the ETag that you have read, or with * to change whatever is there.")
    static let stale = Problem(
        .preconditionFailed, "stale_revision", "The profile has changed meanwhile. Read it again.")
    static let badPrecondition = Problem(.badRequest, "bad_precondition", "\"If-Match\" needs an ETag in quotes, or *.")
    static let badKey = Problem(
        .badRequest, "bad_key", "\"Idempotency-Key\" needs 1 to 255 printable ASCII characters without spaces.")
    static let keyedSecret = Problem(
        .unprocessableContent, "keyed_secret",
        "A request that sets a secret cannot be compared with its repeat. Send it without \"Idempotency-Key\".")
    static let tooManySearches = Problem(
        .serviceUnavailable, "busy", "Too many searches without an index are running. Try again.",
        headers: [.retryAfter: "1"])
    static let searchTimedOut = Problem(
        .serviceUnavailable, "too_slow", "The search took too long. Narrow it, or search a field with an index.",
        headers: [.retryAfter: "10"])
    static let unexpected = Problem(
        .internalServerError, "unexpected", "The service has failed. Its log tells more.")

    static func tooManyAttempts(seconds: Int64) -> Problem {
        Problem(
            .tooManyRequests, "throttled", "There were too many attempts. Wait \(seconds) s.",
            headers: [.retryAfter: String(seconds)])
    }

    static func wrongMethod(_ methods: [HTTPRequest.Method]) -> Problem {
        let allowed = methods.map(\.rawValue).joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "wrong_method", "This path allows \(allowed).", headers: [.allow: allowed])
    }

    static func wrongMediaType(_ wanted: String) -> Problem {
        Problem(.unsupportedMediaType, "wrong_media_type", "The Content-Type must be \(wanted).")
    }
}
