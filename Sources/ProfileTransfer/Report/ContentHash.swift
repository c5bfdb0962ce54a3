internal import SecretHashing

/// Hashes for a Content Security Policy. The policy uses such a hash to allow an inline script or style (CSP3, section
/// 2.3.1).
enum ContentHash {
    /// Returns the hash of the content of an element: `sha256-` and Base64.
    static func sha256(_ content: String) -> String {
        "sha256-" + base64(SHA256.digest(content.utf8.span))
    }

    /// Returns Base64 with padding (RFC 4648, section 4).
    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for position in 0..<4 {
                text.append(position <= group.count ? alphabet[bits >> (18 - 6 * position) & 0x3F] : "=")
            }
        }
        return text
    }
}
