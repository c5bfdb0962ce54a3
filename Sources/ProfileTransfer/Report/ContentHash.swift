internal import SecretHashing
internal import TextLayout

/// Hashes for a Content Security Policy. The policy uses such a hash to allow an inline script or style (CSP3, section
/// 2.3.1).
enum ContentHash {
    /// Returns the hash of the content of an element: `sha256-` and Base64.
    static func sha256(_ content: String) -> String {
        "sha256-" + Base64.text(of: SHA256.digest(content.utf8.span))
    }
}
