internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Say whether a password is right.",
        discussion: """
            Exits 1 when it is wrong or cannot be right, and 77 when there were too many wrong ones.

              profiles login skboard
              profiles login skboard --password-stdin < secret
            """)

    @Argument(help: "Who logs in.")
    var username: String

    @OptionGroup var password: PasswordOptions

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let secret = try entered()
        try await global.withStore("login") { repository in
            let loggedIn = try await Self.service(for: repository).logIn(username: username, password: secret)
            switch global.format {
            case .text: try Output.standard.print(loggedIn.greeting.visible)
            case .json:
                guard let profile = try repository.profile(username: loggedIn.username) else {
                    throw ProfileStoreError.notFound(username: loggedIn.username)
                }
                try global.show(profile)
            }
        }
    }

    /// What logs people in to a store, for whoever asks for the password: this command, or a screen.
    static func service(for repository: ProfileRepository) -> LoginService { LoginService(repository) }

    private func entered() throws(CommandFailure) -> Secret {
        if let secret = try password.read() { return secret }
        guard global.canAsk else {
            throw CommandFailure(
                .usage, "There is no terminal to ask on; give the password with --password-stdin or --password-file")
        }
        return try SecretPrompt.ask("Password")
    }
}
