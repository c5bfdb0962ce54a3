package import ProfileCore
package import SecretHashing

/// Stores the secrets of profiles, the failed attempts to use these secrets, and the tokens.
package protocol AccountEngine: Sendable {
    // MARK: Secrets

    /// Returns the hash of a profile's secret. Returns nil if there is no such profile.
    func credential(_ kind: CredentialKind, of username: String) async throws(ProfileStoreError) -> StoredCredential?

    /// Changes a passcode, and logs the change. If the stored passcode differs from the passcode that the change
    /// expects, the method does nothing.
    ///
    /// - Returns: False if the stored passcode is not the expected one, or if there is no such profile.
    func change(_ passcode: PasscodeChange, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Bool

    /// Admits or refuses an attempt before the secret is checked (P9). ``/SecretHashing/ThrottleState`` decides. An
    /// admitted attempt is counted. A refused attempt is not counted. The engine stores the new throttle state in both
    /// cases.
    ///
    /// The duration of the call does not depend on whether a profile has the username (P10).
    func admit(_ attempt: LoginAttempt) async throws(ProfileStoreError) -> ThrottleState.Decision

    /// Stores the outcome of an admitted attempt. If the outcome contains a session, this method starts the session
    /// and, on request, remembers its device. If the device presented a valid token of this profile, this token gets a
    /// new expiry. Otherwise, the device gets a new token. If the outcome contains a new hash of the same password, the
    /// engine replaces the stored hash. The sessions of the profile continue.
    ///
    /// - Returns: The profile. Nil if the outcome is not `right`, or if the profile no longer exists.
    func settle(
        _ attempt: LoginAttempt, _ outcome: LoginAttempt.Outcome
    ) async throws(ProfileStoreError) -> LoginAttempt.Success?

    /// Removes all failed attempts for a username: attempts with the password and attempts with the passcode. Also
    /// removes the attempts that are counted for the tokens of the profile.
    func unlock(_ username: String) async throws(ProfileStoreError)

    // MARK: Tokens

    // Sessions, access tokens, resets and devices are tokens of four kinds. An access token has a name and belongs to no
    // profile. The other tokens belong to a profile and end when the profile is removed.

    /// Issues a token. If the token belongs to a profile, a few expired tokens of any profiles are removed too. If the
    /// profile then has more tokens of this kind than the limit, its least recently used tokens of this kind are
    /// removed.
    ///
    /// - Parameters:
    ///   - token: The token, without an owner.
    ///   - username: The username of the profile that the token belongs to; nil for an access token.
    ///   - limit: The maximum number of tokens of this kind for the profile. The limit is ignored for an access token.
    /// - Returns: The token with its owner. Nil if there is no such profile, or if another access token already has the
    ///   same name. The case of ASCII letters is ignored.
    /// - Throws: The errors that every method may throw; see ``StoreEngine``.
    func issue(
        _ token: StoredToken, to username: String?, atMost limit: Int
    ) async throws(ProfileStoreError) -> StoredToken?

    /// Returns the tokens of a list. Writes nothing. For ``TokenList/one(_:at:)``, reads at most the row of the token
    /// and the row of its profile.
    func tokens(_ list: TokenList) async throws(ProfileStoreError) -> [StoredToken]

    /// Stores the time of each use, and postpones the expiry of the used sessions. A use is ignored if a later use is
    /// already stored, or if the token had expired when it was used.
    func note(_ uses: [TokenUse]) async throws(ProfileStoreError)

    /// Ends tokens, including expired tokens.
    ///
    /// - Returns: The ended tokens. If the call should end the tokens of a profile that does not exist, the result is
    ///   nil.
    func end(_ tokens: EndingTokens) async throws(ProfileStoreError) -> [StoredToken]?

    /// Sets a new password. Like an edit, this method increases the revision, logs the change, and removes the failed
    /// attempts with the password. It ends all tokens of the profile. If the grant is a proof, the method then starts
    /// the session of the proof. A reset starts no session.
    ///
    /// - Parameters:
    ///   - hash: The hash of the new password.
    ///   - grant: The permission to set the password.
    ///   - schema: The rules that validated the password.
    ///   - stamp: The time and author of the change.
    /// - Returns: The profile and the session. Nil if there is no such reset or session, if it has expired, or if the
    ///   stored hash is not the hash of the proof; then nothing is written.
    /// - Throws: `schemaChanged`.
    func setPassword(
        _ hash: PasswordHash, by grant: PasswordGrant, judgedBy schema: ProfileSchema, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> LoginAttempt.Success?

    /// Removes some expired sessions, resets and devices, and some expired entries of the history. Access tokens are
    /// not removed, even if they have expired. Also removes expired changes of the history. The engine for PostgreSQL
    /// also removes expired idempotency keys and the oldest changes of a log that is too long.
    ///
    /// - Returns: The number of removed tokens and entries, at most 1,024. If the number is 0, no expired session,
    ///   reset, device or entry is left.
    func removeExpired(at time: Timestamp) async throws(ProfileStoreError) -> Int
}

extension AccountEngine {
    /// Returns the token that has this hash. Returns nil if there is no such token, or if the token has expired at this
    /// time.
    package func token(_ hash: TokenHash, at time: Timestamp) async throws(ProfileStoreError) -> StoredToken? {
        try await tokens(.one(hash, at: time)).first
    }
}

/// A change of a passcode. Each case also defines which stored passcode it expects.
package enum PasscodeChange: Sendable {
    /// Sets the passcode of a profile that has no passcode. The failed attempts to use a passcode are removed.
    case set(PasswordHash, of: String)
    /// If the stored hash of the profile's passcode equals the first hash, replaces it by the second hash.
    case replace(PasswordHash, by: PasswordHash, of: Int64)
    /// Removes the passcode of a profile. The failed attempts to use the passcode are removed too.
    case remove(of: String)
}
