internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

struct InitCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create a store.",
        discussion: """
            The store is one SQLite file, readable by its owner only, or an existing PostgreSQL database. It uses the \
            built-in schema, or that of --schema. In an existing store without profiles, --schema changes the rules.

              profiles init
              profiles init --database team.sqlite --schema team-schema.json
              profiles init --history none
              profiles init --database postgresql://app@one,two,three/profiles
            """)

    @Option(
        help: ArgumentHelp("Use the rules of a schema file.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var schema: String?

    @Option(
        help: ArgumentHelp(
            "Keep the values before each change for 1 to \(HistoryTime.mostDays) days, or \"none\". (default: 90)",
            valueName: "days|none"))
    var history: HistoryTime?

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        let rules = try schema.map { path throws(CommandFailure) in try ProfileSchema(file: path) }
        if try await isThere(rules) { return }
        try await global.withStore("init", whenMissing: .isMade(rules ?? .standard, isConfirmed: true)) { repository in
            try await confirm("Made a store at \(repository.place) with", repository)
        }
    }

    /// Returns whether the store exists. If the store has no profile, puts the given rules into force.
    ///
    /// - Throws: A failure if the store exists and has profiles. Also a failure if the store exists and no rules are
    ///   given.
    private func isThere(_ rules: ProfileSchema?) async throws -> Bool {
        do {
            try await global.withStore("init") { repository in
                guard let rules else { throw alreadyExists(repository.place) }
                let hasRules = SchemaDifference(from: repository.schema, to: rules).isEmpty
                guard try await repository.statistics().profiles == 0 else {
                    if hasRules { throw alreadyExists(repository.place) }
                    throw CommandFailure(
                        .cannotCreate, "\(repository.place) is there already and holds profiles; it is left as it is",
                        "Put other rules into force with \"profiles schema adopt FILE\"")
                }
                if hasRules {
                    return try await confirm("The empty store at \(repository.place) already has", repository)
                }
                _ = try await repository.rules.adopt(rules)
                try await confirm("Changed the rules of the empty store at \(repository.place) to", repository)
            }
            return true
        } catch let error as ProfileStoreError where error.code == .noStore {
            return false
        }
    }

    /// Sets how long the store keeps its history, if `--history` is given. Then reports what was done: `what` is the
    /// beginning of the report, before the name of the schema.
    private func confirm(_ what: String, _ repository: ProfileRepository) async throws {
        var text = "\(what) the schema \"\(repository.schema.name)\""
        if let history {
            try await repository.keepHistory(for: history.duration)
            text += history.duration == .zero ? "; it keeps no history" : "; it keeps its history for \(history)"
        }
        try global.confirm(
            text,
            [
                "database": .string(repository.place), "schema": .string(repository.schema.name),
                "version": .number(repository.rules.inForce.number),
            ])
    }

    private func alreadyExists(_ place: String) -> CommandFailure {
        let failure = CommandFailure(ProfileStoreError.alreadyExists(path: place))
        let advice = "Change the time of its history with \"profiles history --keep DAYS\""
        return CommandFailure(failure.status, lines: failure.lines + (history == nil ? [] : [advice]))
    }
}
