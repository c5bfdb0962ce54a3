package import ProfileCore

/// The permission to set a new password.
package enum PasswordGrant: Sendable {
    /// A password reset, by its token.
    case reset(TokenHash)
    /// A person who is logged in and has proven the old password.
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

    /// Returns whether a session that was found by its id may still change the password.
    package func isValid(_ found: StoredToken?) -> Bool {
        found?.owner?.profileID == profileID && found?.isExpired(at: attempt.time) == false
    }
}
