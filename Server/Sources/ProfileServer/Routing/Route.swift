internal import HTTPTypes

/// One route: whom it serves, what it takes, what it answers, and the function that serves it. The table of all routes
/// also makes the OpenAPI document and the tests of who may do what.
struct Route: Sendable {
    let name: RouteName
    let method: HTTPRequest.Method
    let path: PathTemplate
    let callers: Callers
    /// One sentence for the documentation.
    let summary: String
    var query: [QueryParameter] = []
    var body: Body = .none
    let answers: [Success]
    /// The statuses of problems that this route has beside those that its other properties imply.
    var problems: [HTTPResponse.Status] = []
    /// What an `Idempotency-Key` means here.
    var keyUse: KeyUse = .ignored
    /// Whether the route needs an `If-Match`.
    var needsPrecondition = false
    /// Whether the address of the caller has a limited number of attempts.
    var isAttempt = false
    let serve: @Sendable (Call) async throws -> Answer

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
        /// Nil if the answer has no body.
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
        /// The route sets a secret, whose repeat cannot be compared: a key is refused.
        case refused
        case ignored
    }
}
