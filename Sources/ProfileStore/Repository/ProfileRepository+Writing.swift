public import ProfileCore
internal import SecretHashing
internal import Threads

// Each write can have an author for the log of changes, and an idempotency key for repeats; see `WriteKey`.
extension ProfileRepository {
    /// Edits a profile: passes a draft of the stored profile to `change`, and validates and stores the result.
    ///
    /// If no revision is expected and other writers change the profile at the same time, the edit is repeated for at
    /// most ``Options/waitLimit``.
    /// - Parameters:
    ///   - username: The username, ignoring the case of ASCII letters.
    ///   - revision: The revision that the profile must have. If the profile has another revision, `staleRevision` is
    ///     thrown.
    ///   - author: The author of the change.
    ///   - key: An idempotency key. A repeat with the same key does not run `change`. The text `request` of the key
    ///     must identify what `change` does, because the store cannot compare closures. An edit that sets a password
    ///     cannot have a key.
    ///   - change: Changes the draft. The closure may run more than once.
    /// - Returns: The profile with its revision raised by one, or the stored profile if the draft changes nothing.
    /// - Throws: `notFound`, `invalid`, `staleRevision`, `duplicate`, `keyedSecret`, `busy`, …
    public func edit(
        _ username: String, expecting revision: Int64? = nil, by author: Author? = nil, key: WriteKey? = nil,
        _ change: @Sendable (inout ProfileDraft) -> Void
    ) async throws(ProfileStoreError) -> Profile {
        do throws(EditError<Never>) {
            return try await call { () throws(EditError<Never>) in
                try await attemptEdit(.username(username), revision, author, key, change)
            }
        } catch {
            switch error {
            case .store(let error): throw error
            }
        }
    }

    /// Edits a profile like ``edit(_:expecting:by:key:_:)-77e2w``. If `change` throws, nothing
    /// is stored.
    ///
    /// - Throws: The error of `change`, or ``ProfileStoreError``.
    public func edit(
        _ username: String, expecting revision: Int64? = nil, by author: Author? = nil, key: WriteKey? = nil,
        _ change: @Sendable (inout ProfileDraft) throws -> Void
    ) async throws -> Profile {
        try await edit(.username(username), revision, author, key, change)
    }

    /// Edits a profile like ``edit(_:expecting:by:key:_:)-77e2w``. If the edit changes the username, a repeat with the
    /// same key still gets the first answer, because the id of a profile does not change.
    ///
    /// - Throws: The error of `change`, or ``ProfileStoreError``. The error `notFound` has the id instead of a username.
    public func edit(
        id: Int64, expecting revision: Int64? = nil, by author: Author? = nil, key: WriteKey? = nil,
        _ change: @Sendable (inout ProfileDraft) throws -> Void
    ) async throws -> Profile {
        try await edit(.id(id), revision, author, key, change)
    }

    private func edit(
        _ target: ProfileKey, _ revision: Int64?, _ author: Author?, _ key: WriteKey?,
        _ change: @Sendable (inout ProfileDraft) throws -> Void
    ) async throws -> Profile {
        do throws(EditError<any Error>) {
            return try await call { () throws(EditError<any Error>) in
                try await attemptEdit(target, revision, author, key, change)
            }
        } catch {
            switch error {
            case .store(let error): throw error
            case .change(let error): throw error
            }
        }
    }

    /// Returns a profile for an edit, if it has the expected revision.
    ///
    /// - Parameters:
    ///   - username: The username, ignoring the case of ASCII letters.
    ///   - revision: The expected revision; nil for any.
    /// - Returns: The stored profile.
    /// - Throws: `notFound`, or `staleRevision` if the profile has another revision.
    public func profile(
        username: String, expecting revision: Int64?
    ) async throws(ProfileStoreError) -> Profile {
        try await profile(.username(username), expecting: revision)
    }

    private func profile(_ key: ProfileKey, expecting revision: Int64?) async throws(ProfileStoreError) -> Profile {
        var stored = try await profile(key)
        if stored == nil || revision != nil && stored?.revision != revision {
            stored = try await confirmed(stored, key)
        }
        guard let stored else { throw .notFound(key) }
        try stored.requireRevision(revision)
        return stored
    }

    private func confirmed(_ stored: Profile?, _ key: ProfileKey) async throws(ProfileStoreError) -> Profile? {
        try await confirmed(stored) { () throws(ProfileStoreError) in try await profile(key) }
    }

