/// The first character of a value that its field does not accept. It is shown only to the person who typed the value.
///
/// It is not part of a ``ValidationIssue``, because an issue goes into reports and logs and contains nothing of the
/// value.
package struct RefusedCharacter: Hashable, Sendable {
    /// The user-perceived character, with all of its marks.
    package let character: Character
    /// The position from 1, in user-perceived characters of the typed value.
    package let position: Int
}

extension FieldRules {
    /// The text of an issue of this field. It names the refused character if it is known and the schema has no message
    /// of its own.
    package func message(for issue: ValidationIssue, _ refused: RefusedCharacter?) -> String {
        guard messages[issue.code] == nil else { return message(for: issue) }
        return message(for: issue, refused, label: title)
    }

    /// The text of an issue of this field under another label, without the schema's own message.
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
