import Platform
import ProfileTesting
import Testing
import Watchdog

/// T3 to T5: the command as it is built for tests.
@Suite(.enabled(if: Traits.hasTestHooks, "make test builds the command with scenarios."), .watched)
struct ScenarioRunTests {
    /// A scenario that runs in a terminal.
    private struct Run {
        let folder: TemporaryFolder
        let driver: TerminalDriver

        /// Starts the scenario with a command, by default with the one that has test hooks.
        init(_ screen: String?, _ model: String?, path: String? = nil, others: [String: String] = [:]) throws {
            folder = try TemporaryFolder("profiles-run")
            var environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin", "TMPDIR": folder.path]
            environment["XDG_RUNTIME_DIR"] = folder.path
            environment["TestLauncher-testing"] = "1"
            environment["TestLauncher-VC"] = screen
            environment["TestLauncher-model"] = model
            environment["TestLauncher-control"] = folder.path + "/control"
            driver = try TerminalDriver(
                [try path ?? Workplace.binary()], environment: environment.merging(others) { $1 },
                folder: folder.path)
        }

        func client() throws -> ControlClient { try ControlClient(folder: folder.path + "/control") }

        /// The names of the files that are left in the temporary folder.
        var leftovers: [String] { SmallFile.names(in: folder.path) }
    }

    @Test(
        "P5, T3: the passcode screens start with their fixtures",
        arguments: [
            ("PassCodeModel1", "Create Pass Code", ["appleworks1", "appleworks1"]),
            ("PassCodeModel2", "Validate Pass Code", ["parislondon"]),
            ("PassCodeModel3", "Edit Pass Code", ["marsvenus", "morningafternoon", "morningafternoon"]),
        ])
    func passcode(_ model: String, _ title: String, _ entries: [String]) throws {
        let run = try Run("PassCodeViewController", model)
        try run.driver.wait(for: title)
        for entry in entries { try run.driver.type(entry + "\n") }
        #expect(try run.driver.end() == 0)
        #expect(run.driver.transcript.contains("Done: \(title)"))
        #expect(run.driver.isRestored)
        // The store is gone with the run, and so are the control server's socket and token.
        #expect(SmallFile.names(in: run.folder.path + "/control") == [])
        #expect(run.leftovers.allSatisfy { !$0.hasPrefix("profiles-scenario") }, "\(run.leftovers)")
    }

    @Test func `T4: a form is read and filled from outside`() throws {
        let run = try Run("ProfileViewController", "ProfileModel1")
        try run.driver.wait { !$0.text.isEmpty }
        let client = try run.client()
        #expect(try client.state().screen == "register")
        #expect(try client.state().focus == "username")
        var state = try client.send(.focus("phone"), .type("78761241"))
        #expect(state["phone"]?.text == "7876-1241")
        #expect(state["phone"]?.caret == 9)
        state = try client.send(.submit)
        #expect(state["username"]?.message == "Username is required")
        #expect(state.focus == "username")
        try client.send(.type("skboard"), .press(.tab), .paste("aK8oio"), .focus("address"), .autoFill("12 Main St "))
        try run.driver.wait { $0.contains("skboard") && $0.contains("12 Main St") }
        state = try client.state()
        #expect(state["password"]?.text == "••••••")
        #expect(!state.json.contains("aK8oio"))
        try client.send(.submit)
        #expect(try run.driver.end() == 0)
        #expect(run.driver.screen.contains("skboard"))
    }

    @Test func `T4: a client sets the next answers to logins, and gets a report of the attempts`() throws {
        let run = try Run("LoginViewController", "LoginModel2")
        try run.driver.wait(for: "pritesh")
        let client = try run.client()
        try client.enqueue(.unexpectedStatus, .invalidResponse, .success(), .invalidCredentials)
        for text in [
            "Wrong status code received, please try again later", "Failed to fetch your data, please try again later",
        ] {
            try client.send(.focus("password"), .type(Scenario.password), .press(.enter))
            try client.wait(for: .equals("notice.text", text), within: .seconds(30))
            try client.send(.press(.enter))
        }
        try client.send(.type(Scenario.password), .press(.enter))
        try client.wait(for: .equals("notice.text", "Hello pritesh"), within: .seconds(30))
        let report = try client.authenticatorReport()
        #expect(report.attempts == ["pritesh", "pritesh", "pritesh"])
        #expect(report.given == [.unexpectedStatus, .invalidResponse, .success()])
        #expect(report.unused == [.invalidCredentials])
        try run.driver.press(.enter)
        #expect(try run.driver.end() == 0)
    }

