/// Validates drafts against a compiled schema. Only this type creates a ``ValidProfile``, and a store accepts only a
/// ``ValidProfile``.
public struct ProfileValidator: Sendable {
    /// The rules.
    public let schema: ProfileSchema
    let fields: [FieldValidator]

    /// Compiles a schema. To validate several drafts, use the same validator again.
    public init(_ schema: ProfileSchema) {
        self.schema = schema
        fields = schema.fields.map(FieldValidator.init)
    }

    /// Validates a whole draft.
    ///
    /// If the values of other fields form the primary key, the draft needs no value for the primary key. If the draft
    /// has a primary key, this must be the key that the other values form.
    ///
    /// - Parameters:
    ///   - draft: The values that a person typed or a client sent.
    ///   - today: The day for rules such as "not in the future", usually the current day in UTC.
    ///   - hasPassword: Whether the profile is stored and has a password. If so, the draft needs no password.
    /// - Returns: The valid profile.
    /// - Throws: All issues of all fields, in the order of the fields, and then one issue for each name that the schema
    ///   does not know (S3). If there are more than ``ValidationFailure/mostIssues`` issues, the others are only
    ///   counted.
    public func validate(
        _ draft: ProfileDraft, on today: CalendarDay, hasPassword: Bool = false
    ) throws(ValidationFailure) -> ValidProfile {
        var rows = RowValidator(self, today: today)
        guard judge(draft, hasPassword: hasPassword, &rows) else { throw ValidationFailure(rows.issues) }
        return ValidProfile(schema: schema, rows: rows.profiles)
    }

    /// Validates a whole draft as the next row; see ``validate(_:on:hasPassword:)``.
    ///
    /// - Returns: Whether the row is valid. If it is not, the issues of `rows` say why.
    package func judge(_ draft: ProfileDraft, hasPassword: Bool, _ rows: inout RowValidator) -> Bool {
        rows.beginRow()
        var (position, knownCount) = (0, 0)
        for index in schema.fields.indices {
            if schema.fields[index].isSecret {
                rows.judgePassword(draft.password, hash: draft.passwordHash, index: index, isStored: hasPassword)
            } else {
                let value = draft.value(of: schema.fields[index].name.text, after: &position)
                if value != nil { knownCount += 1 }
                judge(value, index: index, of: draft, &rows)
            }
        }
        if draft.count > knownCount || !draft.clearedNames.isEmpty {
            let unknown = draft.clearedNames.union(draft.values.keys)
                .subtracting(schema.openFields.map(\.name.text) + [FieldName.password.text, ProfileDraft.hashName])
            for name in unknown.sorted() { rows.report(ValidationIssue(nil, .unknownField(name))) }
        }
        if !schema.hasPassword {
            if draft.password != nil { rows.report(ValidationIssue(nil, .unknownField(FieldName.password.text))) }
            if draft.passwordHash != nil { rows.report(ValidationIssue(nil, .unknownField(ProfileDraft.hashName))) }
        }
        return rows.endRow(ValidProfiles.Origin(line: rows.profiles.count + 1, record: rows.profiles.count + 1))
    }

    /// Validates one value of a profile, for example when the user leaves a form's field.
    ///
    /// - Returns: The issues of the value. The list is empty if the value is valid. An empty value is valid if the
    ///   field is not required.
    public func issues(of value: String, in name: FieldName, on today: CalendarDay) -> [ValidationIssue] {
        guard let index = schema.index(of: name) else { return [ValidationIssue(nil, .unknownField(name.text))] }
        return issues(of: value.utf8Span.span, index: index, on: today, hasPassword: false)
    }

    /// Validates bytes for the field at a position, without making a `String`. The bytes are valid UTF-8, and may be a
    /// secret.
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

    /// Returns the stored form of a value, for look-ups. Returns nil if no valid profile can have the value, or if the
    /// field is secret.
    public func storedForm(of value: String, in name: FieldName) -> String? {
        guard let index = schema.index(of: name), !schema.fields[index].isSecret else { return nil }
        return fields[index].canonical(value)
    }
}
