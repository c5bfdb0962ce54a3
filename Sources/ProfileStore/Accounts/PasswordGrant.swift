package import ProfileCore

/// The permission to set a new password.
package enum PasswordGrant: Sendable {
    /// A password reset, identified by the hash of its token.
    case reset(TokenHash)
    /// A person is logged in, and the old password was verified.
    case proof(PasswordProof)

    /// The proof; nil for a reset.
    package var proof: PasswordProof? { if case .proof(let proof) = self { proof } else { nil } }

    /// Returns the names whose failed attempts are forgotten when the profile gets the new password.
    package func countedNames(of owner: StoredToken.Owner) -> [String] {
        [owner.username, proof?.attempt.username].compactMap(\.self)
    }
}

/// The proof of an old password within a session. It is valid only while the session has not ended and the stored hash
/// is the hash that the password was checked against.
package struct PasswordProof: Sendable {
    package let profileID: Int64
    package let session: TokenID
    /// The hash that the old password was checked against.
    package let hash: PasswordHash
    /// The attempt in which the old password was checked. When the new password is set, the failed attempts under the
    /// name of this attempt are removed.
    package let attempt: LoginAttempt
    /// The session to start after the change.
    package let next: NewSession

    package init(
        profileID: Int64, session: TokenID, hash: PasswordHash, attempt: LoginAttempt, next: NewSession
    ) {
        self.profileID = profileID
        self.session = session
        self.hash = hash
        self.attempt = attempt
        self.next = next
    }

    /// Returns whether the session still exists, belongs to the profile and has not expired. `found` is the token that
    /// has the id of the session; nil if there is none.
    package func isValid(_ found: StoredToken?) -> Bool {
        found?.owner?.profileID == profileID && found?.isExpired(at: attempt.time) == false
    }
}
