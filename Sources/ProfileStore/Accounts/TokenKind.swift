/// What a token is for. Its text says so, so that none is taken for one of another kind, and one that has leaked is
/// recognised.
package enum TokenKind: String, CaseIterable, Sendable {
    case session
    case access
    case reset

    /// What the texts of such tokens begin with.
    package var prefix: String {
        switch self {
        case .session: "ps_"
        case .access: "pt_"
        case .reset: "pr_"
        }
    }
}
