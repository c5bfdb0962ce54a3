internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

struct UnlockCommand: AsynchronousCommand, SecretTaking, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Forget the failed attempts at a profile's secrets.",
        discussion: """
            After many wrong passcodes or passwords, further attempts have to wait, and in the end all are refused. \
            This command allows attempts again.

              profiles unlock skboard
            """)

    @Argument(help: "The username of the profile.")
    var username: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        try await global.withStore("unlock", inOneCall: true) { repository in try await repository.unlock(username) }
        try global.confirm("Unlocked \(username)", ["unlocked": .string(username)])
    }
}
