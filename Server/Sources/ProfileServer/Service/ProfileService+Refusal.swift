public import HTTPBounds
public import HTTPTypes
public import NIOCore
internal import ProfileCore
internal import ProfileStore

extension ProfileService {
    /// Makes the answer to a request that the guard of its connection refuses, for `ConnectionGuard`.
    public func answer(to refusal: Refusal) -> (HTTPResponse, ByteBuffer) {
        let problem = Problem(refusal)
        var response = HTTPResponse(status: problem.status, headerFields: problem.headers)
        response.headerFields[.contentType] = "application/problem+json"
        // Hummingbird adds the date only to the answers that Hummingbird writes.
        response.headerFields[.date] = Timestamp.now().httpDate
        browsers.protect(&response.headerFields)
        return (response, ByteBuffer(bytes: problem.json.utf8()))
    }
}

extension Problem {
    fileprivate init(_ refusal: Refusal) {
        switch refusal {
        case .unreadable:
            self.init(.badRequest, "unreadable", "The request is not valid HTTP/1.1, or is ambiguous.")
        case .timedOut: self.init(.requestTimeout, "timed_out", "The head of the request took too long.")
        case .targetTooLong: self.init(.uriTooLong, "target_too_long", "The request target is too long.")
        case .expectationFailed:
            self.init(.expectationFailed, "expectation_failed", "The service knows only \"100-continue\".")
        case .headTooLarge:
            self.init(.requestHeaderFieldsTooLarge, "head_too_large", "The head of the request is too large.")
        }
    }
}
