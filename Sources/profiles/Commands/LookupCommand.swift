internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

struct LookupCommand: QueryCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "lookup",
            abstract: "Find profiles by their fields.",
            discussion: """
                All conditions must hold, or one of them with --or. Values are compared in their stored form: \
                78761241 finds 7876-1241. Exits 1 if no profile matches. If one profile matches, it is shown in full.

                  profiles lookup skboard
                  profiles lookup --phone 78761241
                  profiles lookup --prefix --where address="12 Main"
                  profiles lookup --where 'birthday>=1990-01-01' --sort birthday
                  profiles lookup --any postal_code=10001,10002 --contains address=main
                  profiles lookup --or --phone 78761241 --where address="12 Main St" --count
                  profiles lookup --invalid --limit 20 --format json

                \(CompletedWords.fieldList)
                """)
    }

    @Argument(help: "The username of the profile, in upper or lower case.")
    var username: String?

    @Option(help: CompletedWords.help(ofField: .phone, "The phone."))
    var phone: String?

    @Option(help: CompletedWords.help(ofField: .address, "The address."))
    var address: String?

    @Option(help: CompletedWords.help(ofField: .postalCode, "The postal code."))
    var postalCode: String?

    @Option(help: CompletedWords.help(ofField: .birthday, "The birthday."))
    var birthday: String?

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var order: OrderOptions
    @OptionGroup var page: PageOptions
    @OptionGroup var listing: ListingOptions
    @OptionGroup var store: StoreOptions

    func validate() throws {
        guard !named.isEmpty || !conditions.isEmpty else {
            throw ValidationError(
                "Say what to look up: a username, --phone and so on, --where FIELD=VALUE, or --invalid.")
        }
    }

    var needsThreads: Bool { needsThreads(named) }

    func run() async throws {
        try await withStore("lookup", inOneCall: isOnePage) { repository in
            let query = try query(named, in: repository.schema)
            if try await !isAnyShown(query, of: repository) { throw nothingFound(query.conditions, in: repository) }
        }
    }

    /// Shows the profiles that match, and returns whether there are any. If the store refuses a value of the query,
    /// because the value does not have the type of its field, the result is empty.
    private func isAnyShown(_ query: ProfileQuery, of repository: ProfileRepository) async throws -> Bool {
        do {
            return try await answer(query, of: repository, onlyOneInFull: true)
        } catch let error as ProfileStoreError
            where error.code == .invalidQuery && error.issues?.allSatisfy({ $0.field != nil }) == true
            && query.conditions.allSatisfy(\.isOfEquality) && !query.joinsByOr && !listing.explain
        {
            try showNone(of: repository)
            return false
        }
    }

    /// The conditions from the argument `username` and the options `--phone`, `--address`, `--postal-code` and
    /// `--birthday`.
    private var named: [Assignment] {
        [
            ("username", username), ("phone", phone), ("address", address), ("postal_code", postalCode),
            ("birthday", birthday),
        ].compactMap { field, value in value.map { Assignment(field: field, value: $0) } }
    }

    /// Makes the failure for a lookup that found nothing. The failure also names the values that break the rules,
    /// because no valid profile has such a value.
    private func nothingFound(
        _ conditions: [ProfileQuery.Condition], in repository: ProfileRepository
    ) -> CommandFailure {
        CommandFailure(.no, lines: [nothingFound] + repository.impossible(conditions))
    }

    private var nothingFound: String {
        if page.after != nil { return "No further profile matches" }
        var others = conditions
        others.invalid = false
        if named.isEmpty, others.isEmpty { return "No profile is marked invalid" }
        guard let username, named.count == 1, others.isEmpty, !conditions.prefix, !conditions.invalid else {
            return conditions.status == .invalid ? "No profile that is marked invalid matches" : "No profile matches"
        }
        return .noProfile(username)
    }
}

extension ProfileRepository {
    /// Returns a message for each value that breaks the rules, or that a fact, such as `_id`, cannot have. No valid
    /// profile has such a value.
    func impossible(_ conditions: [ProfileQuery.Condition]) -> [String] {
        conditions.flatMap { condition -> [String] in
            guard case .equals(let value) = condition.comparison else { return [] }
            var issues: [ValidationIssue] = []
            if schema[condition.field] != nil {
                issues = validator.issues(of: value, in: condition.field, on: today)
            } else {
                do throws(ValidationFailure) {
                    _ = try validator.searchedForm(of: value, in: condition.field)
                } catch {
                    issues = error.issues
                }
            }
            return issues.map { "No valid profile has this value: \(schema.message(for: $0))" }
        }
    }
}

extension String {
    /// The message for a username that no profile has.
    static func noProfile(_ username: String) -> String { "There is no profile \"\(username)\"" }
}

extension ProfileQuery.Condition {
    /// Whether the condition compares whole values for equality.
    fileprivate var isOfEquality: Bool { if case .equals = comparison { true } else { false } }
}
