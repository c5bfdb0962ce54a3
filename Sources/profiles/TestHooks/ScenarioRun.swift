#if TestHooks
    internal import Platform
    internal import ProfileLogin
    internal import ProfileStore
    internal import ProfileStoreSQLite
    internal import ProfileTesting
    internal import TerminalUI

    /// Starts the scenario that the environment variables name, and also starts a control server (T3, T4).
    struct ScenarioRun {
        private let scenario: Scenario

        /// - Returns: Nil if the program starts normally, without a scenario.
        /// - Throws: A usage failure with the valid names if there is no such scenario.
        init?() throws(CommandFailure) {
            switch ScenarioResolution(Environment.all) {
            case .normalStart: return nil
            case .scenario(let scenario): self.scenario = scenario
            case .unknown(let unknown):
                let lines = unknown.description.split(separator: "\n").map(String.init)
                throw CommandFailure(.usage, lines: lines)
            }
        }

        /// Shows the screen until it is left.
        func run() async throws {
            let store = try await ScenarioStore(scenario)
            let outcome: Result<Void, any Error>
            do {
                try await run(on: store)
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            await store.repository.close()
            try withExtendedLifetime(store) { try outcome.get() }
        }

        private func run(on store: ScenarioStore) async throws {
            let repository = store.repository
            let (requests, outside) = AsyncStream.makeStream(of: ScreenRequest.self)
            let beeper = try Beeper(store: repository.place)
            // In a test run, the welcome is shown only after a beep (T5).
            try beeper.register("welcome") { outside.yield(.notice(.welcome)) }
            let authenticator = ScriptedAuthenticator(otherwise: RepositoryAuthenticator(repository))
            let token = ControlFolder.makeToken()
            let service = ControlService(
                scenario, storePath: repository.place, token: token, screen: RunningScreen(requests: outside),
                authenticator: authenticator, beep: { beeper.beep($0).delivered })
            let folder = ControlFolder(Environment[ControlFolder.variable] ?? store.folderPath + "/control")
            let server = try await ControlServer(in: folder, token: token, service)
            let outcome: Result<Void, any Error>
            do {
                try await show(repository, authenticator, ScreenSession(requests: requests))
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            outside.finish()
            await server.stop()
            beeper.unregister("welcome")
            try outcome.get()
        }

        private func show(
            _ repository: ProfileRepository, _ authenticator: ScriptedAuthenticator, _ session: ScreenSession
        ) async throws {
            func passcode(_ kind: PasscodeFlow.Kind, _ username: String) async throws {
                try await PasscodeScreen(kind: kind, username: username, repository: repository, session: session).run()
                try Output.standard.print("Done: \(kind.title)")
            }
            switch scenario.purpose {
            case .createPasscode(let username): try await passcode(.create, username)
            case .validatePasscode(let username): try await passcode(.validate, username)
            case .editPasscode(let username): try await passcode(.edit, username)
            case .logIn(let username):
                let service = LoginService(repository, authenticator: authenticator)
                let screen = LoginScreen(username: username, repository: repository, service: service, session: session)
                try Output.standard.print(try await screen.run().greeting)
            case .register:
                let profile = try await RegistrationForm(repository: repository, session: session).run()
                try Output.standard.write(profile.text)
            case .edit(let username):
                let stored = try await repository.profile(username: username, expecting: nil)
                let form = EditForm(repository: repository, stored: stored, session: session)
                try Output.standard.write(try await form.run().text)
            }
        }
    }

    extension Environment {
        /// All environment variables.
        fileprivate static var all: [String: String] {
            var variables: [String: String] = [:]
            var place = environ
            while let entry = place.pointee {
                let parts = String(cString: entry).split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
                place += 1
            }
            return variables
        }
    }
#endif
