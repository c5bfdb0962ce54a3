extension ProfileValidator {
    /// Whether a field takes a value, on some day at least: for those who look for rules that fit values.
    ///
    /// - Parameters:
    ///   - value: Valid UTF-8, trimmed and not empty.
    ///   - index: The field's position in the schema.
    /// - Returns: Whether it is taken.
    package func takes(_ value: Span<UInt8>, index: Int) -> Bool {
        var issues: [ValidationIssue] = []
        if case .bad = fields[index].judge(value, today: nil, isStored: false, into: &issues) { return false }
        return true
    }
}
