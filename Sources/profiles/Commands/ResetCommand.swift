internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

struct ResetCommand: AsynchronousCommand, SecretTaking, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Create a token for setting a new password, or use one.",
        discussion: """
            Prints a token, alone on standard output and only once. Give it to the user, who can set the password with \
            it once, without the present password. Until the token is used, the present password and all sessions stay \
            valid. Another reset of the same profile, or a new password, makes the token invalid.

            With --redeem the token and the new password are asked for on a terminal, or read from standard input with \
            --stdin, one per line. Setting the password ends every session of the profile.

              profiles reset skboard
              profiles reset skboard --valid-for 2h
              profiles reset --redeem
              cat token new-password | profiles reset --redeem --stdin
            """)

    @Argument(help: "The username of the profile.")
    var username: String?

    @Option(
        help: ArgumentHelp(
            "Let the token expire after this time: a number and s, m, h, d or w. (default: 24h)", valueName: "time"))
    var validFor: TimeSpan?

    @Flag(help: "Set the password with a token.")
    var redeem = false

    @Flag(
        name: .customLong("stdin"), help: "Read the token and the new password from standard input, one per line.")
    var readsStandardInput = false

    @OptionGroup var noSecrets: NoSecretArguments
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        try username?.requireNoToken()
        guard username == nil || !redeem else { throw ValidationError("Give a username or --redeem, not both.") }
        guard username != nil || redeem else {
            throw ValidationError("Give the username of the profile to reset, or --redeem to use a token.")
        }
        guard redeem || !readsStandardInput else { throw ValidationError("--stdin requires --redeem.") }
        guard !redeem || validFor == nil else { throw ValidationError("--valid-for requires a username.") }
    }

    func run() async throws {
        if let username { try await issue(to: username) } else { try await redeemToken() }
    }

    private func issue(to username: String) async throws {
        let issued = try await global.withStore("reset") { repository in
            if let validFor {
                return try await repository.passwords.issueReset(of: username, validFor: validFor.duration)
            }
            return try await repository.passwords.issueReset(of: username)
        }
        let reset = issued.value
        try global.show(
            issued.token, reset.json,
            "Give this token to \(reset.username). It sets a password once, with \"profiles reset --redeem\", "
                + "and expires at \(reset.expiresAt.text).",
            "The present password stays valid until the token is used. The token is not shown again.")
    }

    private func redeemToken() async throws {
        if !readsStandardInput {
            try global.requireTerminal(
                orGive: "the token and the password on standard input with --stdin, one per line")
        }
        let (token, password) = try entered()
        try await global.withStore("reset") { repository in
            let profile: Profile
            do throws(CredentialError) {
                profile = try await repository.passwords.redeemReset(token, password: password)
            } catch {
                switch error {
                case .wrong:
                    throw CommandFailure(
                        .no, "The token is not for a reset, was used, or has expired",
                        "Ask for another one: \"profiles reset USERNAME\"")
                case .store(let error):
                    throw try global.refusal(
                        error, repository.schema, "The password is as it was, and the token can be used again")
                default: throw error
                }
            }
            try global.confirm(
                "Password of \(profile.username) set", ["username": .string(profile.username), "password": "set"])
        }
    }

    private func entered() throws -> (token: Secret, password: Secret) {
        guard !readsStandardInput else {
            let lines = try SecretInput.readLines(2, from: "-")
            return (lines[0], lines[1])
        }
        return (try SecretPrompt.ask("Token"), try PasswordOptions.ask())
    }
}
