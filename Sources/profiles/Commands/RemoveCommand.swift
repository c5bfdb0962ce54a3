internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

struct RemoveCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a profile and its secrets.",
        discussion: """
            Asks first on a terminal; elsewhere --yes is required. The history keeps the values of a removed profile for \
            some time. With --erase the store keeps nothing: no history, no attempts, no author. Backups may still have \
            it. A profile that was removed before is erased by its id, which "profiles history" shows.

              profiles remove skboard
              profiles remove skboard --yes --erase
              profiles remove --erase --id 7
            """)

    @Argument(help: "The username of the profile.")
    var username: String?

    @Option(help: ArgumentHelp("The id of the profile, for --erase.", valueName: "id"))
    var id: Int64?

    @Flag(help: "Remove the history and every other trace of the profile too.")
    var erase = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard (username == nil) != (id == nil) else { throw ValidationError("Give a username, or --erase with --id.") }
        guard id == nil || erase else { throw ValidationError("--id is for --erase.") }
    }

    func run() async throws {
        if !yes { try global.requireTerminal(orGive: "--yes to remove \(username.map { "\($0)'s" } ?? "the") profile") }
        try await global.withStore("remove", inOneCall: yes) { repository in
            guard let profile = try await profile(in: repository) else { return try await eraseRest(in: repository) }
            guard try yes || isConfirmed(profile) else { throw CommandFailure(.no, "Nothing was removed") }
            if erase {
                _ = try await repository.erase(id: profile.id)
            } else {
                try await repository.remove(profile.username)
            }
            try global.confirm(
                "Removed \(profile.username)",
                ["removed": .string(profile.username), "id": .number(profile.id), "is_erased": .bool(erase)])
            if !erase { try await tellWhatIsKept(of: profile, in: repository) }
        }
    }

    /// Returns the profile to remove; nil if the profile with the given id was removed before.
    private func profile(in repository: ProfileRepository) async throws -> Profile? {
        guard let username else { return try await repository.profile(id: id ?? 0) }
        return try await repository.profile(username: username, expecting: nil)
    }

    /// Erases a profile that was removed before.
    private func eraseRest(in repository: ProfileRepository) async throws {
        let id = id ?? 0
        guard
            try yes || LinePrompt.isConfirmed("Erase everything that is kept of the removed profile with the id \(id)")
        else { throw CommandFailure(.no, "Nothing was erased") }
        guard try await repository.erase(id: id) else {
            throw CommandFailure(.no, "The store has nothing of a profile with the id \(id)")
        }
        try global.confirm("Erased the profile with the id \(id)", ["id": .number(id), "is_erased": true])
    }

    private func tellWhatIsKept(of profile: Profile, in repository: ProfileRepository) async throws {
        let time = try await repository.historyTime()
        guard time > .zero else { return }
        let day = Timestamp.now().advanced(by: time).description.prefix(10)
        global.note(
            "The history keeps its values until \(day); \"profiles remove --erase --id \(profile.id)\" removes them.")
    }

    private func isConfirmed(_ profile: Profile) throws -> Bool {
        try LinePrompt.isConfirmed(
            "Remove \(erase ? "every trace of " : "")the profile of \(profile.username), id \(profile.id)")
    }
}
