internal import ArgumentParser
internal import ProfileCore
internal import ProfileLogin
internal import ProfileStore

struct PasscodeCommand: ParsableCommand, SecretTaking {
    static let configuration = CommandConfiguration(
        commandName: "passcode",
        abstract: "Create, validate, edit or remove the passcode of a profile.",
        discussion: """
            A passcode has 8 to 128 characters of any kind. On a terminal a screen asks for it, or with --plain a \
            line without echo. With --stdin it is read from standard input, one entry per line.

              profiles passcode create skboard
              printf 'parislondon\\n' | profiles passcode validate skboard --stdin
            """,
        subcommands: [
            PasscodeCreateCommand.self, PasscodeValidateCommand.self, PasscodeEditCommand.self,
            PasscodeRemoveCommand.self,
        ])
}

struct PasscodeCreateCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Set the passcode of a profile that has none.",
        discussion: """
            The new passcode is entered twice.

              profiles passcode create skboard
              printf 'apple-pie\\napple-pie\\n' | profiles passcode create skboard --stdin
            """)

    @OptionGroup var entry: PasscodeOptions

    func run() async throws { try await entry.run(.create, "created") }
}

struct PasscodeValidateCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check a passcode.",
        discussion: """
            Exits 1 if the passcode is wrong, and 77 after too many wrong ones.

              profiles passcode validate skboard
              printf 'parislondon\\n' | profiles passcode validate skboard --stdin
            """)

    @OptionGroup var entry: PasscodeOptions

    func run() async throws { try await entry.run(.validate, "right") }
}

struct PasscodeEditCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Replace a passcode.",
        discussion: """
            The present passcode is entered once, and the new one twice.

              profiles passcode edit skboard
              profiles passcode edit skboard --stdin < three-lines
            """)

    @OptionGroup var entry: PasscodeOptions

    func run() async throws { try await entry.run(.edit, "changed") }
}

struct PasscodeRemoveCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a passcode, even if it is forgotten.",
        discussion: """
            Asks first on a terminal; elsewhere --yes is required.

              profiles passcode remove skboard
              profiles passcode remove skboard --yes
            """)

    @Argument(help: "The username of the profile.")
    var username: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var noSecrets: NoSecretArguments
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        if !yes { try global.requireTerminal(orGive: "--yes to remove \(username)'s passcode") }
        try await global.withStore("passcode remove") { repository in
            guard try yes || LinePrompt.isConfirmed("Remove the passcode of \(username)") else {
                throw CommandFailure(.no, "Nothing was removed")
            }
            try await repository.passcodes.remove(of: username)
        }
        try global.confirm("Passcode removed", ["key": .string(username), "passcode": "removed"])
    }
}
