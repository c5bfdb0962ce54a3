internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

struct RemoveCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a profile and its secrets, or all profiles that meet conditions.",
        discussion: """
            Asks first on a terminal; elsewhere --yes is required. The history keeps the values of a removed profile for \
            some time. With --erase the store keeps nothing: no history, no attempts, no author. Backups may still have \
            it. A profile that was removed before is erased by its id, which "profiles history" shows.

              profiles remove skboard
              profiles remove skboard --yes --erase
              profiles remove --erase --id 7

            With conditions, all profiles that meet them are removed; "profiles undo" restores them without their \
            passwords.

              profiles remove --where town=Atlantis --dry-run
            """)

    @Argument(help: "The username of the profile.")
    var username: String?

    @Option(help: ArgumentHelp("The id of the profile, for --erase.", valueName: "id"))
    var id: Int64?

    @Flag(help: "Remove the history and every other trace of the profile too.")
    var erase = false

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var many: ManyOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    private var yes: Bool { many.yes }

    func validate() throws {
        if try many.areMeant(insteadOf: username, with: conditions) {
            guard id == nil, !erase else { throw ValidationError("--id and --erase are for one profile.") }
            return
        }
        guard username == nil || id == nil else { throw ValidationError("Give a username or --id, not both.") }
        guard username != nil || id != nil else {
            throw ValidationError("Give a username, a condition such as --where, --all, or --erase with --id.")
        }
        guard id == nil || erase else { throw ValidationError("--id is for --erase.") }
    }

    func run() async throws {
        if many.all || !conditions.isEmpty { return try await removeMany() }
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

    private func removeMany() async throws {
        if !many.dryRun, !yes { try global.requireTerminal(orGive: "--yes or --dry-run") }
        try await global.withStore("remove") { repository in
            var query = try conditions.query(in: repository.schema)
            query.limit = Self.mostShown
            if many.dryRun || !yes {
                let count = try await repository.count(query)
                let first = try await repository.profiles(query).profiles
                try tell(count, first)
                if many.dryRun { return }
                guard count > 0 else { throw CommandFailure(.no, "There is nothing to remove") }
                guard try LinePrompt.isConfirmed("Remove \(count == 1 ? "it" : "them")") else {
                    throw CommandFailure(.no, "Nothing was removed")
                }
            }
            query.limit = ProfileQuery.usualLimit
            let report = try await removing(query, in: repository)
            let changed = report.changed > 0 ? "; \(report.changed) were changed meanwhile, and stay" : ""
            try global.confirm(
                "Removed \(report.removed) \(report.removed == 1 ? "profile" : "profiles")\(changed)",
                ["removed": .number(report.removed), "changed_meanwhile": .number(report.changed)])
            if report.removed == 0 { throw CommandFailure(.no, lines: []) }
        }
    }

    private static let mostShown = 10

    /// Shows what would be removed.
    private func tell(_ count: Int, _ first: [Profile]) throws {
        if global.format == .json, many.dryRun {
            let usernames = first.map { JSONValue.string($0.username) }
            try Output.standard.print(
                (["is_dry_run": true, "found": .number(count), "first": .array(usernames)] as JSONValue).text(
                    indented: true))
            return
        }
        let lines =
            ["\(count.counted("profile")) would be removed."]
            + first.map { "  " + $0.values.compactMap(\.self).joined(separator: ", ").visible(upTo: 76) }
            + (count > first.count ? ["  … and \(count - first.count) more"] : [])
        for line in lines { if many.dryRun { try Output.standard.print(line) } else { global.note(line) } }
    }

    /// Removes the profiles in batches. After Ctrl-C, each batch is removed completely or not at all.
    private func removing(_ query: ProfileQuery, in repository: ProfileRepository) async throws -> RemovalReport {
        do {
            return try await Interruption.cancelling(isQuiet: global.quiet) {
                try await repository.remove(matching: query)
            }
        } catch let stopped as StoppedWrite<RemovalReport> {
            let removed = stopped.report.removed
            throw CommandFailure(stopped.error, after: removed > 0 ? "\(removed.counted("profile")) removed" : nil)
        }
    }

    /// Returns the profile to remove; nil if no profile has the given id, for example because it was removed before.
    ///
    /// - Throws: A failure if no profile has the given username. If such a profile was removed before, the failure says
    ///   how to erase it.
    private func profile(in repository: ProfileRepository) async throws -> Profile? {
        guard let username else { return try await repository.profile(id: id ?? 0) }
        do throws(ProfileStoreError) {
            return try await repository.profile(username: username, expecting: nil)
        } catch {
            guard erase, error.code == .notFound, let last = try await repository.history(of: username)?.first,
                last.kind == .removed
            else { throw error }
            let id = last.profileIDs.lowerBound
            throw CommandFailure(
                .no,
                lines: CommandFailure(error).lines
                    + ["It was removed: erase the rest with \"profiles remove --erase --id \(id)\""])
        }
    }

    /// Erases what the store still keeps of a profile that was removed before, such as its history.
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
