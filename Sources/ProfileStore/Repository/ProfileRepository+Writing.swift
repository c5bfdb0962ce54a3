public import ProfileCore
internal import SecretHashing

extension ProfileRepository {
    /// Stores a new profile.
    ///
    /// - Returns: The profile, with revision 1.
    /// - Throws: `duplicate` naming the unique fields that another profile has, `schemaChanged`, `busy`, …
    public func register(_ profile: ValidProfile) async throws(ProfileStoreError) -> Profile {
        let row = try await hashingPassword(of: profile)
        return try await learningOfRules { () throws(ProfileStoreError) in
            try await engine.register(row, judgedBy: profile.schema, at: options.now())
        }
    }

    /// Changes a profile: `change` gets a draft of what is stored, and what comes out is judged and stored.
    ///
    /// Without an expected revision the change is made to whatever is stored when its turn comes, again and again for as
    /// long as ``Options/waitLimit`` while others are faster.
    /// - Parameters:
    ///   - username: Whose profile, whatever the case of its ASCII letters.
    ///   - revision: The revision that the caller goes by; another one is refused as `staleRevision`.
    ///   - change: May run more than once.
    /// - Returns: The profile, with its revision one higher, or as it was where the change changes nothing.
    /// - Throws: `notFound`, `invalid`, `staleRevision`, `duplicate`, `busy`, …
    public func edit(
        _ username: String, expecting revision: Int64? = nil, _ change: @Sendable (inout ProfileDraft) -> Void
    ) async throws(ProfileStoreError) -> Profile {
        let deadline = ContinuousClock.now + min(options.waitLimit, .seconds(1_000_000_000))
        while true {
            let stored = try await profile(username: username, expecting: revision)
            var draft = stored.draft
            change(&draft)
            let adopted = adoptedSchema
            // Other rules came between, and the draft goes by the fields that were.
            guard adopted.schema == stored.schema else {
                guard .now < deadline else { throw .schemaChanged(version: adopted.version) }
                continue
            }
            let valid: ValidProfile
            do throws(ValidationFailure) {
                valid = try adopted.validator.validate(draft, on: today, hasPassword: stored.hasPassword)
            } catch {
                throw .invalid(error)
            }
            do throws(ProfileStoreError) {
                return try await replace(stored, with: valid)
            } catch {
                switch error {
                case .staleRevision where revision == nil && .now < deadline: continue
                case .schemaChanged where .now < deadline: continue
                default: throw error
                }
            }
        }
    }

    /// A profile that is to be edited.
    ///
    /// - Throws: `notFound`, and `staleRevision` where it has another revision than is expected.
    package func profile(
        username: String, expecting revision: Int64?
    ) async throws(ProfileStoreError) -> Profile {
        guard let stored = try await profile(username: username) else { throw .notFound(username: username) }
        if let revision, stored.revision != revision {
            throw .staleRevision(expected: revision, current: stored.revision)
        }
        return stored
    }

    /// Stores a valid profile in the place of one that was read, if that has not changed since.
    ///
    /// A password that `valid` does not bring stays as it is; another one ends the profile's sessions.
    /// - Throws: `staleRevision` with the current revision, `notFound`, `duplicate`, `schemaChanged`, `busy`, …
    public func replace(_ stored: Profile, with valid: ValidProfile) async throws(ProfileStoreError) -> Profile {
        guard stored.differs(from: valid) else { return stored }
        let row = try await hashingPassword(of: valid)
        // Another password ends the profile's sessions.
        defer { if valid.bringsPassword { sessionLooks.forget() } }
        return try await learningOfRules { () throws(ProfileStoreError) in
            try await engine.replace(stored, with: row, judgedBy: valid.schema, at: options.now())
        }
    }

    /// Removes a profile, its credentials and its sessions. Its id is not used again.
    ///
    /// - Throws: `notFound`, `busy`, …
    public func remove(_ username: String) async throws(ProfileStoreError) {
        defer { sessionLooks.forget() }
        try await engine.remove(username, at: options.now())
    }

    /// The row of a profile with a hash in the place of its password.
    private func hashingPassword(of profile: ValidProfile) async throws(ProfileStoreError) -> ValidProfiles {
        var rows = profile.rows
        guard let password = rows.passwords[0], let field = profile.schema.index(of: .password) else { return rows }
        do throws(HashingError) {
            rows.setHash(try await hasher.hash(password), row: 0, field: field)
        } catch {
            throw error == .cancelled ? .cancelled : .hashing(error)
        }
        return rows
    }
}

extension Profile {
    /// Whether storing `valid` would change anything.
    fileprivate func differs(from valid: ValidProfile) -> Bool {
        valid.bringsPassword || status == .invalid
            || valid.schema.openFields.contains { valid[$0.name] != self[$0.name] }
    }
}

extension ValidProfile {
    fileprivate var bringsPassword: Bool {
        guard let field = schema.index(of: .password) else { return false }
        return rows.passwords[0] != nil || !rows.slot(row: 0, field: field).isAbsent
    }
}
