internal import ProfileCore
internal import SecretHashing

// The common functions of passwords and passcodes.
extension ProfileRepository {
    /// Forgets the failed attempts at the password and the passcode of a username, also those that are counted for the
    /// devices and the sessions of the profile. The owner of the store can use this method to help a person whose secret is
    /// locked.
    ///
    /// - Throws: `store(.notFound)`, …
    public func unlock(_ username: String) async throws(CredentialError) {
        try await call { () throws(CredentialError) in
            let stored = try await storedCredential(username, .password) { $0 == nil }
            guard stored != nil else { throw .store(.notFound(username: username)) }
            try await store { () throws(ProfileStoreError) in try await ask(.unlock, await engine.unlock(username)) }
        }
    }

    /// The result of an attempt with the correct secret. It contains the hash of the secret, and the profile with the
    /// session and the device if they were requested. If the secret was hashed again, `hash` is the new hash.
    struct Proof {
        let success: LoginAttempt.Success
        let hash: PasswordHash

        var profile: Profile { success.profile }
    }

    /// A token for which attempts are counted in place of the username.
    struct AttemptCounter {
        let name: String
        let profileID: Int64

        init(_ session: LoginSession) {
            name = LoginAttempt.name(of: .session, session.id)
            profileID = session.profileID
        }

        init?(_ device: StoredToken?) {
            guard let device, let owner = device.owner else { return nil }
            name = LoginAttempt.name(of: .device, device.hash.id)
            profileID = owner.profileID
        }
    }

    /// Counts an attempt, and then compares the secret with the stored hash. If the secret is correct, forgets the
    /// failed attempts. If a session is given, also starts this session (P9, P10).
    func attempt(
        _ secret: Secret, _ kind: CredentialKind, _ username: String, starting session: NewSession? = nil,
        countedFor counter: AttemptCounter? = nil
    ) async throws(CredentialError) -> Proof {
        try await call { () throws(CredentialError) in
            try await attemptInCall(secret, kind, username, starting: session, countedFor: counter)
        }
    }

    private func attemptInCall(
        _ secret: Secret, _ kind: CredentialKind, _ username: String, starting session: NewSession?,
        countedFor counter: AttemptCounter?
    ) async throws(CredentialError) -> Proof {
        let right = try await rightAttempt(secret, kind, username, countedFor: counter)
        // If hashing fails, the old hash stays, and the next correct attempt tries to rehash again.
        let better = right.needsRehash ? try? await self.hash(secret) : nil
        let rehash = better.map { LoginAttempt.Rehash(old: right.hash, new: $0) }
        let proven = session.map { LoginAttempt.ProvenSession($0, hashes: [right.hash, better].compactMap(\.self)) }
        let success = try await finish(
            right.attempt, .right(profileID: right.profileID, rehash: rehash, session: proven)
        ).get()
        guard let success else { throw .wrong }
        return Proof(success: success, hash: better ?? right.hash)
    }

    /// An attempt with the correct secret. It counts as a failure until its outcome is written.
    struct RightAttempt {
        let attempt: LoginAttempt
        let profileID: Int64
        let hash: PasswordHash
        let needsRehash: Bool
    }

