internal import ArgumentParser
internal import ProfileCore
internal import ProfileLogin
internal import ProfileStore
internal import TextLayout

struct LoginCommand: AsynchronousCommand, SecretTaking, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Say whether a password is right.",
        discussion: """
            On a terminal a screen asks for what is missing, and lets one try again; with --plain the password is \
            asked for on a line. Exits 1 when it is wrong or cannot be right, and 77 when there were too many wrong \
            ones.

              profiles login
              profiles login skboard --plain
              profiles login skboard --password-stdin < secret
            """)

    @Argument(help: "Who logs in; asked for on a terminal.")
    var username: String?

    @OptionGroup var password: PasswordOptions
    @OptionGroup var asking: AskingOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard username != nil || global.canAsk && !password.readsStandardInput else {
            throw ValidationError("Say who logs in; there is no terminal to ask on.")
        }
    }

    func run() async throws {
        if !password.isGiven, case .onScreen = global.asking(asking) {
            try await global.withStore("login") { repository in
                let screen = LoginScreen(
                    username: username, repository: repository, service: Self.service(for: repository),
                    welcomes: username == nil)
                try await show(try await screen.run(), in: repository)
            }
        } else {
            let given = try givenPassword()
            try await global.withStore("login") { repository in
                let name = try username ?? LinePrompt.ask(repository.schema.primaryKey.title)
                let secret = try given ?? SecretPrompt.ask("Password")
                try await show(
                    try await Self.service(for: repository).logIn(username: name, password: secret), in: repository)
            }
        }
    }

    /// What logs people in to a store, for whoever asks for the password: this command, or a screen.
    static func service(for repository: ProfileRepository) -> LoginService { LoginService(repository) }

    /// - Returns: Nil where it is to be asked for.
    private func givenPassword() throws -> Secret? {
        guard password.isGiven || global.canAsk else {
            throw CommandFailure(
                .usage, "There is no terminal to ask on; give the password with --password-stdin or --password-file")
        }
        return try password.read()
    }

    private func show(_ profile: LoggedInProfile, in repository: ProfileRepository) async throws {
        switch global.format {
        case .text: try Output.standard.print(profile.greeting.visible)
        case .json:
            guard let stored = try await repository.profile(username: profile.username) else {
                throw ProfileStoreError.notFound(username: profile.username)
            }
            try global.show(stored)
        }
    }
}
