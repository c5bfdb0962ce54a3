/// The first character of a value that its field does not take, for whoever has typed it and sees it anyway.
///
/// It is no part of a ``ValidationIssue``, which goes into reports and logs and holds nothing of the value.
package struct RefusedCharacter: Hashable, Sendable {
    /// As a person sees it: with all marks that are on it.
    package let character: Character
    /// Counted from 1, in user-perceived characters, as the value was typed.
    package let position: Int
}

extension FieldRules {
    /// The text of an issue of this field, with the character that it is about where that is known, and is not left to
    /// the schema's own message.
    package func message(for issue: ValidationIssue, _ refused: RefusedCharacter?) -> String {
        guard messages[issue.code] == nil else { return message(for: issue) }
        return message(for: issue, refused, label: title)
    }

    /// The same under another label, in our words.
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
