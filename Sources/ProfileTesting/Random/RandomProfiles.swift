public import ProfileCore

/// Profiles for any schema: valid ones, ones with something wrong, and single values.
///
/// ```swift
/// var profiles = RandomProfiles(schema, on: today, using: SeededGenerator(printingSeedOf: "registrations"))
/// let profile = try #require(profiles.valid())
/// ```
public struct RandomProfiles: Sendable {
    private let validator: ProfileValidator
    private let today: CalendarDay
    private var random: SeededGenerator

    /// Makes profiles by the rules of a schema.
    ///
    /// - Parameters:
    ///   - schema: the rules.
    ///   - today: the day that they go by.
    ///   - random: where chance comes from.
    public init(_ schema: ProfileSchema, on today: CalendarDay, using random: SeededGenerator) {
        validator = ProfileValidator(schema)
        self.today = today
        self.random = random
    }

    /// A draft that passes, with a value in every required field and in some of the others.
    ///
    /// - Returns: nil where no valid value of a required field was found, as with a pattern that few texts match.
    public mutating func validDraft() -> ProfileDraft? {
        var draft = ProfileDraft()
        for rules in validator.schema.fields where rules.isRequired || random.once(in: 2) {
            if let value = validValue(for: rules) {
                draft[rules.name.text] = value
            } else if rules.isRequired {
                return nil
            }
        }
        // Fields may be right one by one and a draft still lack something: the validator has the last word.
        return (try? validator.validate(draft, on: today)) == nil ? nil : draft
    }

    /// A profile that has passed.
    ///
    /// - Returns: nil where no valid value of a required field was found.
    public mutating func valid() -> ValidProfile? {
        validDraft().flatMap { try? validator.validate($0, on: today) }
    }

    /// A draft of which the validator has something to say.
    ///
    /// - Returns: nil for a schema in which nothing was found to be wrong.
    public mutating func invalidDraft() -> ProfileDraft? {
        for _ in 0..<Self.tries {
            var draft = validDraft() ?? ProfileDraft()
            guard let rules = validator.schema.fields.randomElement(using: &random) else { return nil }
            draft[rules.name.text] = random.once(in: 3) ? nil : random.value(for: rules) + random.text(0..<3)
            if (try? validator.validate(draft, on: today)) == nil { return draft }
        }
        return nil
    }

    /// A value that a field takes.
    ///
    /// - Returns: nil where none was found.
    public mutating func validValue(for rules: FieldRules) -> String? {
        for _ in 0..<Self.tries {
            let value = random.value(for: rules)
            if !value.isEmpty, validator.issues(of: value, in: rules.name, on: today).isEmpty { return value }
        }
        return nil
    }

    private static let tries = 1_000
}
