internal import ArgumentParser
internal import ProfileCore
internal import ProfileLogin
internal import ProfileStore

/// The arguments of the passcode subcommands: the profile, and the source of the entries.
struct PasscodeOptions: ParsableArguments, ResultWriting {
    @Argument(help: "The username of the profile.")
    var username: String

    @Flag(name: .customLong("stdin"), help: "Read the entries from standard input, one per line.")
    var readsStandardInput = false

    @OptionGroup var asking: AskingOptions
    @OptionGroup var noSecrets: NoSecretArguments
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    /// Runs a passcode flow, performs the request that it produces, and reports the outcome, such as "right" or
    /// "created".
    func run(_ kind: PasscodeFlow.Kind, _ outcome: String) async throws {
        let command = "passcode \(kind.rawValue)"
        if !readsStandardInput, case .onScreen = global.asking(asking) {
            try await global.withStore(command) { repository in
                try await PasscodeScreen(kind: kind, username: username, repository: repository).run()
            }
        } else {
            if !readsStandardInput {
                try global.requireTerminal(orGive: "the entries on standard input with --stdin, one per line")
            }
            try await global.withStore(command) { repository in
                if kind == .create { try await repository.passcodes.requireNone(of: username) }
                try await repository.carryOut(try request(of: kind), for: username)
            }
        }
        try global.confirm("Passcode \(outcome)", ["key": .string(username), "passcode": .string(outcome)])
    }

    private func request(of kind: PasscodeFlow.Kind) throws -> PasscodeFlow.Request? {
        var flow = PasscodeFlow(kind)
        var request: PasscodeFlow.Request?
        if readsStandardInput {
            for line in try SecretInput.readLines(kind.entries.count, from: "-") { request = try flow.enter(line) }
        } else {
            global.note(kind.title)
            while let entry = flow.prompt { request = try flow.enter(SecretPrompt.ask(entry.label)) }
        }
        return request
    }
}
