public import ProfileCore

/// What came of a ``FormEvent``, for a host to act upon; the state itself is in the ``FormState``.
public enum FormEffect: Sendable {
    /// Another field has the focus, or none; or the same one again, where a form that was submitted is refused.
    case focusMoved(from: FieldName?, to: FieldName?)
    /// Editing of a field ended, with what is wrong with it: once, and before another field begins (F6).
    case fieldEnded(FieldName, ValidationIssue?)
    /// A field holds another text than before, whatever changed it.
    case textChanged(FieldName)
    /// A field is to be shown otherwise, though it holds the same: its list of choices, or its secret.
    case displayChanged(FieldName)
    /// The field's error slot says something else, or nothing any more.
    case issueChanged(FieldName)
    /// A paste did not fit whole; what a mask drops of it is not meant.
    case cut(FieldName)
    /// A character, or a value that was offered, did not fit: the text is as it was.
    case refused(FieldName)
    /// Addresses can be searched from now on, or no longer (F4).
    case searchAvailable(Bool)
    /// Everything passed.
    case submitted(ValidProfile)
    /// Something did not pass; every issue is shown at its field.
    case rejected(ValidationFailure)
}

/// What a text in a field comes to, judged outside editing (F11).
public struct FieldJudgement: Hashable, Sendable {
    /// The field by whose rules it was judged.
    public let field: FieldName
    /// What is wrong with it; nil for nothing.
    public let issue: ValidationIssue?
    /// The text of the issue, with the label of the caller's.
    public let message: String?
}
