public import ProfileCore

// Submits the form: validates all fields together.
extension FormState {
    /// Ends editing and validates all fields (F9). If all fields are valid, the effects contain the profile. Otherwise
    /// each invalid field shows its first issue, and the first invalid field gets the focus.
    mutating func submit() -> [FormEffect] {
        let previous = focus
        let effects = endField()
        do throws(ValidationFailure) {
            let profile = try validator.validate(draft, on: today, hasPassword: hasPassword)
            return effects + clearIssues() + [.submitted(profile)] + beginField(nil, after: previous)
        } catch {
            return effects + [.rejected(error)] + show(error.issues, after: previous)
        }
    }

    /// Shows issues of a submitted profile. Call this method if the store or another check found the issues. The focus
    /// moves to the first field that has an issue. If the user changes the field's text, the issue disappears.
    ///
    /// - Returns: The effects, in order.
    @discardableResult
    public mutating func report(_ issues: [ValidationIssue]) -> [FormEffect] {
        observingSearch { form in
            let previous = form.focus
            return form.endField() + form.show(issues, after: previous)
        }
    }

    private mutating func show(_ issues: [ValidationIssue], after previous: FieldName?) -> [FormEffect] {
        var effects: [FormEffect] = []
        for index in fields.indices {
            let issue = issues.first { $0.field == fields[index].name }
            effects += setIssue(issue, at: index)
        }
        var bad = focusOrder.first { self[$0]?.issue != nil }
        // The user cannot edit a computed key. So the focus moves to the first field that forms the key.
        if bad == nil, computesKey, self[schema.primaryKey.name]?.issue != nil {
            let parts = schema.keyParts.map { schema.fields[$0].name }
            bad = focusOrder.first(where: parts.contains)
        }
        return effects + beginField(bad, after: previous)
    }

    private mutating func clearIssues() -> [FormEffect] {
        fields.indices.flatMap { setIssue(nil, at: $0) }
    }

    /// The contents of all fields as a draft that is not validated.
    var draft: ProfileDraft {
        var draft = ProfileDraft()
        draft.stored = stored
        for field in fields where !field.isEmpty {
            if field.rules.isSecret {
                draft.password = field.content.content
            } else {
                draft[field.name.text] = field.text
            }
        }
        return draft
    }
}
