import ProfileCore
import ProfileLogin
import ProfileStore
import ProfileTesting
import Synchronization
import Testing
import Watchdog

/// T4: the control server, without the transport of its requests.
@Suite(.watched) struct ControlServiceTests {
    /// A screen that only collects its inputs and shows them as its state.
    private final class FakeScreen: ControlledScreen {
        private struct State {
            var inputs: [String] = []
            var isLeft = false
            var waiting: [(@Sendable (JSONValue) -> Bool, CheckedContinuation<JSONValue?, Never>)] = []
        }

        private let state = Mutex(State())

        private static func json(_ state: State) -> JSONValue {
            [
                "screen": "fake", "fields": .array(state.inputs.map { ["name": "input", "text": .string($0)] }),
                "notice": .null,
            ]
        }

        func state(when condition: @escaping @Sendable (JSONValue) -> Bool) async -> JSONValue? {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting.append((condition, continuation)) }
                refresh()
            }
        }

        func send(_ input: ScreenInput) {
            state.withLock { $0.inputs.append(input.json.text()) }
            refresh()
        }

        func leave() {
            state.withLock { $0.isLeft = true }
            refresh()
        }

        private func refresh() {
            let answers = state.withLock { state in
                let json = state.isLeft ? Optional.none : Self.json(state)
                func isMet(_ condition: (JSONValue) -> Bool) -> Bool { json.map(condition) ?? true }
                var met: [CheckedContinuation<JSONValue?, Never>] = []
                // Each condition is evaluated once, because a condition that depends on the time may change a moment
                // later.
                state.waiting.removeAll { wait in
                    guard isMet(wait.0) else { return false }
                    met.append(wait.1)
                    return true
                }
                return met.map { ($0, json) }
            }
            for (continuation, json) in answers { continuation.resume(returning: json) }
        }
    }

    private let authenticator = ScriptedAuthenticator()
    private let service: ControlService

    init() {
        service = ControlService(
            Scenario.all[0], storePath: "/tmp/store", token: "secret", screen: FakeScreen(),
            authenticator: authenticator, beep: { $0 == "welcome" ? 1 : 0 })
    }

    private func ask(
        _ method: String, _ path: String, _ body: String = "", token: String? = "Bearer secret"
    ) async -> (status: Int, body: String) {
        let answer = await service.answer(
            to: ControlService.Request(method: method, path: path, authorization: token, body: Array(body.utf8)))
        return (answer.status, answer.body.text())
    }

    @Test func `T4: the state can be read, and changes after events`() async {
        #expect(await ask("GET", "/state") == (200, #"{"screen":"fake","fields":[],"notice":null}"#))
        let sent = await ask(
            "POST", "/events", #"{"events":[{"focus":"phone"},{"type":"é1"},{"press":"control-f"},{"submit":true}]}"#)
        #expect(sent.status == 200)
        for input in [
            #"{\"focus\":\"phone\"}"#, #"{\"type\":\"é1\"}"#, #"{\"press\":\"control-f\"}"#, #"{\"submit\":true}"#,
        ] {
            #expect(sent.body.contains(input), "\(sent.body)")
        }
    }

    @Test func `T4: events are sent all or none`() async {
        let refused = await ask("POST", "/events", #"{"events":[{"type":"a"},{"press":"return"}]}"#)
        #expect(refused.status == 400)
        #expect(refused.body.contains(#"There is no key \"return\""#))
        #expect(await ask("GET", "/state").body.contains(#""fields":[]"#))
    }

    @Test func `T4: a wait ends when the state meets its condition, or with the state at its timeout`() async {
        async let met = ask(
            "POST", "/wait", #"{"condition":{"path":"fields.0.text","contains":"abc"},"timeout_ms":60000}"#)
        let late = await ask(
            "POST", "/wait", #"{"condition":{"path":"fields.0.text","contains":"never"},"timeout_ms":20}"#)
        #expect(late.status == 408)
        #expect(late.body.contains("The condition was not met within 20 ms"))
        #expect(late.body.contains(#""state":{"screen":"fake""#))
        _ = await ask("POST", "/events", #"{"events":[{"type":"abc"}]}"#)
        #expect(await met.status == 200)
        #expect(
            await ask("POST", "/wait", #"{"condition":{"path":"notice","equals":null},"timeout_ms":0}"#).status == 200)
        #expect(
            await ask("POST", "/wait", #"{"condition":{"path":"fields.input.text","equals":"x"},"timeout_ms":0}"#)
                .status == 408)
    }

    @Test func `T4: a beep returns its number of listeners, and the answers to logins can be set and read`() async {
        #expect(await ask("POST", "/beep", #"{"name":"welcome"}"#) == (200, #"{"delivered":1}"#))
        #expect(await ask("POST", "/beep", #"{"name":"other"}"#) == (200, #"{"delivered":0}"#))
        let script = #"{"answers":[{"answer":"success","username":"anna","name":"Anna"},{"answer":"nilData"}]}"#
        #expect(await ask("POST", "/authenticator", script).status == 200)
        await #expect(throws: Never.self) {
            let profile = try await authenticator.authenticate(username: "bert", password: Secret("x"))
            #expect(profile.greeting == "Hello Anna")
        }
        #expect(
            await ask("GET", "/authenticator") == (
                200,
                #"{"attempts":["bert"],"given":[{"answer":"success","username":"anna","name":"Anna"}],"unscripted":0,"unused":[{"answer":"nilData"}]}"#
            ))
    }

    @Test func `T4: after quitting, requests and waits are answered with 410`() async {
        async let waiting = ask("POST", "/wait", #"{"condition":{"path":"x","equals":1},"timeout_ms":60000}"#)
        #expect(await ask("POST", "/quit", "{}") == (200, "{}"))
        #expect(await waiting.status == 410)
        #expect(await ask("GET", "/state").status == 410)
    }

    @Test(
        "T4: without the token every path is answered with 401",
        arguments: [
            nil, "", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "bearer secret", "Basic secret",
        ])
    func unauthorized(_ token: String?) async {
        for path in ["/state", "/nothing"] {
            let answer = await ask("GET", path, token: token)
            #expect(answer.status == 401)
            #expect(!answer.body.contains("secret"))
        }
    }

    @Test(
        "T4: an invalid request is answered with a problem and its reason",
        arguments: [
            ("GET", "/", "", 404), ("GET", "/states", "", 404), ("DELETE", "/state", "", 405),
            ("GET", "/events", "", 405), ("POST", "/events", "", 400), ("POST", "/events", "{", 400),
            ("POST", "/events", "[]", 400), ("POST", "/events", #"{"events":1}"#, 400),
            ("POST", "/events", #"{"events":[{}]}"#, 400), ("POST", "/events", #"{"events":[{"type":1}]}"#, 400),
            ("POST", "/events", #"{"events":[{"type":"a","press":"tab"}]}"#, 400),
            ("POST", "/events", #"{"events":[{"press":"control-é"}]}"#, 400),
            ("POST", "/wait", "{}", 400), ("POST", "/wait", #"{"condition":{"path":"x"}}"#, 400),
            ("POST", "/wait", #"{"condition":{"path":"x","equals":1},"timeout_ms":-1}"#, 400),
            ("POST", "/wait", #"{"condition":{"path":"x","equals":1},"timeout_ms":1e3}"#, 400),
            ("POST", "/wait", #"{"condition":{"path":"x","equals":1},"timeout_ms":99999999999999999999}"#, 400),
            ("POST", "/beep", #"{"name":""}"#, 400),
            ("POST", "/authenticator", #"{"answers":[{"answer":"maybe"}]}"#, 400),
        ])
    func problem(_ method: String, _ path: String, _ body: String, _ status: Int) async throws {
        let answer = await ask(method, path, body)
        #expect(answer.status == status)
        let json = try JSONValue(parsing: answer.body)
        guard case .object(let members) = json else {
            Issue.record("\(answer.body) is no object")
            return
        }
        #expect(members.map(\.name) == ["status", "title", "detail"])
        #expect(members.first?.value == .number(status))
    }

    @Test func `T4: random requests are answered, whatever is in them`() async {
        var random = SeededGenerator(printingSeedOf: "control requests")
        let paths = ["/state", "/events", "/wait", "/beep", "/authenticator", "/scenario", "/", "/events/../state"]
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "\"events\"", "\"condition\"", "\"path\"", "\"equals\"", "\"type\"",
            "\"timeout_ms\"", "0", "-1", "1e999", "null", "true", "\"a\"", "\"press\"", "\"control-\"", "\\u0000",
        ]
        for round in 0..<3_000 {
            var body: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                body +=
                    random.once(in: 5)
                    ? random.bytes(0..<10) : Array((pieces.randomElement(using: &random) ?? "").utf8)
            }
            // Some bodies are made lists of events, and none becomes a valid wait, which would last until its timeout.
            if random.once(in: 3) { body = Array(#"{"events":["#.utf8) + body + Array("]}".utf8) }
            let path = random.once(in: 10) ? random.text(0..<8) : paths.randomElement(using: &random) ?? "/"
            let answer = await service.answer(
                to: ControlService.Request(
                    method: random.once(in: 2) ? "POST" : "GET", path: path, authorization: "Bearer secret", body: body)
            )
            #expect([200, 400, 404, 405, 408].contains(answer.status), "round \(round): \(answer.body.text())")
        }
    }
}
