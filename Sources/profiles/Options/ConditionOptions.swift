internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

/// The conditions for the profiles to show. A profile must meet all of them, or one of them with `--or`.
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

    @Flag(help: "Show only profiles that are marked invalid.")
    var invalid = false

    @Flag(name: .customLong("or"), help: "Match profiles that meet any of the conditions, not all of them.")
    var joinsByOr = false

    func validate() throws {
        for text in comparisons where FieldComparison(text) == nil {
            throw ValidationError(
                "--where takes FIELD=VALUE. Instead of = you can use !=, <, <=, > or >=; "
                    + "'\(text.visible(upTo: 64))' has none of them after a field name.")
        }
        for text in comparisons where FieldComparison(text)?.lacksValue ?? false {
            throw ValidationError("'\(text.visible(upTo: 64))' has no value to compare with.")
        }
        for text in contents where Assignment(text) == nil { throw ValidationError("--contains takes FIELD=TEXT.") }
        for text in choices where FieldChoice(text) == nil {
            throw ValidationError(#"--any takes FIELD=A,B with at least one value, and \, for a comma within one."#)
        }
    }

    var isEmpty: Bool { comparisons.isEmpty && contents.isEmpty && choices.isEmpty && !invalid }

    /// The names that the user typed for fields.
    var names: [String] {
        comparisons.compactMap { FieldComparison($0)?.field } + contents.compactMap { Assignment($0)?.field }
            + choices.compactMap { FieldChoice($0)?.field }
    }

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
            // The argument is the key of every schema, even if another field has the header `username`.
            if other.field == FieldName.username.text {
                conditions.append(ProfileQuery.Condition(schema.primaryKey.name, comparison))
            } else {
                try add(other.field, comparison)
            }
        }
        for comparison in comparisons.compactMap(FieldComparison.init) {
            try add(comparison.field, comparison.comparison(withPrefix: prefix))
        }
        for content in contents.compactMap(Assignment.init) { try add(content.field, .contains(content.value)) }
        for choice in choices.compactMap(FieldChoice.init) { try add(choice.field, .isAny(of: choice.values)) }
        if invalid, joinsByOr { try add(ProfileFact.status.name, .equals(ProfileQuery.Status.invalid.rawValue)) }
        return conditions
    }

    /// Whether the lookup reads only a few profiles, because it can use an index that every store has.
    func leaveFewProfiles(_ others: [Assignment], inOrder isOrdered: Bool) -> Bool {
        guard !invalid, !prefix, !joinsByOr else { return false }
        let equal = others.map(\.field) + comparisons.compactMap(FieldComparison.init).filter(\.isEqual).map(\.field)
        if equal.contains(FieldName.username.text) { return true }
        let count = others.count + comparisons.count + contents.count + choices.count
        return equal == [FieldName.phone.text] && count == 1 && !isOrdered
    }
}

/// A comparison of a field with a value, such as `FIELD=VALUE` or `FIELD>=VALUE`.
struct FieldComparison {
    /// Longer operators come first, because `<=` begins with `<`, and `>=` with `>`. `==` means `=`.
    private enum Sign: String, CaseIterable {
        case equalsTwice = "=="
        case differs = "!="
        case isAtMost = "<="
        case isAtLeast = ">="
        case equals = "="
        case isLess = "<"
        case isGreater = ">"
    }

    let field: String
    private let sign: Sign
    private let value: String

    init?(_ text: String) {
        guard let place = text.firstIndex(where: "=!<>".contains) else { return nil }
        field = text[..<place].split(separator: " ").joined(separator: " ")
        guard !field.isEmpty, let sign = Sign.allCases.first(where: { text[place...].hasPrefix($0.rawValue) }) else {
            return nil
        }
        self.sign = sign == .equalsTwice ? .equals : sign
        value = String(text[place...].dropFirst(sign.rawValue.count))
    }

    var isEqual: Bool { sign == .equals && !value.isEmpty }

    /// Whether the operator is `<`, `<=`, `>` or `>=` and its value is missing.
    var lacksValue: Bool { value.isEmpty && sign != .equals && sign != .differs }

    func comparison(withPrefix prefix: Bool) -> ProfileQuery.Comparison {
        switch sign {
        case .equals, .equalsTwice: prefix ? .hasPrefix(value) : value.isEmpty ? .isAbsent : .equals(value)
        case .differs: value.isEmpty ? .isPresent : .differs(from: value)
        case .isLess: .isLess(than: value)
        case .isAtMost: .isAtMost(value)
        case .isGreater: .isGreater(than: value)
        case .isAtLeast: .isAtLeast(value)
        }
    }
}

/// `FIELD=A,B`. Within a value, `\,` stands for a comma, and `\\` stands for a backslash.
struct FieldChoice {
    let field: String
    let values: [String]

    init?(_ text: String) {
        guard let assignment = Assignment(text) else { return nil }
        field = assignment.field
        var values = [""]
        var isEscaped = false
        for character in assignment.value {
            if isEscaped {
                if character != ",", character != "\\" { values[values.count - 1].append("\\") }
                values[values.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "," {
                values.append("")
            } else {
                values[values.count - 1].append(character)
            }
        }
        if isEscaped { values[values.count - 1].append("\\") }
        guard !values.contains("") else { return nil }
        self.values = values
    }
}