    /// Counts an attempt, and then compares the secret with the stored hash.
    ///
    /// - Parameters:
    ///   - secret: The secret.
    ///   - kind: The kind of the secret.
    ///   - username: The username of the profile.
    ///   - counter: The token for which the attempt is counted. Without a token, or if the token is one of another
    ///     profile, the attempt is counted for the username.
    /// - Returns: The attempt. The caller writes its outcome.
    /// - Throws: `wrong`, `throttled`, `locked`, …
    func rightAttempt(
        _ secret: Secret, _ kind: CredentialKind, _ username: String, countedFor counter: AttemptCounter? = nil
    ) async throws(CredentialError) -> RightAttempt {
        let stored = try await credential(kind, of: username)
        let name = stored != nil && counter?.profileID == stored?.profileID ? counter?.name : nil
        let attempt = LoginAttempt(
            username: name ?? username, kind: kind, isKnown: name == nil && stored != nil, time: options.now())
        let decision = try await store { () throws(ProfileStoreError) in
            try await ask(.admitAttempt, refusal: \.refusalCode, await engine.admit(attempt))
        }
        switch decision {
        case .wait(let milliseconds): throw .throttled(milliseconds: milliseconds)
        case .locked: throw .locked
        case .admitted: break
        }
        let verification: PasscodeHasher.Verification
        do throws(HashingError) {
            verification = try await hasher.verify(secret, against: stored?.hash)
        } catch {
            // This error reveals nothing about the secret, so the attempt does not count.
            await withdraw(attempt)
            throw .hashing(error)
        }
        guard case .right(let needsRehash) = verification, let stored, let hash = stored.hash else {
            let latest = try await confirmed(stored, kind, of: username)
            guard latest == stored else {
                // The secret was compared with an outdated hash, so the attempt does not count and is repeated.
                _ = try await finish(attempt, .notMade).get()
                return try await rightAttempt(secret, kind, username, countedFor: counter)
            }
            _ = try await finish(attempt, .wrong).get()
            throw .wrong
        }
        return RightAttempt(attempt: attempt, profileID: stored.profileID, hash: hash, needsRehash: needsRehash)
    }

    /// Removes a counted attempt from the count, because it has no outcome.
    func withdraw(_ attempt: LoginAttempt) async { _ = await finish(attempt, .notMade) }

    /// Writes the outcome of a counted attempt, even if the caller's task was cancelled.
    private func finish(
        _ attempt: LoginAttempt, _ outcome: LoginAttempt.Outcome
    ) async -> Result<LoginAttempt.Success?, CredentialError> {
        // Cancelling the caller's task does not cancel this separate task.
        await Task { () -> Result<LoginAttempt.Success?, CredentialError> in
            do throws(ProfileStoreError) {
                return .success(
                    try await ask(.settleAttempt, rows: \.rowCount, await engine.settle(attempt, outcome)))
            } catch {
                return .failure(.store(error))
            }
        }.value
    }

    /// Returns the stored credential; nil if there is no such profile. If the caller would refuse the request because
    /// of this credential, the look-up is confirmed first.
    func storedCredential(
        _ username: String, _ kind: CredentialKind, isRefused: (StoredCredential?) -> Bool
    ) async throws(CredentialError) -> StoredCredential? {
        let found = try await credential(kind, of: username)
        return isRefused(found) ? try await confirmed(found, kind, of: username) : found
    }

    func credential(
        _ kind: CredentialKind, of username: String
    ) async throws(CredentialError) -> StoredCredential? {
        try await store { () throws(ProfileStoreError) in try await lookUpCredential(kind, of: username) }
    }

    private func lookUpCredential(
        _ kind: CredentialKind, of username: String
    ) async throws(ProfileStoreError) -> StoredCredential? {
        try await ask(.lookUpCredential, rows: \.rowCount, await engine.credential(kind, of: username))
    }

    private func confirmed(
        _ found: StoredCredential?, _ kind: CredentialKind, of username: String
    ) async throws(CredentialError) -> StoredCredential? {
        try await store { () throws(ProfileStoreError) in
            try await confirmed(found) { () throws(ProfileStoreError) in
                try await lookUpCredential(kind, of: username)
            }
        }
    }

    func hash(_ secret: Secret) async throws(CredentialError) -> PasswordHash {
        do throws(HashingError) { return try await hasher.hash(secret) } catch { throw .hashing(error) }
    }

    func store<Value>(
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(CredentialError) -> Value {
        do throws(ProfileStoreError) { return try await body() } catch { throw .store(error) }
    }
}

extension ThrottleState.Decision {
    /// The code that the observer receives for a refusal; nil if the attempt is admitted.
    fileprivate var refusalCode: String? {
        switch self {
        case .admitted: nil
        case .wait: "throttled"
        case .locked: "locked"
        }
    }
}
