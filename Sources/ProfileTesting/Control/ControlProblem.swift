package import ProfileCore

/// The reason why a request was refused, as problem details (RFC 9457).
package struct ControlProblem: Error, Hashable, Sendable {
    /// An HTTP status.
    package let status: Int
    package let title: String
    package let detail: String
    /// If a wait timed out: the screen's state at the timeout.
    package var state: JSONValue?

    package static func badRequest(_ detail: String) -> ControlProblem {
        ControlProblem(status: 400, title: "Bad request", detail: detail)
    }

    static let unauthorized = ControlProblem(
        status: 401, title: "Unauthorized",
        detail: "The header Authorization must contain \"Bearer\" and the run's token")

    static func notFound(_ path: String) -> ControlProblem {
        ControlProblem(status: 404, title: "Not found", detail: "There is no \(path)")
    }

    static func methodNotAllowed(_ method: String, _ path: String) -> ControlProblem {
        ControlProblem(status: 405, title: "Method not allowed", detail: "\(path) does not support \(method)")
    }

    static func timedOut(_ milliseconds: Int, _ state: JSONValue) -> ControlProblem {
        ControlProblem(
            status: 408, title: "Timed out", detail: "The condition was not met within \(milliseconds) ms", state: state
        )
    }

    static let gone = ControlProblem(status: 410, title: "Gone", detail: "The screen was left")

    package static let tooLarge = ControlProblem(
        status: 413, title: "Too large", detail: "The body of a request is limited to 1 MiB")

    var json: JSONValue {
        let members: [JSONMember] = [
            JSONMember("status", .number(status)), JSONMember("title", .string(title)),
            JSONMember("detail", .string(detail)),
        ]
        return .object(members + (state.map { [JSONMember("state", $0)] } ?? []))
    }
}