    /// Replaces the values of a profile by valid values. If the profile was changed after it was read, nothing is
    /// written.
    ///
    /// The profile keeps its password if `valid` has none. A new password ends the profile's sessions.
    /// - Parameters:
    ///   - stored: The profile as it was read.
    ///   - valid: The new values.
    ///   - author: The author of the change.
    ///   - key: An idempotency key. A write that sets a password cannot have a key.
    /// - Returns: The profile with its revision raised by one, or the stored profile if nothing changes.
    /// - Throws: `staleRevision` with the current revision, `notFound`, `duplicate`, `schemaChanged`, `keyedSecret`,
    ///   `busy`, …
    public func replace(
        _ stored: Profile, with valid: ValidProfile, by author: Author? = nil, key: WriteKey? = nil
    ) async throws(ProfileStoreError) -> Profile {
        let request = KeyedRequest(key, "replace", [String(stored.id), String(stored.revision)] + valid.facts)
        let stamp = stamp(author, request)
        return try await call { () throws(ProfileStoreError) in
            if let first: Profile = try await firstAnswer(stamp) { return first }
            return try await replace(stored, with: valid, stamp)
        }
    }

    /// Removes a profile, its credentials and its sessions. The id of the profile is not used again.
    ///
    /// - Parameters:
    ///   - username: The username, ignoring the case of ASCII letters.
    ///   - revision: The revision that the profile must have. If the profile has another revision, `staleRevision` is
    ///     thrown.
    ///   - author: The author of the change.
    ///   - key: An idempotency key. If there is a key, the store keeps the removed profile for 24 hours, and a repeat
    ///     returns this profile.
    /// - Returns: The removed profile.
    /// - Throws: `notFound`, `staleRevision`, `busy`, …
    @discardableResult
    public func remove(
        _ username: String, expecting revision: Int64? = nil, by author: Author? = nil, key: WriteKey? = nil
    ) async throws(ProfileStoreError) -> Profile {
        try await remove(.username(username), revision, author, key)
    }

    /// Removes a profile like ``remove(_:expecting:by:key:)``.
    ///
    /// - Throws: The error `notFound` has the id instead of a username.
    @discardableResult
    public func remove(
        id: Int64, expecting revision: Int64? = nil, by author: Author? = nil, key: WriteKey? = nil
    ) async throws(ProfileStoreError) -> Profile {
        try await remove(.id(id), revision, author, key)
    }

    private func remove(
        _ target: ProfileKey, _ revision: Int64?, _ author: Author?, _ key: WriteKey?
    ) async throws(ProfileStoreError) -> Profile {
        defer { tokenLooks.forget() }
        let stamp = stamp(author, KeyedRequest(key, "remove", target.facts + [revision.map { String($0) }]))
        return try await ask(.remove, await engine.remove(target, expecting: revision, stamp))
    }

    // MARK: Shared by writes

    package func stamp(
        _ author: Author?, from origin: ChangeOrigin = ChangeOrigin(), _ request: KeyedRequest? = nil
    ) -> WriteStamp {
        var origin = origin
        origin.command = options.command
        return WriteStamp(at: options.now(), by: author, from: origin, request)
    }

    /// Returns the answer of an earlier write with the same key; nil if there is no such write. Writes call this method
    /// before they hash a secret.
    func firstAnswer<Value: KeyedValue>(_ stamp: WriteStamp) async throws(ProfileStoreError) -> Value? {
        guard let request = stamp.request,
            let outcome = try await ask(
                .lookUpKey, rows: \.rowCount, await engine.outcome(of: request, at: stamp.time))
        else { return nil }
        let answer: Result<Value, ProfileStoreError> = outcome.answer()
        return try answer.get()
    }

