public import ProfileCore

/// Generates profiles for any schema: valid ones, invalid ones, and single values.
///
/// ```swift
/// var profiles = RandomProfiles(schema, on: today, using: SeededGenerator(printingSeedOf: "registrations"))
/// let profile = try #require(profiles.valid())
/// ```
public struct RandomProfiles: Sendable {
    private let validator: ProfileValidator
    private let today: CalendarDay
    private var random: SeededGenerator

    /// Creates a generator of profiles for a schema.
    ///
    /// - Parameters:
    ///   - schema: The schema with the rules.
    ///   - today: The current day for the rules.
    ///   - random: The source of random numbers.
    public init(_ schema: ProfileSchema, on today: CalendarDay, using random: SeededGenerator) {
        validator = ProfileValidator(schema)
        self.today = today
        self.random = random
    }

    /// Returns a valid draft with a value in every required field and in some of the others.
    ///
    /// - Returns: The draft. Nil if no valid value was found for a required field: for example, random texts rarely
    ///   match a narrow pattern. Also nil if the whole draft is invalid.
    public mutating func validDraft() -> ProfileDraft? {
        var draft = ProfileDraft()
        for rules in validator.schema.fields where rules.isRequired || random.once(in: 2) {
            if let value = validValue(for: rules) {
                draft[rules.name.text] = value
            } else if rules.isRequired {
                return nil
            }
        }
        // If each field is valid, the whole draft may still be invalid. Therefore the validator checks the whole draft.
        return (try? validator.validate(draft, on: today)) == nil ? nil : draft
    }

    /// Returns a validated profile.
    ///
    /// - Returns: The profile. Nil if ``validDraft()`` returns nil.
    public mutating func valid() -> ValidProfile? {
        validDraft().flatMap { try? validator.validate($0, on: today) }
    }

    /// Returns a draft that the validator rejects.
    ///
    /// - Returns: The draft; nil if no invalid draft was found for the schema.
    public mutating func invalidDraft() -> ProfileDraft? {
        for _ in 0..<Self.tries {
            var draft = validDraft() ?? ProfileDraft()
            guard let rules = validator.schema.fields.randomElement(using: &random) else { return nil }
            draft[rules.name.text] = random.once(in: 3) ? nil : random.value(for: rules) + random.text(0..<3)
            if (try? validator.validate(draft, on: today)) == nil { return draft }
        }
        return nil
    }

    /// Returns a value that is valid for a field.
    ///
    /// - Returns: The value; nil if no valid value was found.
    public mutating func validValue(for rules: FieldRules) -> String? {
        for _ in 0..<Self.tries {
            let value = random.value(for: rules)
            if !value.isEmpty, validator.issues(of: value, in: rules.name, on: today).isEmpty { return value }
        }
        return nil
    }

    private static let tries = 1_000
}
