/// The reason why the guard of a connection answers a request itself.
public enum Refusal: Sendable, Hashable, CaseIterable {
    /// The request is not valid HTTP/1.1, or its framing is ambiguous.
    case unreadable
    /// The head was not complete in time.
    case timedOut
    /// The request target is too long.
    case targetTooLong
    /// The request asks for an expectation other than `100-continue`.
    case expectationFailed
    /// The head is too large.
    case headTooLarge

    /// The status code of the answer.
    public var status: Int {
        switch self {
        case .unreadable: 400
        case .timedOut: 408
        case .targetTooLong: 414
        case .expectationFailed: 417
        case .headTooLarge: 431
        }
    }
}

/// The error that a reader of a request's body gets when the body was not complete in time. Answer it with 408.
public struct BodyTimedOut: Error, Hashable {
    public init() {}
}

/// The error that a reader of a request's body gets when the body is not valid HTTP/1.1. Answer it with 400.
public struct UnreadableBody: Error, Hashable {
    public init() {}
}
