internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

struct LookupCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "lookup",
        abstract: "Find profiles by their fields.",
        discussion: """
            All conditions must hold. A value is looked up in the form in which it is stored: 78761241 finds 7876-1241. \
            Exits 1 when there is none.

              profiles lookup skboard
              profiles lookup --phone 78761241
              profiles lookup --prefix --where address="12 Main"
              profiles lookup --invalid --limit 20 --format json
            """)

    @Argument(help: "Whose profile, whatever the case of its letters.")
    var username: String?

    @Option(help: ArgumentHelp("The phone.", valueName: "value"))
    var phone: String?

    @Option(help: ArgumentHelp("The address.", valueName: "value"))
    var address: String?

    @Option(help: ArgumentHelp("The postal code.", valueName: "value"))
    var postalCode: String?

    @Option(help: ArgumentHelp("The birthday.", valueName: "value"))
    var birthday: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("The value of any field of the schema; may be repeated.", valueName: "field=value"),
        completion: CompletedWords.assignments)
    var conditions: [String] = []

    @Flag(help: "Only the beginning of each value must be the same.")
    var prefix = false

    @OptionGroup var page: PageOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard !wanted.isEmpty || !conditions.isEmpty || page.invalid else {
            throw ValidationError(
                "Say what to look up: a username, --phone and so on, --where FIELD=VALUE, or --invalid.")
        }
        for condition in conditions where Assignment(condition) == nil {
            throw ValidationError("--where takes FIELD=VALUE.")
        }
    }

    /// Profiles are found by their username or phone at once; what else is asked may have every one of them read.
    var needsThreads: Bool {
        page.invalid || prefix || !conditions.isEmpty || address != nil || postalCode != nil || birthday != nil
    }

    func run() async throws {
        try await global.withStore("lookup") { repository in
            let query = page.query(try wanted.map { try condition($0, in: repository.schema) })
            if try await show(query, of: repository) == 0 { throw nothingFound(query.conditions, in: repository) }
        }
    }

    /// Shows what there is: nothing where a value is none that any profile can have, as is told then.
    private func show(_ query: ProfileQuery, of repository: ProfileRepository) async throws -> Int {
        do {
            return try await global.show(query, of: repository, onlyOneInFull: true)
        } catch ProfileStoreError.invalidQuery(let issues) where issues.allSatisfy({ $0.field != nil }) {
            try global.showNone(of: repository)
            return 0
        }
    }

    /// Everything that was asked for, by field.
    private var wanted: [Assignment] {
        [
            ("username", username), ("phone", phone), ("address", address), ("postal_code", postalCode),
            ("birthday", birthday),
        ].compactMap { field, value in value.map { Assignment(field: field, value: $0) } }
            + conditions.compactMap(Assignment.init)
    }

    private func condition(
        _ wanted: Assignment, in schema: ProfileSchema
    ) throws(CommandFailure) -> ProfileQuery.Condition {
        guard let name = FieldName(schema.name(told: wanted.field)), let rules = schema[name] else {
            let names = schema.openFields.map(\.name.text).joined(separator: ", ")
            throw CommandFailure(.usage, "There is no field \"\(wanted.field)\"; there are \(names)")
        }
        guard !rules.isSecret else { throw CommandFailure(.usage, "Nobody can be looked up by a secret") }
        return ProfileQuery.Condition(name, prefix ? .hasPrefix(wanted.value) : .equals(wanted.value))
    }

    /// Says which profile there is none of, and of which values there can be none: those that break the rules.
    private func nothingFound(
        _ conditions: [ProfileQuery.Condition], in repository: ProfileRepository
    ) -> CommandFailure {
        let impossible = conditions.flatMap { condition -> [String] in
            guard case .equals(let value) = condition.comparison else { return [] }
            return repository.validator.issues(of: value, in: condition.field, on: repository.today)
                .map { "No valid profile has this value: \(repository.schema.message(for: $0))" }
        }
        return CommandFailure(.no, lines: [nothingFound] + impossible)
    }

    private var nothingFound: String {
        if page.after != nil { return "No further profile matches" }
        if wanted.isEmpty { return "No profile is marked invalid" }
        guard let username, wanted.count == 1, !prefix, !page.invalid else {
            return page.invalid ? "No profile that is marked invalid matches" : "No profile matches"
        }
        return "There is no profile \"\(username)\""
    }
}
