/// A use of a session or an access token.
package struct TokenUse: Hashable, Sendable {
    package let hash: TokenHash
    package let time: Timestamp

    package init(_ hash: TokenHash, at time: Timestamp) {
        self.hash = hash
        self.time = time
    }
}
