internal import HTTPTypes

/// One route: whom it serves, what it takes, what it answers, and the function that serves it. The OpenAPI document and
/// the tests of the permissions are made from the same routes.
///
/// It is a class because every request would copy a structure of so many values several times.
final class Route: Sendable {
    let name: RouteName
    let method: HTTPRequest.Method
    let path: PathTemplate
    let callers: Callers
    /// One sentence for the documentation.
    let summary: String
    let query: [QueryParameter]
    let body: Body
    let answers: [Success]
    /// The statuses of problems that this route has beside those that its other properties imply.
    let problems: [HTTPResponse.Status]
    /// What an `Idempotency-Key` means here.
    let keyUse: KeyUse
    /// Whether the route needs an `If-Match`.
    let needsPrecondition: Bool
    /// Whether ``AttemptLimiter`` limits the requests from the caller's address.
    let isAttempt: Bool
    let serve: @Sendable (Call) async throws -> Answer

    init(
        name: RouteName, method: HTTPRequest.Method, path: PathTemplate, callers: Callers, summary: String,
        query: [QueryParameter] = [], body: Body = .none, answers: [Success], problems: [HTTPResponse.Status] = [],
        keyUse: KeyUse = .ignored, needsPrecondition: Bool = false, isAttempt: Bool = false,
        serve: @escaping @Sendable (Call) async throws -> Answer
    ) {
        self.name = name
        self.method = method
        self.path = path
        self.callers = callers
        self.summary = summary
        self.query = query
        self.body = body
        self.answers = answers
        self.problems = problems
        self.keyUse = keyUse
        self.needsPrecondition = needsPrecondition
        self.isAttempt = isAttempt
        self.serve = serve
    }

    /// What a route takes as its body.
    enum Body: Hashable, Sendable {
        case none
        case json(Shape, limit: Int? = nil)
        /// A merge patch (RFC 7396).
        case patch(Shape)

        var shape: Shape? {
            switch self {
            case .none: nil
            case .json(let shape, _), .patch(let shape): shape
            }
        }
    }

    /// An answer that is no problem.
    struct Success: Hashable, Sendable {
        let status: HTTPResponse.Status
        /// The shape of a JSON body; nil if the answer has no body, or if the body is a text.
        var shape: Shape?
        /// The media type of a body that is a text and not JSON.
        var mediaType: String?
        var headers: [HeaderShape] = []
        let summary: String

        init(
            _ status: HTTPResponse.Status, _ shape: Shape, headers: [HeaderShape] = [], _ summary: String
        ) {
            self.status = status
            self.shape = shape
            self.headers = headers
            self.summary = summary
        }

        init(_ status: HTTPResponse.Status, mediaType: String? = nil, headers: [HeaderShape] = [], _ summary: String) {
            self.status = status
            self.mediaType = mediaType
            self.headers = headers
            self.summary = summary
        }
    }

    /// The headers of answers that the OpenAPI document describes.
    enum HeaderShape: String, Hashable, Sendable, CaseIterable {
        case etag = "ETag"
        case link = "Link"
        case location = "Location"
        case setCookie = "Set-Cookie"
    }

    /// A parameter of the query.
    struct QueryParameter: Hashable, Sendable {
        let name: String
        var isRepeatable = false
        var isNumber = false
        let summary: String
    }

    enum KeyUse: Hashable, Sendable {
        /// A repeat with the same key gets the first answer.
        case answersRepeats
        /// The route sets a secret. Secrets are not compared, so a repeat cannot be recognized, and a key is refused.
        case refused
        case ignored
    }
}