    @Test func `T5: a beep shows the welcome within two seconds, and Close hides it`() throws {
        let run = try Run("ProfileViewController", "ProfileModel1")
        try run.driver.wait { !$0.text.isEmpty }
        let client = try run.client()
        #expect(try client.state().notice == nil)
        #expect(!run.driver.screen.contains("Welcome"))
        #expect(try client.beep("welcome") == 1)
        let state = try client.wait(for: .equals("notice.title", "Welcome"), within: .seconds(2))
        #expect(state.notice?.text == "Welcome to this awesome app!")
        #expect(state.notice?.button == "Close")
        try run.driver.wait(for: "Welcome to this awesome app!")
        // Keys before Close enter no field.
        try run.driver.type("abc")
        try run.driver.waitUntilStill()
        #expect(try client.state()["username"]?.text == "")
        try run.driver.press(.enter)
        try run.driver.wait { !$0.contains("Welcome") }
        #expect(try client.state().notice == nil)
        try client.quit()
        #expect(try run.driver.end() == 1)
        #expect(run.driver.isRestored)
    }

    @Test func `T4: only clients with the token of the private folder get answers`() throws {
        let run = try Run("LoginViewController", "LoginModel1")
        try run.driver.wait { !$0.text.isEmpty }
        let folder = run.folder.path + "/control"
        #expect(SmallFile.mode(of: folder) == 0o700)
        #expect(SmallFile.mode(of: folder + "/token") == 0o600)
        let token = try #require(SmallFile.text(of: folder + "/token"))
        #expect(token.count == 64)
        #expect(!run.driver.transcript.contains(token))
        let other = try TemporaryFolder()
        try SmallFile.write(String(token.reversed()), to: other.path + "/token")
        #expect(symlink(folder + "/control.sock", other.path + "/control.sock") == 0)
        let stranger = try ControlClient(folder: other.path)
        let error = #expect(throws: ControlError.self) { try stranger.state() }
        guard case .refused(401, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try run.client().quit()
        _ = try run.driver.end()
        #expect(throws: ControlError.noServer(folder: folder)) { try run.client() }
    }

    @Test func `T4: the server continues after any input on its socket`() throws {
        let run = try Run("ProfileViewController", "ProfileModel1")
        try run.driver.wait { !$0.text.isEmpty }
        let client = try run.client()
        let socket = run.folder.path + "/control/control.sock"
        let token = try #require(SmallFile.text(of: run.folder.path + "/control/token"))
        var random = SeededGenerator(printingSeedOf: "control socket")
        let pieces = [
            "GET ", "POST ", "/state", "/events", "/wait", " HTTP/1.1", "\r\n", "\r\n\r\n", "Host: x\r\n",
            "Authorization: Bearer \(token)\r\n", "Content-Length: 5\r\n", "Content-Length: -1\r\n",
            "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: chunked\r\n", "ffffffffffffffff\r\n",
            "{\"events\":[]}", "Connection: keep-alive\r\n", "Upgrade: websocket\r\n", "Expect: 100-continue\r\n", "%",
            "?",
        ]
        for _ in 0..<(Length.isLong ? 10_000 : 300) {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<24, using: &random) {
                bytes +=
                    random.once(in: 4)
                    ? random.bytes(0..<40) : Array((pieces.randomElement(using: &random) ?? "").utf8)
            }
            let stream = try UnixStream(to: socket, timeout: .seconds(10))
            do throws(SystemError) {
                try stream.write(bytes)
                stream.endWriting()
                while try !stream.read().isEmpty {}
            } catch {
                // The server may close the connection at any byte. A connection that hangs is a fault.
                #expect([EPIPE, ECONNRESET].contains(error.code), "\(error)")
            }
            if random.once(in: 20) { #expect(try client.state().screen == "register") }
        }
        #expect(try client.send(.type("skboard"))["username"]?.text.isEmpty == false)
        try client.quit()
        _ = try run.driver.end()
    }

    @Test func `T3: with the flag, an unknown name exits 64, and the error lists the valid names`() throws {
        for (screen, model) in [("PassCodeViewController", "PassCodeModel9"), ("Nobody", "PassCodeModel1"), (nil, nil)]
        {
            let run = try Run(screen, model)
            #expect(try run.driver.end() == 64)
            for scenario in Scenario.all {
                #expect(run.driver.transcript.contains(scenario.screen.rawValue))
                #expect(run.driver.transcript.contains(scenario.model))
            }
            #expect(run.leftovers == [])
        }
    }

    @Test func `T3: a build for tests lists its scenarios, and starts as usual without the flag`() throws {
        let workplace = try Workplace()
        let command = try Workplace.binary()
        let listed = try workplace.run([command, "scenarios"], input: "", environment: [:])
        #expect(listed.status == 0)
        let json = try workplace.run([command, "scenarios", "--format", "json"], input: "", environment: [:])
        for scenario in Scenario.all {
            #expect(listed.output.contains("\(scenario.screen.rawValue)") && listed.output.contains(scenario.model))
            #expect(json.output.contains("\"\(scenario.model)\""))
        }
        let usual = try workplace.run(
            [command, "--version"], input: "",
            environment: ["TestLauncher-VC": "LoginViewController", "TestLauncher-model": "LoginModel1"])
        #expect(usual == (try workplace.profiles("--version")))
    }
}
