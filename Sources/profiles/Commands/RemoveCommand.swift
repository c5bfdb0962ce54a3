internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

struct RemoveCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a profile and its secrets.",
        discussion: """
            Asks first on a terminal; elsewhere --yes is required.

              profiles remove skboard
              profiles remove skboard --yes
            """)

    @Argument(help: "The username of the profile.")
    var username: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        if !yes { try global.requireTerminal(orGive: "--yes to remove \(username)'s profile") }
        try await global.withStore("remove", inOneCall: yes) { repository in
            let profile = try await repository.profile(username: username, expecting: nil)
            guard try yes || isConfirmed(profile) else { throw CommandFailure(.no, "Nothing was removed") }
            try await repository.remove(username)
            try global.confirm(
                "Removed \(profile.username)", ["removed": .string(profile.username), "id": .number(profile.id)])
        }
    }

    private func isConfirmed(_ profile: Profile) throws -> Bool {
        try LinePrompt.isConfirmed("Remove the profile of \(profile.username), id \(profile.id)")
    }
}
