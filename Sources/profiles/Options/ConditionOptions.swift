internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

/// The conditions that select profiles. A profile must meet all of them, or at least one of them with `--or`.
struct ConditionOptions: ParsableArguments {
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Compare a field by =, !=, <, <=, > or >=. The field is a name, title or header of the schema, or one of "
                + "\(ConditionOptions.facts). FIELD= matches profiles without a value, FIELD!= those with one. May be repeated.",
            valueName: "field=value"),
        completion: CompletedWords.assignments)
    var comparisons: [String] = []

    @Option(
        name: .customLong("contains"),
        help: ArgumentHelp(
            "Match a text anywhere in a field, ignoring case and accents; may be repeated.",
            valueName: "field=text"),
        completion: CompletedWords.assignments)
    var contents: [String] = []

    @Option(
        name: .customLong("any"),
        help: ArgumentHelp(
            "Match any of several values, separated by commas; \\, is a comma within a value. May be repeated.",
            valueName: "field=a,b"),
        completion: CompletedWords.assignments)
    var choices: [String] = []

    /// The facts that can be compared.
    private static var facts: String {
        ProfileFact.allCases.filter { $0.rules != nil }.map(\.name).joined(separator: ", ")
    }

    @Flag(help: "Match values that begin with the given one, in conditions with =.")
    var prefix = false

    @Flag(help: "Match only profiles that are marked invalid.")
    var invalid = false

    @Flag(
        name: .customLong("or"),
        help: "Match profiles that meet any of the conditions, instead of all of them.")
    var joinsByOr = false

    func validate() throws {
        for text in comparisons {
            do throws(WrittenCondition.Fault) {
                _ = try WrittenCondition(comparing: text)
            } catch {
                switch error {
                case .noOperator:
                    throw ValidationError(
                        "--where takes FIELD=VALUE. Instead of = you can use !=, <, <=, > or >=; "
                            + "'\(text.visible(upTo: 64))' has none of them after a field name.")
                case .noValue: throw ValidationError("'\(text.visible(upTo: 64))' has no value to compare with.")
                }
            }
        }
        for text in contents where WrittenCondition(containing: text) == nil {
            throw ValidationError("--contains takes FIELD=TEXT.")
        }
        for text in choices where WrittenCondition(choosing: text) == nil {
            throw ValidationError(#"--any takes FIELD=A,B with at least one value, and \, for a comma within one."#)
        }
    }

    var isEmpty: Bool { comparisons.isEmpty && contents.isEmpty && choices.isEmpty && !invalid }

    /// The names that the user typed for fields.
    var names: [String] { written.map(\.field) }

    /// The conditions as the user wrote them.
    private var written: [WrittenCondition] {
        compared + contents.compactMap(WrittenCondition.init(containing:))
            + choices.compactMap(WrittenCondition.init(choosing:))
    }

    /// The conditions of `--where`.
    private var compared: [WrittenCondition] { comparisons.compactMap { try? WrittenCondition(comparing: $0) } }

    /// The status that every profile must have. With `--or`, `--invalid` is one of the conditions.
    var status: ProfileQuery.Status? { invalid && !joinsByOr ? .invalid : nil }

    /// Returns all conditions: first `others`, which come from other options, and then the conditions of these options.
    func conditions(
        _ others: [Assignment] = [], in schema: ProfileSchema
    ) throws(CommandFailure) -> [ProfileQuery.Condition] {
        var conditions: [ProfileQuery.Condition] = []
        func add(_ field: String, _ comparison: ProfileQuery.Comparison) throws(CommandFailure) {
            let rules = try schema.comparedField(told: field, forbidden: "Profiles cannot be looked up by a secret")
            conditions.append(ProfileQuery.Condition(rules.name, comparison))
        }
        for other in others {
            let comparison: ProfileQuery.Comparison = prefix ? .hasPrefix(other.value) : .equals(other.value)
            // The argument `username` means the key of the schema, even if another field has the header `username`.
            if other.field == FieldName.username.text {
                conditions.append(ProfileQuery.Condition(schema.primaryKey.name, comparison))
            } else {
                try add(other.field, comparison)
            }
        }
        for condition in written {
            try add(condition.field, prefix ? condition.comparison.withPrefix : condition.comparison)
        }
        if invalid, joinsByOr { try add(ProfileFact.status.name, .equals(ProfileQuery.Status.invalid.rawValue)) }
        return conditions
    }

    /// Returns the query for all profiles that meet the conditions.
    func query(in schema: ProfileSchema) throws(CommandFailure) -> ProfileQuery {
        ProfileQuery(try conditions(in: schema), joinsByOr: joinsByOr, status: status)
    }

    /// Whether the lookup reads only a few profiles, because it can use an index that every store has.
    func leaveFewProfiles(_ others: [Assignment], inOrder isOrdered: Bool) -> Bool {
        guard !invalid, !prefix, !joinsByOr else { return false }
        let equal = others.map(\.field) + compared.filter(\.isEqual).map(\.field)
        if equal.contains(FieldName.username.text) { return true }
        let count = others.count + comparisons.count + contents.count + choices.count
        return equal == [FieldName.phone.text] && count == 1 && !isOrdered
    }
}

extension WrittenCondition {
    fileprivate var isEqual: Bool { if case .equals = comparison { true } else { false } }
}

extension ProfileQuery.Comparison {
    /// The comparison with `--prefix`: a comparison with `=` then matches values that begin with the given value.
    fileprivate var withPrefix: ProfileQuery.Comparison {
        switch self {
        case .equals(let value): .hasPrefix(value)
        case .isAbsent: .hasPrefix("")
        default: self
        }
    }
}
