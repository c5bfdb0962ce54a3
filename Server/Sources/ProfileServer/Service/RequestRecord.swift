internal import HTTPTypes
internal import Logging

/// What is kept of a request for the log and the metrics: the route's template and ids, never a URL, a name or a secret.
struct RequestRecord {
    let method: HTTPRequest.Method
    var route: String?
    var caller: String?
    /// The code of the problem that was answered.
    var code: String?
    /// The type of an unexpected error.
    var failure: String?

    init(method: HTTPRequest.Method) { self.method = method }

    /// Writes the line of the log, and counts the request.
    func finish(_ answer: Answer, after duration: Duration, _ metrics: RequestMetrics, _ logger: Logger) {
        // The division of 128-bit numbers is slow, so it is done once.
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let level: Logger.Level = answer.status.kind == .serverError ? .error : .info
        if logger.logLevel <= level {
            var metadata: Logger.Metadata = [
                "method": .string(loggedMethod), "route": .string(route ?? "none"),
                "status": .stringConvertible(answer.status.code),
                "microseconds": .stringConvertible(nanoseconds / 1_000),
            ]
            if let caller { metadata["caller"] = .string(caller) }
            if let id = answer.profileID { metadata["profile"] = .stringConvertible(id) }
            if let code { metadata["code"] = .string(code) }
            if let failure { metadata["failure"] = .string(failure) }
            logger.log(level: level, "request", metadata: metadata)
        }
        metrics.count(loggedMethod, route ?? "none", answer.status.code, nanoseconds: nanoseconds)
    }

    /// Writes an audit record to the log: the action, the caller and the profile.
    func audit(_ what: String, _ answer: Answer, _ logger: Logger) {
        var metadata: Logger.Metadata = ["audit": .string(what)]
        if let caller { metadata["caller"] = .string(caller) }
        if let id = answer.profileID { metadata["profile"] = .stringConvertible(id) }
        logger.notice("audit", metadata: metadata)
    }

    /// The method for the log and the metrics. A client can send any text as a method, so an unknown method is written
    /// as `other`.
    private var loggedMethod: String {
        switch method {
        case .get, .head, .post, .put, .patch, .delete, .options: method.rawValue
        default: "other"
        }
    }
}
