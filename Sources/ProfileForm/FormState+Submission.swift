public import ProfileCore

// Submission: all fields are judged together.
extension FormState {
    /// Ends editing and judges all fields (F9). If all fields are valid, the effects carry the profile. Otherwise every
    /// issue is shown at its field, and the first bad field gets the focus.
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

    /// Shows issues that the store or another check found in the submitted profile, and focuses the first field with an
    /// issue. A shown issue disappears as soon as the field's text changes.
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
        let bad = focusOrder.first { self[$0]?.issue != nil }
        return effects + beginField(bad, after: previous)
    }

    private mutating func clearIssues() -> [FormEffect] {
        fields.indices.flatMap { setIssue(nil, at: $0) }
    }

    /// The contents of the fields, not yet validated.
    private var draft: ProfileDraft {
        var draft = ProfileDraft()
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
