package import ProfileCore
internal import ProfileLogin
internal import ProfileStore
internal import Synchronization

/// Performs the requests of the control server, independent of the transport (T4).
///
/// | request | body | answer |
/// |---|---|---|
/// | `GET /scenario` | | `screen`, `model`, and the path of the `store` |
/// | `GET /state` | | the state of the screen |
/// | `POST /events` | `events`: inputs, see ``ScreenInput`` | the state afterwards |
/// | `POST /wait` | `condition`, see ``ScreenCondition``; `timeout_ms`, 2,000 if absent | the state, or status 408 |
/// | `POST /beep` | `name` | `delivered`: the number of listeners that received the beep |
/// | `POST /authenticator` | `answers`, each with `answer`, and for a success `username` and `name` | the report |
/// | `GET /authenticator` | | the report: `attempts`, `given`, `unscripted`, `unused` |
/// | `POST /quit` | | `{}`; the screen is left |
package struct ControlService: Sendable {
    private let scenario: Scenario
    private let storePath: String
    private let token: String
    private let screen: any ControlledScreen
    private let authenticator: ScriptedAuthenticator
    private let beep: @Sendable (String) -> Int

    /// Creates a service for one run of a screen.
    ///
    /// - Parameters:
    ///   - scenario: The running scenario.
    ///   - storePath: The path of the scenario's store.
    ///   - token: The token that every request must send.
    ///   - screen: The screen to control.
    ///   - authenticator: The authenticator of the login screen.
    ///   - beep: A closure that sends a beep with a name to all listeners for this name. It returns the number of
    ///     listeners that received the beep.
    package init(
        _ scenario: Scenario, storePath: String, token: String, screen: any ControlledScreen,
        authenticator: ScriptedAuthenticator, beep: @escaping @Sendable (String) -> Int
    ) {
        self.scenario = scenario
        self.storePath = storePath
        self.token = token
        self.screen = screen
        self.authenticator = authenticator
        self.beep = beep
    }

    /// An HTTP request.
    package struct Request: Sendable {
        package let method: String
        /// The path without a query.
        package let path: String
        /// The value of the header `Authorization`.
        package let authorization: String?
        package let body: [UInt8]

        package init(method: String, path: String, authorization: String?, body: [UInt8]) {
            self.method = method
            self.path = path
            self.authorization = authorization
            self.body = body
        }
    }

    /// An HTTP answer.
    package struct Answer: Sendable {
        package let status: Int
        package let body: JSONValue

        init(status: Int, body: JSONValue) {
            self.status = status
            self.body = body
        }

        init(_ problem: ControlProblem) { self.init(status: problem.status, body: problem.json) }
    }

    /// The maximum length of a body in bytes.
    package static let bodyLimit = 1 << 20

    /// Performs a request and returns its answer.
    package func answer(to request: Request) async -> Answer {
        do throws(ControlProblem) {
            guard Secret(request.authorization ?? "") == Secret("Bearer \(token)") else { throw .unauthorized }
            return Answer(status: 200, body: try await result(of: request))
        } catch {
            return Answer(error)
        }
    }

    private func result(of request: Request) async throws(ControlProblem) -> JSONValue {
        switch (request.method, request.path) {
        case ("GET", "/scenario"):
            return [
                "screen": .string(scenario.screen.rawValue), "model": .string(scenario.model),
                "store": .string(storePath),
            ]
        case ("GET", "/state"): return try await state()
        case ("POST", "/events"): return try await send(request)
        case ("POST", "/wait"): return try await wait(request)
        case ("POST", "/beep"): return try beep(request)
        case ("GET", "/authenticator"): return authenticator.report.json
        case ("POST", "/authenticator"): return try script(request)
        case ("POST", "/quit"):
            screen.leave()
            return .object([])
        case (let method, "/scenario"), (let method, "/state"), (let method, "/events"), (let method, "/wait"),
            (let method, "/beep"), (let method, "/authenticator"), (let method, "/quit"):
            throw .methodNotAllowed(method, request.path)
        default: throw .notFound(request.path)
        }
    }

    private func state() async throws(ControlProblem) -> JSONValue {
        guard let state = await screen.state(when: { _ in true }) else { throw .gone }
        return state
    }

    private func send(_ request: Request) async throws(ControlProblem) -> JSONValue {
        guard let events = try request.json()["events"]?.elements else {
            throw .badRequest("The body is an object with \"events\", an array")
        }
        // All events are parsed before the first event is sent. If an event is invalid, no event is sent.
        var inputs: [ScreenInput] = []
        for event in events { inputs.append(try ScreenInput(event)) }
        for input in inputs { screen.send(input) }
        return try await state()
    }

    private func beep(_ request: Request) throws(ControlProblem) -> JSONValue {
        guard let name = try request.json()["name"]?.string, 1...64 ~= name.utf8.count else {
            throw .badRequest("The body is an object with \"name\", a string of 1 to 64 bytes")
        }
        return ["delivered": .number(beep(name))]
    }

    private func script(_ request: Request) throws(ControlProblem) -> JSONValue {
        guard let list = try request.json()["answers"]?.elements else {
            throw .badRequest("The body is an object with \"answers\", an array")
        }
        var answers: [ScriptedAuthenticator.Answer] = []
        for element in list { answers.append(try ScriptedAuthenticator.Answer(element)) }
        authenticator.enqueue(answers)
        return authenticator.report.json
    }

    // MARK: Waiting

    private func wait(_ request: Request) async throws(ControlProblem) -> JSONValue {
        let body = try request.json()
        guard let json = body["condition"] else {
            throw .badRequest("The body is an object with \"condition\", and \"timeout_ms\" if it is not 2000")
        }
        let condition = try ScreenCondition(json)
        let milliseconds = body["timeout_ms"].map { $0.integer ?? -1 } ?? 2_000
        guard 0...60_000 ~= milliseconds else { throw .badRequest("\"timeout_ms\" is a number from 0 to 60000") }
        let expiry = Expiry()
        let timer = Task { [screen] in
            try await Task.sleep(for: .milliseconds(milliseconds))
            expiry.isOver.store(true, ordering: .releasing)
            // This query makes the screen evaluate the conditions of all waiting requests again. So the wait ends.
            _ = await screen.state(when: { _ in true })
        }
        defer { timer.cancel() }
        let state = await screen.state { expiry.isOver.load(ordering: .acquiring) || condition.holds(in: $0) }
        guard let state else { throw .gone }
        guard condition.holds(in: state) else { throw .timedOut(milliseconds, state) }
        return state
    }

    /// Whether the timeout of a wait has passed. The timer sets the value, and the condition reads it.
    private final class Expiry: Sendable {
        let isOver = Atomic(false)
    }
}

