internal import ArgumentParser
internal import ProfileCore
internal import ProfileLogin
internal import ProfileStore
internal import TextLayout

struct LoginCommand: AsynchronousCommand, SecretTaking, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Check a password.",
        discussion: """
            On a terminal a screen asks for missing values, and allows further attempts; with --plain the password is \
            asked for on a line. Exits 1 if the password is wrong or breaks the rules, and 77 after too many wrong \
            passwords.

              profiles login
              profiles login skboard --plain
              profiles login skboard --password-stdin < secret
            """)

    @Argument(help: "The username; asked for on a terminal if it is missing.")
    var username: String?

    @OptionGroup var password: PasswordOptions
    @OptionGroup var asking: AskingOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard username != nil || global.canAsk && !password.readsStandardInput else {
            throw ValidationError("Give a username; there is no terminal to ask on.")
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
            try await global.withStore("login", inOneCall: username != nil && given != nil) { repository in
                let name = try username ?? LinePrompt.ask(repository.schema.primaryKey.title)
                let secret = try given ?? SecretPrompt.ask("Password")
                try await show(
                    try await Self.service(for: repository).logIn(username: name, password: secret), in: repository)
            }
        }
    }

    /// Returns the service that checks logins to a store, for this command and for screens.
    static func service(for repository: ProfileRepository) -> LoginService { LoginService(repository) }

    /// - Returns: The password from the source that the options name. Nil if the command must ask the user for the
    ///   password.
    private func givenPassword() throws -> Secret? {
        if !password.isGiven {
            try global.requireTerminal(orGive: "the password with --password-stdin or --password-file")
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
