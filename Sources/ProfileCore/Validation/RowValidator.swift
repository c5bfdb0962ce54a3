/// Validates rows one after another and keeps the valid rows. Each row is validated field by field, in the schema's
/// order.
///
/// For each row, the caller calls `beginRow()`, then one of the `judge` methods for each field, then `endRow(_:)`. The
/// first row does not need `beginRow()`.
package struct RowValidator: Sendable {
    package let validator: ProfileValidator
    package let today: CalendarDay
    /// The valid rows.
    package private(set) var profiles: ValidProfiles
    /// All issues of the current or last row.
    private var found: [ValidationIssue] = []

    package init(_ validator: ProfileValidator, today: CalendarDay) {
        self.validator = validator
        self.today = today
        profiles = ValidProfiles(fieldCount: validator.fields.count)
    }

    /// The issues of the current or last row: see ``ValidationFailure/issues``.
    package var issues: [ValidationIssue] {
        found.count <= ValidationFailure.mostIssues ? found : BoundedIssues(found).issues
    }

    package mutating func reserve(rows: Int, bytes: Int) { profiles.reserve(rows: rows, bytes: bytes) }

    /// Begins a row and removes the issues of the previous row.
    package mutating func beginRow() { found.removeAll(keepingCapacity: true) }

    package mutating func report(_ issue: ValidationIssue) { found.append(issue) }

    /// Validates the cell of a field that is not secret.
    ///
    /// - Parameters:
    ///   - raw: Valid UTF-8.
    ///   - index: The field's position in the schema.
    ///   - notation: The notation of the cell.
    @inline(__always)
    package mutating func judge(_ raw: Span<UInt8>, index: Int, as notation: ValueNotation = .typed) {
        let value = raw.trimmed()
        if notation == .stored, value.count != raw.count {
            found.append(ValidationIssue(validator.fields[index].rules.name, .badFormat(expected: .stored)))
            return profiles.appendAbsent()
        }
        guard !value.isEmpty else { return judgeAbsent(index: index) }
        switch validator.fields[index].judge(value, today: today, as: notation, into: &found) {
        case .asGiven: profiles.append(value)
        case .canonical(let text): profiles.append(text.utf8Span.span)
        case .missing: judgeAbsent(index: index)
        case .bad: profiles.appendAbsent()
        }
    }

    /// Validates a field that has no value in this row.
    package mutating func judgeAbsent(index: Int) {
        let field = validator.fields[index]
        if field.rules.isRequired { found.append(ValidationIssue(field.rules.name, .required)) }
        profiles.appendAbsent()
    }

    /// Leaves the next field of the row without a value. Reports no issue, even if the field is required.
    mutating func appendAbsent() { profiles.appendAbsent() }

    /// Validates the secret field: a typed password, a hash, or neither.
    ///
    /// - Parameters:
    ///   - password: Any bytes; empty if there is no password.
    ///   - hash: Any bytes. There is no hash if the text is empty, contains only white space, or is one of the field's
    ///     `missingValues`.
    ///   - index: The field's position in the schema.
    ///   - isStored: Whether the store already has a password for this profile.
    package mutating func judgePassword(
        _ password: Span<UInt8>?, hash: Span<UInt8>?, index: Int, isStored: Bool
    ) {
        let field = validator.fields[index]
        let name = field.rules.name
        var hash = hash?.trimmed().nonEmpty
        if let text = hash, field.isMissingHash(text) { hash = nil }
        switch (password?.nonEmpty, hash) {
        case (nil, nil):
            if field.rules.isRequired, !isStored { found.append(ValidationIssue(name, .required)) }
            profiles.appendAbsent()
        case (_?, _?):
            found.append(ValidationIssue(nil, .badRow(.passwordAndHash)))
            profiles.appendAbsent()
        case (nil, let hash?):
            if let reason = PasswordHash.check(hash) {
                found.append(ValidationIssue(name, .unsupportedHash(reason)))
                profiles.appendAbsent()
            } else {
                profiles.append(hash)
            }
        case (let password?, nil) where !password.isUTF8:
            found.append(ValidationIssue(name, .badEncoding))
            profiles.appendAbsent()
        case (let password?, nil):
            if case .bad = field.judge(password, today: today, as: .typed, into: &found) {
                profiles.appendAbsent()
            } else {
                profiles.appendPassword(Secret(password))
            }
        }
    }

    /// Ends the row. A valid row is kept. For an invalid row, ``issues`` contains the problems.
    ///
    /// - Returns: Whether the row is valid.
    package mutating func endRow(_ origin: ValidProfiles.Origin) -> Bool {
        guard found.isEmpty else {
            profiles.dropUnfinishedRow()
            return false
        }
        profiles.endRow(origin)
        return true
    }

    /// Returns the valid rows, and removes them from this validator.
    package mutating func takeProfiles() -> ValidProfiles {
        defer { profiles = ValidProfiles(fieldCount: validator.fields.count) }
        return profiles
    }

    /// Removes the valid rows. Use this method if you need only the issues.
    package mutating func removeAll() { profiles.removeAll() }
}

extension RowValidator {
    mutating func judge(_ value: DraftValue?, index: Int) {
        guard let value else { return judgeAbsent(index: index) }
        judge(value.text.utf8Span.span, index: index, as: value.isCanonical ? .canonical : .typed)
    }

    mutating func judgePassword(_ password: Secret?, hash: String?, index: Int, isStored: Bool) {
        let hashBytes = hash.map { Array($0.utf8) } ?? []
        guard let password else {
            return judgePassword(nil, hash: hashBytes.span, index: index, isStored: isStored)
        }
        judgePassword(password.bytes, hash: hashBytes.span, index: index, isStored: isStored)
    }
}

extension Span<UInt8> {
    fileprivate var nonEmpty: Span<UInt8>? {
        @_lifetime(copy self) get { isEmpty ? nil : self }
    }

    fileprivate var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }
}
