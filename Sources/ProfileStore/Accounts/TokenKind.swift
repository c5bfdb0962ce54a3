/// The kind of a token. The token's text begins with a prefix of its kind. The prefix distinguishes the kinds, and
/// makes a leaked token recognisable.
package enum TokenKind: String, CaseIterable, Sendable {
    case session
    case access
    case reset

    /// The prefix of the token's text.
    package var prefix: String {
        switch self {
        case .session: "ps_"
        case .access: "pt_"
        case .reset: "pr_"
        }
    }
}
