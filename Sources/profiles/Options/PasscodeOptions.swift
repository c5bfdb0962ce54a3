internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

/// Whose pass code it is and where the entries come from; runs the dialogue with them.
struct PasscodeOptions: ParsableArguments {
    @Argument(help: "Whose pass code.")
    var username: String

    @Flag(name: .customLong("stdin"), help: "Read the entries from standard input, one a line.")
    var readsStandardInput = false

    @OptionGroup var noSecrets: NoSecretArguments
    @OptionGroup var global: GlobalOptions

    /// Goes through a dialogue, does what comes out of it, and says that the pass code is "right", "created" or the like.
    func run(_ kind: PasscodeFlow.Kind, _ outcome: String) async throws {
        let request = try request(of: kind)
        try await global.withStore("passcode \(kind.rawValue)") { repository in
            switch request {
            case .create(let new): try await repository.createPasscode(new, for: username)
            case .validate(let passcode): try await repository.validatePasscode(passcode, for: username)
            case .edit(let present, let new): try await repository.editPasscode(from: present, to: new, for: username)
            }
        }
        try global.confirm("Pass code \(outcome)", ["username": .string(username), "passcode": .string(outcome)])
    }

    private func request(of kind: PasscodeFlow.Kind) throws -> PasscodeFlow.Request {
        var flow = PasscodeFlow(kind)
        if readsStandardInput {
            for line in try SecretInput.readLines(kind.entries.count, from: "-") {
                if let request = try flow.enter(line) { return request }
            }
        } else if global.canAsk {
            global.note(kind.title)
            while let entry = flow.prompt {
                if let request = try flow.enter(SecretPrompt.ask(entry.label)) { return request }
            }
        }
        throw CommandFailure(
            .usage, "There is no terminal to ask on; give the entries on standard input with --stdin, one a line")
    }
}

extension PasscodeFlow.Entry {
    fileprivate var label: String {
        switch self {
        case .present: "Pass code"
        case .new: "New pass code"
        case .repeated: "Repeat new pass code"
        }
    }
}