    private func attemptEdit<Failure>(
        _ target: ProfileKey, _ revision: Int64?, _ author: Author?, _ key: WriteKey?,
        _ change: @Sendable (inout ProfileDraft) throws(Failure) -> Void
    ) async throws(EditError<Failure>) -> Profile {
        let facts = target.facts + [revision.map { String($0) }]
        let stamp = stamp(author, KeyedRequest(key, "edit", facts, isOfOneRevision: revision != nil))
        let first: Profile? = try await EditError<Failure>.of { () throws(ProfileStoreError) in
            try await firstAnswer(stamp)
        }
        if let first { return first }
        let deadline = CallDeadline.orFromNow(options.waitLimit)
        // The profile with which the next pass of the loop repeats the edit. It is set if the draft was invalid and
        // another writer had changed the profile meanwhile.
        var confirmedProfile: Profile?
        while true {
            let stored = try await EditError<Failure>.of { () throws(ProfileStoreError) in
                if let confirmed = confirmedProfile.take() { return confirmed }
                return try await profile(target, expecting: revision)
            }
            var draft = stored.draft
            do throws(Failure) { try change(&draft) } catch { throw .change(error) }
            let adopted = adoptedSchema
            // If other rules came into force, the edit starts again, because the draft has the fields of the previous
            // rules.
            guard adopted.isSame(as: stored.schema) else {
                guard .now < deadline else { throw .store(.schemaChanged(version: adopted.version)) }
                continue
            }
            let valid: ValidProfile
            do throws(ValidationFailure) {
                valid = try adopted.validator.validate(draft, on: today, hasPassword: stored.hasPassword)
            } catch {
                let latest = try await EditError<Failure>.of { () throws(ProfileStoreError) in
                    try await refreshSchema()
                    return try await confirmed(stored, target)
                }
                // If another process has adopted other rules, these rules may accept the draft.
                if adoptedSchema.version != adopted.version, .now < deadline { continue }
                guard let latest, latest.id == stored.id, latest.revision != stored.revision, .now < deadline else {
                    throw .store(.invalid(error))
                }
                confirmedProfile = latest
                continue
            }
            do throws(ProfileStoreError) {
                return try await replace(stored, with: valid, stamp)
            } catch {
                switch error.code {
                case .staleRevision where revision == nil && .now < deadline: continue
                case .schemaChanged where .now < deadline: continue
                default: throw .store(error)
                }
            }
        }
    }

    private func replace(
        _ stored: Profile, with valid: ValidProfile, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> Profile {
        guard stamp.request == nil || !valid.bringsPassword else { throw .keyedSecret }
        guard stored.differs(from: valid) else {
            return try await ask(
                stamp.request == nil ? .lookUp : .keepKey,
                await engine.replace(stored, with: nil, judgedBy: valid.schema, stamp))
        }
        let row = try await hashingPasswords(of: valid.rows, valid.schema)
        // A new password ends the profile's sessions, so the cached sessions are forgotten.
        defer { if valid.bringsPassword { tokenLooks.forget() } }
        return try await learningOfRules { () throws(ProfileStoreError) in
            try await ask(
                .replace, await engine.replace(stored, with: row, judgedBy: valid.schema, stamp))
        }
    }

    /// Returns the profiles with hashes instead of passwords.
    func hashingPasswords(
        of profiles: ValidProfiles, _ schema: ProfileSchema
    ) async throws(ProfileStoreError) -> ValidProfiles {
        let passwords = profiles.passwords.sorted { $0.key < $1.key }
        guard let field = schema.passwordIndex, !passwords.isEmpty else { return profiles }
        var profiles = profiles
        do throws(HashingError) {
            let hashes = try await hasher.hashAll(passwords.map(\.value)) { _ in }
            for (row, hash) in zip(passwords.map(\.key), hashes) { profiles.setHash(hash, row: row, field: field) }
        } catch {
            throw error == .cancelled ? .cancelled : .hashing(error)
        }
        return profiles
    }
}

extension ProfileKey {
    /// The username or the id, as facts of a ``KeyedRequest``. A username and an id never have the same facts.
    fileprivate var facts: [String?] {
        switch self {
        case .username(let username): [LoginAttempt.foldedName(username)]
        case .id(let id): [nil, String(id)]
        }
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
        guard let field = schema.passwordIndex else { return false }
        return rows.passwords[0] != nil || !rows.slot(row: 0, field: field).isAbsent
    }
}

extension ValidProfile {
    /// The facts that identify a write of this profile: its values, and whether it has a password. If the caller passes
    /// a hash instead of a password, the hash is a fact, because a repeat cannot check the password.
    var facts: [String?] {
        let hash = schema.passwordIndex.flatMap { rows.text(row: 0, field: $0) }
        return schema.openFields.flatMap { [$0.name.text, self[$0.name]] }
            + [rows.passwords[0] == nil ? hash : "password"]
    }
}

/// The reason an edit failed.
private enum EditError<Failure: Error>: Error {
    case store(ProfileStoreError)
    /// The error of the caller's closure.
    case change(Failure)

    /// Runs a body that throws only errors of the store.
    static func of<Value>(_ body: () async throws(ProfileStoreError) -> Value) async throws(Self) -> Value {
        do throws(ProfileStoreError) { return try await body() } catch { throw .store(error) }
    }
}
