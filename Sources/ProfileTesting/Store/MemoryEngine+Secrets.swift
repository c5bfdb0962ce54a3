internal import ProfileCore
internal import ProfileStore
internal import SecretHashing

// Passwords, passcodes, and attempts to log in with them.
extension MemoryEngine {
    func credential(
        _ kind: CredentialKind, of username: String
    ) async throws(ProfileStoreError) -> StoredCredential? {
        guard let profile = try current.profile(.username(username)) else { return nil }
        let hash = profile.hash(kind).flatMap { try? PasswordHash(parsing: $0.utf8.span) }
        return StoredCredential(profileID: profile.id, hash: hash)
    }

    func change(_ passcode: PasscodeChange, _ stamp: WriteStamp) async throws(ProfileStoreError) -> Bool {
        try await change(stamp) { state in
            let id = Self.change(passcode, in: &state)
            return (id.map { [.credentialChanged($0)] } ?? [], id != nil)
        }
    }

    /// Changes a passcode and returns the profile's id. Returns nil if the passcode was not changed.
    private static func change(_ passcode: PasscodeChange, in state: inout MemoryState) -> Int64? {
        switch passcode {
        case .set(let hash, let username):
            guard let profile = state.profile(.username(username)), profile.passcodeHash == nil else { return nil }
            state.change(profile.id) { $0.passcodeHash = hash.text }
            state.throttles.forget(username, [.passcode])
            return profile.id
        case .replace(let old, let new, let id):
            return replaceHash(.passcode, of: id, old, by: new, in: &state) ? id : nil
        case .remove(let username):
            state.throttles.forget(username, [.passcode])
            guard let profile = state.profile(.username(username)), profile.passcodeHash != nil else { return nil }
            state.change(profile.id) { $0.passcodeHash = nil }
            return profile.id
        }
    }

    private static func replaceHash(
        _ kind: CredentialKind, of id: Int64, _ old: PasswordHash, by new: PasswordHash, in state: inout MemoryState
    ) -> Bool {
        guard state.profiles[id]?.hash(kind) == old.text else { return false }
        state.change(id) { $0.setHash(kind, new.text) }
        return true
    }

    func admit(_ attempt: LoginAttempt) async throws(ProfileStoreError) -> ThrottleState.Decision {
        try await write { [options] state in
            state.throttles.admit(attempt, mostUnknownNames: options.mostUnknownNames)
        }
    }

    func settle(
        _ attempt: LoginAttempt, _ outcome: LoginAttempt.Outcome
    ) async throws(ProfileStoreError) -> LoginAttempt.Success? {
        switch outcome {
        // `admit` has already counted the attempt.
        case .wrong: return nil
        case .notMade:
            return try await write { state in
                state.throttles.withdraw(attempt)
                return nil
            }
        case .right(let profileID, let rehash, let proven):
            return try await write { state in
                state.throttles.forget(attempt.username, [attempt.kind])
                if let rehash {
                    _ = Self.replaceHash(attempt.kind, of: profileID, rehash.old, by: rehash.new, in: &state)
                }
                guard let profile = state.profiles[profileID] else { return nil }
                let found = profile.profile(under: state.rules.schema)
                guard let proven, proven.hashes.contains(where: { $0.text == profile.password?.hash }) else {
                    return LoginAttempt.Success(profile: found, session: nil)
                }
                return state.tokens.start(proven.session, of: found)
            }
        }
    }

    func unlock(_ username: String) async throws(ProfileStoreError) {
        try await write { state in
            state.throttles.forget(username)
            guard let id = state.owner(of: username, in: .username) else { return }
            for token in state.tokens.ofProfile(id) {
                state.throttles.forget(LoginAttempt.name(of: token.kind, token.hash.id), [.password])
            }
        }
    }
}
