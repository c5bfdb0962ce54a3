import Platform
import ProfileCore
import ProfileLogin
import ProfileStore
import ProfileTesting
import Testing
import Watchdog

/// T3: the scenarios that environment variables select.
@Suite(.watched) struct ScenarioTests {
    private func resolved(_ variables: String...) -> ScenarioResolution {
        var environment: [String: String] = ["HOME": "/root"]
        for variable in variables {
            let parts = variable.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            environment["TestLauncher-" + parts[0]] = parts[1]
        }
        return ScenarioResolution(environment)
    }

    @Test func `T3: without the flag the start is the normal one, whatever the other variables are`() {
        #expect(resolved() == .normalStart)
        #expect(resolved("VC=PassCodeViewController", "model=PassCodeModel1") == .normalStart)
        #expect(resolved("VC=Nobody") == .normalStart)
    }

    @Test(
        "T3: with the flag a screen starts with its fixture",
        arguments: [
            ("PassCodeViewController", "PassCodeModel1", Scenario.Purpose.createPasscode(username: "skboard")),
            ("PassCodeViewController", "PassCodeModel2", .validatePasscode(username: "skboard")),
            ("PassCodeViewController", "PassCodeModel3", .editPasscode(username: "skboard")),
            ("LoginViewController", "LoginModel1", .logIn(username: nil)),
            ("ProfileViewController", "ProfileModel2", .edit(username: "skboard")),
        ])
    func known(_ screen: String, _ model: String, _ purpose: Scenario.Purpose) throws {
        // The value of the flag does not matter.
        for flag in ["testing=", "testing=0", "testing=1"] {
            guard case .scenario(let scenario) = resolved(flag, "VC=\(screen)", "model=\(model)") else {
                Issue.record("\(screen) \(model) was not found")
                return
            }
            #expect(scenario.purpose == purpose)
        }
    }

    @Test(
        "T3: with the flag a missing or unknown name is refused with the valid ones",
        arguments: [
            ([], "TestLauncher-VC names no screen"), (["VC=Nobody"], "There is no screen \"Nobody\""),
            (["VC=LoginViewController"], "TestLauncher-model names no fixture"),
            (
                ["VC=LoginViewController", "model=PassCodeModel1"],
                "LoginViewController has no fixture \"PassCodeModel1\""
            ),
            (["VC=passcodeviewcontroller", "model=PassCodeModel1"], "There is no screen"),
        ])
    func unknown(_ variables: [String], _ beginning: String) {
        var environment = ["TestLauncher-testing": "1"]
        for variable in variables {
            let parts = variable.split(separator: "=").map(String.init)
            environment["TestLauncher-" + parts[0]] = parts[1]
        }
        guard case .unknown(let unknown) = ScenarioResolution(environment) else {
            Issue.record("\(variables) were taken for a scenario")
            return
        }
        #expect(unknown.description.hasPrefix(beginning))
        for scenario in Scenario.all {
            #expect(unknown.description.contains(scenario.screen.rawValue))
            #expect(unknown.description.contains(scenario.model))
        }
    }

    @Test("T3: each scenario has a private store of its own", arguments: Scenario.all)
    func store(_ scenario: Scenario) async throws {
        var folder: String?
        do {
            // The clock stands still, so that a login delay of the fixture does not end before the test reads it.
            let store = try await ScenarioStore(scenario, clock: ManualClock())
            let repository = store.repository
            folder = store.folderPath
            #expect(SmallFile.mode(of: store.folderPath) == 0o700)
            #expect(repository.schema.name == (scenario.model == "ProfileModel4" ? "members" : "standard"))
            switch scenario.purpose {
            case .createPasscode(let username):
                try await repository.passcodes.create(Secret("yishuntoapayoh"), for: username)
            case .validatePasscode(let username):
                try await repository.passcodes.validate(Secret("parislondon"), for: username)
            case .editPasscode(let username):
                try await repository.passcodes.validate(Secret("marsvenus"), for: username)
            case .logIn where scenario.model == "LoginModel3":
                let service = LoginService(repository)
                await #expect {
                    try await service.logIn(username: "pritesh", password: Secret(Scenario.password))
                } throws: { error in
                    if case LoginError.throttled = error { true } else { false }
                }
            case .logIn where scenario.model == "LoginModel4", .register where scenario.model == "ProfileModel1":
                #expect(try await repository.profiles(ProfileQuery(limit: 1)).profiles.isEmpty)
            case .logIn:
                let service = LoginService(repository)
                let profile = try await service.logIn(username: "pritesh", password: Secret(Scenario.password))
                #expect(profile.greeting == "Hello pritesh")
            case .edit(let username):
                #expect(try await repository.profile(username: username)?.revision == 1)
            case .register: break
            }
            await repository.close()
        }
        #expect(folder.map { access($0, F_OK) } == -1)
    }
}
