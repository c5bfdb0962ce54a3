extension ProfileValidator {
    /// Whether a field takes a value, on some day at least: for those who look for rules that fit values.
    ///
    /// - Parameters:
    ///   - value: Valid UTF-8, trimmed and not empty.
    ///   - index: The field's position in the schema.
    /// - Returns: Whether it is taken.
    package func takes(_ value: Span<UInt8>, index: Int) -> Bool {
        var issues: [ValidationIssue] = []
        if case .bad = fields[index].judge(value, today: nil, as: .typed, into: &issues) { return false }
        return true
    }

    /// The form in which profiles hold a value, to compare theirs with it. What breaks the field's rules is held by nobody
    /// whom they have judged, though maybe by others: it needs to be of the field's type alone.
    ///
    /// - Throws: The issues of an empty value, and of one that the field's type cannot have.
    package func searchedForm(of value: String, in name: FieldName) throws(ValidationFailure) -> String {
        guard let index = schema.index(of: name) else {
            throw ValidationFailure([ValidationIssue(nil, .unknownField(name.text))])
        }
        if let stored = fields[index].canonical(value) { return stored }
        guard !value.utf8Span.span.trimmed().isEmpty else {
            throw ValidationFailure([ValidationIssue(name, .required)])
        }
        // Any text is a string.
        if fields[index].rules.type == .string { return value }
        return try FieldValidator(fields[index].rules.ofTypeAlone).formOfType(value)
    }
}

extension FieldValidator {
    /// The stored form of a value as it may be typed, or stored.
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
    /// Without bounds, lists and patterns: what is left says how values of the type are written.
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
