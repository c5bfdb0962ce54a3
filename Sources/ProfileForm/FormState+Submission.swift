public import ProfileCore

// Everything judged at once.
extension FormState {
    /// Ends what is edited and judges everything: out comes the profile, or every issue at its field and the focus in
    /// the first bad one (F9).
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

    /// Shows what the store, or anybody else, found wrong with what was submitted, and puts the focus in the first bad
    /// field. A field's issue goes as soon as its text is changed.
    ///
    /// - Returns: What came of it.
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

    /// What is in the fields, trusted for nothing.
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
