extension ProfileValidator {
    /// Returns whether a field accepts a value. Rules about today are ignored. Schema inference uses this method to
    /// find rules that accept the given values.
    ///
    /// - Parameters:
    ///   - value: Valid UTF-8, trimmed and not empty.
    ///   - index: The field's position in the schema.
    ///   - notation: The notation of the value.
    /// - Returns: Whether the field accepts the value.
    package func takes(_ value: Span<UInt8>, index: Int, as notation: ValueNotation = .typed) -> Bool {
        var issues: [ValidationIssue] = []
        if case .bad = fields[index].judge(value, today: nil, as: notation, into: &issues) { return false }
        return true
    }

    /// Returns the stored form of a value, for comparisons with stored values. The value must have the field's type,
    /// but it can break other rules. Profiles that were stored under an earlier schema can break these rules too.
    ///
    /// - Throws: The issues, if the value is empty or does not have the field's type, or if the field is unknown.
    package func searchedForm(of value: String, in name: FieldName) throws(ValidationFailure) -> String {
        let fact = ProfileFact(name: name.text)
        let index = schema.index(of: name)
        if let index, let stored = fields[index].canonical(value) { return stored }
        guard index == nil && fact == nil || !value.utf8Span.span.trimmed().isEmpty else {
            throw ValidationFailure([ValidationIssue(name, .required)])
        }
        guard let index else {
            guard let fact, let rules = fact.rules else {
                throw ValidationFailure([ValidationIssue(nil, .unknownField(name.text))])
            }
            return fact.stored(try FieldValidator(rules).formOfType(fact.completed(value)))
        }
        // Every text is a value of the type string.
        if fields[index].rules.type == .string { return value }
        return try FieldValidator(fields[index].rules.ofTypeAlone).formOfType(value)
    }
}

extension FieldValidator {
    /// Returns the stored form of a value. The value is in the notation of the field or in the stored form.
    fileprivate func formOfType(_ text: String) throws(ValidationFailure) -> String {
        let bytes = Array(text.utf8)
        let value = bytes.span.trimmed()
        var issues: [ValidationIssue] = []
        switch judge(value, today: nil, as: .typed, into: &issues) {
        case .asGiven: return String(value)
        case .canonical(let text): return text
        case .missing, .bad: break
        }
        var ignored: [ValidationIssue] = []
        guard case .asGiven = judge(value, today: nil, as: .stored, into: &ignored) else {
            throw ValidationFailure(issues)
        }
        return String(value)
    }
}

extension FieldRules {
    /// The field's rules for the notation of values. They contain no bounds, no pattern, and no list of allowed or
    /// missing values.
    fileprivate var ofTypeAlone: FieldRules {
        var rules = self
        rules.minimum = nil
        rules.maximum = nil
        rules.pattern = nil
        rules.allowedValues = []
        rules.missingValues = []
        return rules
    }
}
