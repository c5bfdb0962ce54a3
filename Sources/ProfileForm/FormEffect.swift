public import ProfileCore

/// An effect of a ``FormEvent`` that the host may act on. The state itself is in the ``FormState``.
public enum FormEffect: Sendable {
    /// The focus moved to another field, or to no field (nil). `from` and `to` are equal if the form focuses the same
    /// field again after a refused submission.
    case focusMoved(from: FieldName?, to: FieldName?)
    /// Editing of a field ended; the value is the field's issue, if any. Sent exactly once per field, before editing of
    /// the next field begins (F6).
    case fieldEnded(FieldName, ValidationIssue?)
    /// The text of a field changed, for any reason.
    case textChanged(FieldName)
    /// A field must be drawn again although its text is the same: its list of choices or the visibility of its secret
    /// changed.
    case displayChanged(FieldName)
    /// The issue shown at a field changed or disappeared.
    case issueChanged(FieldName)
    /// Only a part of a pasted text was inserted because the rest did not fit. Characters that a mask ignores do not
    /// count.
    case cut(FieldName)
    /// A character or an offered value did not fit. The text is unchanged.
    case refused(FieldName)
    /// The value of ``FormState/isAddressSearchAvailable`` has changed; carries the new value (F4).
    case searchAvailable(Bool)
    /// All fields are valid; carries the validated profile.
    case submitted(ValidProfile)
    /// At least one field is not valid. Every issue is shown at its field.
    case rejected(ValidationFailure)
}

/// The result of ``FormState/judge(_:in:label:)``, which judges a text without changing the form (F11).
public struct FieldJudgement: Hashable, Sendable {
    /// The field whose rules were applied.
    public let field: FieldName
    /// The issue of the text; nil if the text is valid.
    public let issue: ValidationIssue?
    /// The text of the issue, with the caller's label; nil if the text is valid.
    public let message: String?
}
