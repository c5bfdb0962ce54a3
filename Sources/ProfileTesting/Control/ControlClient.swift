internal import ProfileStore
internal import ProfileCore

/// A client of the control server of a running scenario (T4). The scenario was started by ``TerminalDriver`` or by
/// another program.
///
/// ```swift
/// let client = try ControlClient(folder: folder)
/// try client.send(.focus("phone"), .type("78761241"))
/// try client.beep("welcome")
/// let state = try client.wait(for: .equals("notice.title", "Welcome"))
/// ```
///
/// Each call opens a connection, sends one HTTP/1.1 request, and blocks until the answer comes.
public struct ControlClient: Sendable {
    private let folder: ControlFolder
    private let token: String

    /// Finds the server of a running scenario. As soon as the server listens, it accepts inputs for the screen.
    ///
    /// - Parameter folder: The path of the server's folder. The environment variable `TestLauncher-control` of the
    ///   scenario contains this path.
    /// - Throws: ``ControlError/noServer(folder:)`` if the folder has no token, because no server listens there yet.
    public init(folder: String) throws(ControlError) {
        self.folder = ControlFolder(folder)
        guard let token = SmallFile.text(of: self.folder.tokenPath) else { throw .noServer(folder: folder) }
        self.token = token
    }

    /// Returns the path of the run's store.
    public func storePath() throws(ControlError) -> String {
        guard let path = try ask("GET", "/scenario")["store"]?.string else { throw .noAnswer }
        return path
    }

    /// Returns the state of the screen.
    public func state() throws(ControlError) -> ScreenState { try state(of: ask("GET", "/state")) }

    /// Sends inputs in order.
    ///
    /// - Returns: The state of the screen after the inputs.
    @discardableResult
    public func send(_ inputs: ScreenInput...) throws(ControlError) -> ScreenState {
        try state(of: ask("POST", "/events", ["events": .array(inputs.map(\.json))]))
    }

    /// Waits until the screen's state fulfils a condition.
    ///
    /// - Returns: The state that fulfils the condition.
    /// - Throws: ``ControlError/refused(status:detail:)`` with 408 if the condition was not fulfilled within `limit`.
    ///   A `limit` of more than one minute counts as one minute.
    @discardableResult
    public func wait(
        for condition: ScreenCondition, within limit: Duration = .seconds(2)
    ) throws(ControlError) -> ScreenState {
        let milliseconds = Int64(min(max(limit, .zero), .seconds(60)) / .milliseconds(1))
        return try state(of: ask("POST", "/wait", ["condition": condition.json, "timeout_ms": .number(milliseconds)]))
    }

    /// Sends a beep to all listeners that have registered this name for the run's store.
    ///
    /// - Returns: The number of listeners that received the beep.
    @discardableResult
    public func beep(_ name: String) throws(ControlError) -> Int {
        try ask("POST", "/beep", ["name": .string(name)])["delivered"]?.integer ?? 0
    }

    /// Adds prepared answers for the next login attempts.
    public func enqueue(_ answers: ScriptedAuthenticator.Answer...) throws(ControlError) {
        _ = try ask("POST", "/authenticator", ["answers": .array(answers.map(\.json))])
    }

    /// Returns the login attempts, the prepared answers that were given, and the prepared answers that are left.
    public func authenticatorReport() throws(ControlError) -> ScriptedAuthenticator.Report {
        let json = try ask("GET", "/authenticator")
        func answers(_ name: String) -> [ScriptedAuthenticator.Answer] {
            (json[name]?.elements ?? []).compactMap { try? ScriptedAuthenticator.Answer($0) }
        }
        let attempts = json["attempts"]?.elements ?? []
        return ScriptedAuthenticator.Report(
            attempts: attempts.compactMap(\.string), given: answers("given"), unused: answers("unused"))
    }

    /// Leaves the screen. Then the process of the scenario ends.
    public func quit() throws(ControlError) { _ = try ask("POST", "/quit", [:]) }

    private func state(of json: JSONValue) throws(ControlError) -> ScreenState {
        guard let state = ScreenState(json) else { throw .noAnswer }
        return state
    }
}

/// The reason why a request to a control server failed.
public enum ControlError: Error, Hashable, Sendable {
    /// No server listens in the folder.
    case noServer(folder: String)
    /// The connection failed.
    case connection(SystemError)
    /// The answer is not a valid answer of a control server.
    case noAnswer
    /// The server refused the request with an HTTP status and a reason.
    case refused(status: Int, detail: String)
}

// The part of HTTP/1.1 (RFC 9112) that the control server of this package requires.
extension ControlClient {
    private func ask(_ method: String, _ path: String, _ body: JSONValue? = nil) throws(ControlError) -> JSONValue {
        let body = Array((body?.text() ?? "").utf8)
        let head = """
            \(method) \(path) HTTP/1.1\r
            Host: localhost\r
            Authorization: Bearer \(token)\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r

            """
        let answer: [UInt8]
        do throws(SystemError) {
            let stream = try UnixStream(to: folder.socketPath)
            try stream.write(Array(head.utf8) + body)
            answer = try Self.readAll(stream)
        } catch {
            throw .connection(error)
        }
        let (status, json) = try Self.parse(answer)
        guard status < 400 else { throw .refused(status: status, detail: json["detail"]?.string ?? "") }
        return json
    }

    private static func readAll(_ stream: borrowing UnixStream) throws(SystemError) -> [UInt8] {
        var answer: [UInt8] = []
        while answer.count <= 16 << 20 {
            let chunk = try stream.read()
            if chunk.isEmpty { break }
            answer += chunk
        }
        return answer
    }

    private static func parse(_ answer: [UInt8]) throws(ControlError) -> (status: Int, body: JSONValue) {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { throw .noAnswer }
        let statusLine = String(decoding: answer[..<end.lowerBound].prefix { $0 != 0x0D }, as: UTF8.self)
        let parts = statusLine.split(separator: " ")
        guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), let status = Int(parts[1]) else { throw .noAnswer }
        do throws(JSONError) {
            return (status, try JSONValue(parsing: Array(answer[end.upperBound...]).span))
        } catch {
            throw .noAnswer
        }
    }
}
