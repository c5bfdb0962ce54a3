internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Say whether a password is right.",
        discussion: """
            Exits 1 when it is wrong, and 77 when there were too many wrong ones.

              profiles login skboard
              profiles login skboard --password-stdin < secret
            """)

    @Argument(help: "Who logs in.")
    var username: String

    @OptionGroup var password: PasswordOptions

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let secret = try entered()
        let profile = try await global.withStore("login") { repository in
            do throws(CredentialError) {
                return try await repository.validatePassword(secret, for: username)
            } catch .wrong {
                throw CommandFailure(.no, "The user credentials are invalid")
            }
        }
        switch global.format {
        case .text: try Output.standard.print("Hello \(profile.username.visible)")
        case .json: try global.show(profile)
        }
    }

    private func entered() throws(CommandFailure) -> Secret {
        if let secret = try password.read() { return secret }
        guard global.canAsk else {
            throw CommandFailure(
                .usage, "There is no terminal to ask on; give the password with --password-stdin or --password-file")
        }
        return try SecretPrompt.ask("Password")
    }
}
