package import ProfileCore
package import SecretHashing

/// Stores the secrets of profiles, the failed attempts at these secrets, and the tokens.
package protocol AccountEngine: Sendable {
    // MARK: Secrets

    /// Returns the hash of a secret of a profile; nil if there is no such profile.
    func credential(_ kind: CredentialKind, of username: String) async throws(ProfileStoreError) -> StoredCredential?

    /// Changes a passcode if the stored passcode is as the change expects it, and logs the change.
    ///
    /// - Returns: False if the stored passcode is not as expected, or if there is no such profile.
    func change(_ passcode: PasscodeChange, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Bool

    /// Counts an attempt at a secret before it is made, or refuses it, by the rule of ``/SecretHashing/ThrottleState``
    /// (P9). A refused attempt does not count, but the engine stores the state that the rule returns.
    ///
    /// The call takes the same time whether or not a profile has the username (P10).
    func admit(_ attempt: LoginAttempt) async throws(ProfileStoreError) -> ThrottleState.Decision

    /// Stores the outcome of an admitted attempt, and starts its session if one was requested. A better hash of the same
    /// password ends no session.
    ///
    /// - Returns: The profile; nil unless the outcome is `right` and the profile still exists.
    func settle(
        _ attempt: LoginAttempt, _ outcome: LoginAttempt.Outcome
    ) async throws(ProfileStoreError) -> LoginAttempt.Success?

    /// Forgets the failed attempts at the password and the passcode of a username.
    func unlock(_ username: String) async throws(ProfileStoreError)

    // MARK: Tokens

    // Sessions, access tokens and resets are tokens of three kinds. A session or a reset belongs to a profile and ends
    // when the profile is removed. An access token has a name and belongs to no profile.

    /// Issues a token. Issuing a token of a profile also removes a few expired tokens of any profile. If the profile
    /// would have more tokens of this kind than the limit, its least recently used ones are removed too.
    ///
    /// - Parameters:
    ///   - token: The token, without an owner.
    ///   - username: The username of the profile that the token belongs to; nil for an access token.
    ///   - limit: The maximum number of tokens of this kind for the profile; has no effect on an access token.
    /// - Returns: The token with its owner. Nil if there is no such profile, or if another access token has the name,
    ///   ignoring the case of ASCII letters.
    /// - Throws: The errors that every method may throw.
    func issue(
        _ token: StoredToken, to username: String?, atMost limit: Int
    ) async throws(ProfileStoreError) -> StoredToken?

    /// Returns the token that has this hash; nil if there is none, or if the token has expired at this time. Reads two
    /// rows and writes nothing.
    func token(_ hash: TokenHash, at time: Timestamp) async throws(ProfileStoreError) -> StoredToken?

    /// Returns the tokens of a list.
    func tokens(_ list: TokenList) async throws(ProfileStoreError) -> [StoredToken]

    /// Stores the times at which tokens were used, and postpones the expiry of sessions. A use has no effect if a later
    /// use is stored, or if the token had expired at the time of the use.
    func note(_ uses: [TokenUse]) async throws(ProfileStoreError)

    /// Ends tokens, including expired tokens.
    ///
    /// - Returns: The tokens that ended; nil if there is no such profile.
    func end(_ tokens: EndingTokens) async throws(ProfileStoreError) -> [StoredToken]?

    /// Sets the password that a reset was issued for. As in an edit, the revision rises, the change is logged, and
    /// failed attempts at the password are forgotten. The profile's sessions and the reset end.
    ///
    /// - Parameters:
    ///   - token: The token of the reset.
    ///   - hash: The hash of the new password.
    ///   - schema: The rules that have judged the password.
    ///   - time: The time of the change.
    /// - Returns: The profile; nil if there is no such reset, or if the reset has expired.
    /// - Throws: `schemaChanged`.
    func redeemReset(
        _ token: TokenHash, _ hash: PasswordHash, judgedBy schema: ProfileSchema, at time: Timestamp
    ) async throws(ProfileStoreError) -> Profile?

    /// Removes some expired sessions and resets; access tokens stay until they are revoked. It also removes old or
    /// surplus rows of other tables, if the engine's writers leave such rows.
    ///
    /// - Returns: The number of removed tokens, at most some hundreds; 0 if no expired session or reset is left.
    func removeExpired(at time: Timestamp) async throws(ProfileStoreError) -> Int
}

/// A change of a passcode, with the state that it expects.
package enum PasscodeChange: Sendable {
    /// Sets the passcode of a profile without one. Failed attempts at it are forgotten.
    case set(PasswordHash, of: String)
    /// Replaces this hash of a profile's passcode.
    case replace(PasswordHash, by: PasswordHash, of: Int64)
    /// Removes the passcode of a profile. Failed attempts at it are forgotten.
    case remove(of: String)
}
