/// The kind of a token. Each kind has a prefix, and the token's text begins with this prefix. The prefix shows the kind
/// of a token. It also helps to recognise a leaked token.
package enum TokenKind: String, CaseIterable, Sendable {
    case session
    case access
    case reset
    case device

    /// The prefix of the token's text.
    package var prefix: String {
        switch self {
        case .session: "ps_"
        case .access: "pt_"
        case .reset: "pr_"
        case .device: "pd_"
        }
    }
}
