// A primary key that consists of the values of other fields.
extension ProfileValidator {
    /// Returns the primary key that the values of a draft form. Returns nil if the key does not consist of other fields,
    /// or if one of these fields has no value.
    ///
    /// If the draft edits a stored profile and changes none of these values, returns the stored key. It may differ from
    /// the key that the values form, because the profile may be older than the rules.
    package func computedKey(of draft: ProfileDraft) -> String? {
        guard !schema.keyParts.isEmpty, let key = key(of: { draft[$0] }) else { return nil }
        if let stored = draft.stored, self.key(of: { stored.values[$0.text] }) == key { return stored.key }
        return key
    }

    private func key(of value: (FieldName) -> DraftValue?) -> String? {
        var key = CompositeKey()
        for index in schema.keyParts {
            guard let part = part(index, of: value) else { return nil }
            key.append(part.utf8Span.span)
        }
        return key.text
    }

    private func part(_ index: Int, of value: (FieldName) -> DraftValue?) -> String? {
        guard let value = value(schema.fields[index].name) else { return nil }
        return keyPart(value.text.utf8Span.span, index: index, as: value.isCanonical ? .canonical : .typed)
    }

    /// Returns the text that a value of the field at a position contributes to a key: the stored form of the value, or
    /// the value itself if it is invalid. Returns nil if the value is empty or means "no value".
    package func keyPart(_ value: Span<UInt8>, index: Int, as notation: ValueNotation = .typed) -> String? {
        fields[index].keyPart(value.trimmed(), as: notation)
    }

    /// Validates the value of a field that is not secret.
    func judge(_ value: DraftValue?, index: Int, of draft: ProfileDraft, _ rows: inout RowValidator) {
        guard !schema.keyParts.isEmpty else { return rows.judge(value, index: index) }
        if index == schema.primaryKeyIndex {
            let isEmpty = value?.text.utf8Span.span.trimmed().isEmpty ?? true
            if let computed = computedKey(of: draft) {
                if let value, !isEmpty, !CompositeKey.isSame(value.text.trimmed, computed) {
                    rows.report(.contradictedKey(ofParts: schema.keyParts, in: schema))
                }
                return rows.judge(DraftValue(computed), index: index)
            }
            // The key gets no issue, because the fields that form it report their missing values.
            if isEmpty { return rows.appendAbsent() }
        }
        rows.judge(value, index: index)
        if schema.keyParts.contains(index), !schema.fields[index].isRequired,
            draft[schema.primaryKey.name]?.text.utf8Span.span.trimmed().isEmpty ?? true,
            part(index, of: { draft[$0] }) == nil
        {
            rows.report(ValidationIssue(schema.fields[index].name, .required))
        }
    }
}

extension ValidationIssue {
    /// The issue of a primary key that differs from the key that the fields `parts` form.
    package static func contradictedKey(ofParts parts: [Int], in schema: ProfileSchema) -> ValidationIssue {
        ValidationIssue(
            schema.primaryKey.name, .badFormat(expected: .keyOfParts(parts.map { schema.fields[$0].title })))
    }
}
