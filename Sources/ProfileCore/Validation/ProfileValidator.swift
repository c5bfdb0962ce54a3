/// A schema compiled once, and the only door to the store: judges drafts and makes a ``ValidProfile`` of each that
/// passes.
public struct ProfileValidator: Sendable {
    /// The rules that it judges by.
    public let schema: ProfileSchema
    let fields: [FieldValidator]

    /// Compiles a schema; worth keeping.
    public init(_ schema: ProfileSchema) {
        self.schema = schema
        fields = schema.fields.map(FieldValidator.init)
    }

    /// Judges a whole draft.
    ///
    /// - Parameters:
    ///   - draft: What was typed or sent.
    ///   - today: The day that a rule such as "not in the future" goes by, usually the current one in UTC.
    ///   - hasPassword: The profile is stored and has a password, so that the draft need not bring one.
    /// - Returns: The profile, fit to be stored.
    /// - Throws: Every issue of every field, in field order, then the names that the schema does not know (S3), up to
    ///   ``ValidationFailure/mostIssues`` one by one.
    public func validate(
        _ draft: ProfileDraft, on today: CalendarDay, hasPassword: Bool = false
    ) throws(ValidationFailure) -> ValidProfile {
        var rows = RowValidator(self, today: today)
        var unknown = Set(draft.values.keys)
        for (index, field) in schema.fields.enumerated() {
            if field.isSecret {
                rows.judgePassword(draft.password, hash: draft.passwordHash, index: index, isStored: hasPassword)
            } else {
                unknown.remove(field.name.text)
                rows.judge(draft.values[field.name.text], index: index)
            }
        }
        for name in unknown.sorted() { rows.report(ValidationIssue(nil, .unknownField(name))) }
        if !schema.hasPassword {
            if draft.password != nil { rows.report(ValidationIssue(nil, .unknownField(FieldName.password.text))) }
            if draft.passwordHash != nil { rows.report(ValidationIssue(nil, .unknownField(ProfileDraft.hashName))) }
        }
        guard rows.endRow(ValidProfiles.Origin(line: 1, record: 1)) else { throw ValidationFailure(rows.issues) }
        return ValidProfile(schema: schema, rows: rows.profiles)
    }

    /// Judges one value on its own, as a form does when a field ends.
    ///
    /// - Returns: Its issues; none for a value that is valid, or empty and not required.
    public func issues(of value: String, in name: FieldName, on today: CalendarDay) -> [ValidationIssue] {
        guard let index = schema.index(of: name) else { return [ValidationIssue(nil, .unknownField(name.text))] }
        return issues(of: value.utf8Span.span, index: index, on: today, hasPassword: false)
    }

    /// The same for a field by its position, with bytes that need no `String`: valid UTF-8, which may be a secret.
    package func issues(
        of value: Span<UInt8>, index: Int, on today: CalendarDay, hasPassword: Bool
    ) -> [ValidationIssue] {
        var rows = RowValidator(self, today: today)
        if schema.fields[index].isSecret {
            rows.judgePassword(value, hash: nil, index: index, isStored: hasPassword)
        } else {
            rows.judge(value, index: index)
        }
        return rows.issues
    }

    /// The form in which a value would be stored, to look it up by; nil where no stored profile can have it.
    public func storedForm(of value: String, in name: FieldName) -> String? {
        guard let index = schema.index(of: name), !schema.fields[index].isSecret else { return nil }
        return fields[index].canonical(value)
    }
}