extension ControlService.Request {
    fileprivate func json() throws(ControlProblem) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: body.span)
        } catch {
            throw .badRequest("The body is not JSON: \(error.reason) in line \(error.line), column \(error.column)")
        }
    }
}

// An answer as JSON: {"answer": "success", "username": "anna", "name": "Anna"}, {"answer": "invalidCredentials"}.
extension ScriptedAuthenticator.Answer {
    private static let failures: [(name: String, error: LoginError)] = [
        ("invalidCredentials", .invalidCredentials), ("nilData", .invalidResponse),
        ("wrongStatusCode", .unexpectedStatus), ("unknown", .unknown),
    ]

    init(_ json: JSONValue) throws(ControlProblem) {
        let answer = json["answer"]?.string
        if answer == "success" {
            let username = json["username"]?.string
            self = .success(username.map { LoggedInProfile(username: $0, name: json["name"]?.string) })
        } else if let failure = Self.failures.first(where: { $0.name == answer }) {
            self = .failure(failure.error)
        } else {
            let names = Self.failures.map(\.name).joined(separator: ", ")
            throw .badRequest("An answer is an object with \"answer\": success, \(names)")
        }
    }

    var json: JSONValue {
        switch self {
        case .success(nil): ["answer": "success"]
        case .success(let profile?):
            ["answer": "success", "username": .string(profile.username), "name": .string(profile.name)]
        case .failure(let error):
            ["answer": .string(Self.failures.first { $0.error == error }?.name ?? "other")]
        }
    }
}

extension ScriptedAuthenticator.Report {
    var json: JSONValue {
        [
            "attempts": .array(attempts.map { .string($0) }), "given": .array(given.map(\.json)),
            "unscripted": .number(unscripted), "unused": .array(unused.map(\.json)),
        ]
    }
}
