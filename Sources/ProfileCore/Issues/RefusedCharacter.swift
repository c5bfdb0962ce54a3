/// In a typed value, the first character that the field does not allow. Only the person who typed the value sees it.
///
/// The character is not part of a ``ValidationIssue``. An issue is written to reports and logs, so it must not contain
/// characters of the value.
package struct RefusedCharacter: Hashable, Sendable {
    /// The user-perceived character with all its combining marks.
    package let character: Character
    /// The position in the typed value. It counts user-perceived characters, and the first position is 1.
    package let position: Int
}

extension FieldRules {
    /// The text of an issue of this field. If the schema has no message for the issue, and the issue is about
    /// characters, the text contains the refused character if it is known.
    package func message(for issue: ValidationIssue, _ refused: RefusedCharacter?) -> String {
        guard messages[issue.code] == nil else { return message(for: issue) }
        return message(for: issue, refused, label: title)
    }

    /// Returns the built-in text of an issue of this field. In this text, `label` is the name of the field.
    package func message(for issue: ValidationIssue, _ refused: RefusedCharacter?, label: String) -> String {
        let message = message(for: issue, label: label)
        guard let refused, issue.problem.isAboutCharacters else { return message }
        return "\(message): \(refused.character.nameInMessage) at \(refused.position)"
    }
}

extension ValidationIssue.Problem {
    fileprivate var isAboutCharacters: Bool {
        switch self {
        case .badCharacter, .badFormat(expected: .mask), .badFormat(expected: .year): true
        default: false
        }
    }
}
