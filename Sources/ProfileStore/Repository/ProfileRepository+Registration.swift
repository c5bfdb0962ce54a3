public import ProfileCore
internal import SecretHashing
internal import Threads

// Each write can have an author for the log of changes, and an idempotency key for repeats; see `WriteKey`.
extension ProfileRepository {
    /// Validates a draft by the rules in force, and stores it as a new profile.
    ///
    /// If other rules come into force meanwhile, the draft is validated again.
    /// - Parameters:
    ///   - draft: The values of the profile.
    ///   - author: The author of the change.
    ///   - key: An idempotency key.
    /// - Returns: The profile, with revision 1.
    /// - Throws: `invalid` with the issues, `duplicate` with the unique fields in which another profile has the same
    ///   value, `busy`, …
    public func register(
        _ draft: ProfileDraft, by author: Author? = nil, key: WriteKey? = nil
    ) async throws(ProfileStoreError) -> Profile {
        try await call { () throws(ProfileStoreError) in
            let deadline = CallDeadline.orFromNow(options.waitLimit)
            while true {
                let rules = adoptedSchema
                let profile: ValidProfile
                do throws(ValidationFailure) {
                    profile = try rules.validator.validate(draft, on: today)
                } catch {
                    guard try await refreshSchema().version == rules.version else { continue }
                    throw .invalid(error)
                }
                do throws(ProfileStoreError) {
                    return try await register(profile, by: author, key: key)
                } catch {
                    guard error.code == .schemaChanged, .now < deadline else { throw error }
                }
            }
        }
    }

    /// Stores a new profile that was validated before.
    ///
    /// A repeat with the same key returns the first answer only if the repeat has the password that the stored profile
    /// has now. The check of the password is an attempt, and counts for throttling like any other attempt.
    /// - Parameters:
    ///   - profile: The validated profile.
    ///   - author: The author of the change.
    ///   - key: An idempotency key.
    /// - Returns: The profile, with revision 1.
    /// - Throws: `duplicate` with the unique fields in which another profile has the same value, `schemaChanged`,
    ///   `busy`, …
    public func register(
        _ profile: ValidProfile, by author: Author? = nil, key: WriteKey? = nil
    ) async throws(ProfileStoreError) -> Profile {
        let stamp = stamp(author, KeyedRequest(key, "register", profile.facts))
        return try await call { () throws(ProfileStoreError) in
            if let first: Profile = try await firstAnswer(stamp) {
                try await requirePassword(of: profile, inRepeatOf: first, key)
                return first
            }
            let row = try await hashingPasswords(of: profile.rows, profile.schema)
            let registered = try await learningOfRules { () throws(ProfileStoreError) in
                try await ask(.register, await engine.register(row, judgedBy: profile.schema, stamp))
            }
            // Another call with the same key may have stored the profile, with another password.
            let hash = profile.schema.passwordIndex.flatMap { row.text(row: 0, field: $0) }
            try await requirePassword(of: profile, inRepeatOf: registered, key, unlessStored: hash)
            return registered
        }
    }

    /// Checks that the repeat of a registration has the password that the stored profile has now. If the profile was
    /// removed, or has no password, the password is not checked.
    ///
    /// - Parameters:
    ///   - profile: The profile of the repeat.
    ///   - first: The profile that the first registration has stored.
    ///   - key: The idempotency key of both registrations. If it is nil, nothing is checked.
    ///   - hash: The hash that this call has passed to the engine; nil for none. If the stored hash is equal, this call
    ///     has stored the profile, so its password is not checked.
    /// - Throws: `keyReused` if the repeat has another password, `busy` if the check is throttled or locked, …
    private func requirePassword(
        of profile: ValidProfile, inRepeatOf first: Profile, _ key: WriteKey?, unlessStored hash: String? = nil
    ) async throws(ProfileStoreError) {
        guard let key, let password = profile.rows.passwords[0] else { return }
        let stored = try await self.profile(id: first.id) { $0?.hasPassword != true }
        guard let stored, stored.hasPassword else { return }
        do throws(CredentialError) {
            if let hash, try await credential(.password, of: stored.username)?.hash?.text == hash { return }
            _ = try await attempt(password, .password, stored.username)
        } catch {
            switch error {
            case .throttled, .locked: throw .busy(holder: nil, waited: .zero)
            case .hashing(.cancelled): throw .cancelled
            case .hashing(let error): throw .hashing(error)
            case .store(let error): throw error
            default: throw .keyReused(key)
            }
        }
    }
}
