public import ProfileCore

/// An effect of a ``FormEvent``. The host may react to an effect. The current state is in the ``FormState``.
public enum FormEffect: Sendable {
    /// The focus moved to another field, or to no field (nil). If a submission is rejected, the form may focus the same
    /// field again. In that case `from` and `to` are equal.
    case focusMoved(from: FieldName?, to: FieldName?)
    /// Editing of a field ended. Carries the issue of the field, or nil if the field has no issue. Whenever editing of
    /// a field ends, this effect is sent exactly once. It is sent before editing of the next field begins (F6).
    case fieldEnded(FieldName, ValidationIssue?)
    /// The text of a field changed, for any reason.
    case textChanged(FieldName)
    /// The list of choices of a field changed, or its secret was shown or hidden. The host should draw the field again,
    /// even if its text is the same.
    case displayChanged(FieldName)
    /// The issue that a field shows appeared, changed or disappeared.
    case issueChanged(FieldName)
    /// The pasted text was too long, so only a part of the text was inserted. If the mask ignores all characters that
    /// were left out, this effect is not sent.
    case cut(FieldName)
    /// A typed character, a pasted text or an auto-filled value did not fit into the field. The text is unchanged.
    case refused(FieldName)
    /// The value of ``FormState/isAddressSearchAvailable`` has changed; carries the new value (F4).
    case searchAvailable(Bool)
    /// All fields are valid; carries the validated profile.
    case submitted(ValidProfile)
    /// At least one field is not valid. Each invalid field shows its issue.
    case rejected(ValidationFailure)
}

/// The result of ``FormState/judge(_:in:label:)``. That method validates a text without changing the form (F11).
public struct FieldJudgement: Hashable, Sendable {
    /// The field that defines the rules for the text.
    public let field: FieldName
    /// The issue of the text; nil if the text is valid.
    public let issue: ValidationIssue?
    /// The text of the issue, with the caller's label; nil if the text is valid.
    public let message: String?
}
