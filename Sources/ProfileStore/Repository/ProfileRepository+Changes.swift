public import ProfileCore
internal import SQLiteAccess

extension ProfileRepository {
    /// Stores a new profile.
    ///
    /// - Returns: The profile, with revision 1.
    /// - Throws: `duplicate` naming the unique fields that another profile has, `schemaChanged`, `busy`, …
    public func register(_ profile: ValidProfile) async throws(ProfileStoreError) -> Profile {
        let rows = try await hashingPasswords(of: profile)
        let now = options.now()
        return try await change(.registered) { connection throws(ProfileStoreError) in
            let adopted = try self.requireSchema(profile.schema, connection)
            let id = try ProfileStoreError.wrap { () throws(SQLiteError) in try StoreTable.nextID(connection) }
            let isStored = try UnjudgedPasswords.counting(of: id, under: adopted, connection) {
                () throws(ProfileStoreError) in
                try ProfileStoreError.wrap { () throws(SQLiteError) in
                    try StoreTable.setNextID(id + 1, connection)
                    return try adopted.insert(rows, id: id, at: now, connection)
                }
            }
            guard isStored else {
                throw .duplicate(try adopted.takenFields(of: rows, row: 0, besides: nil, connection))
            }
            // Whoever guessed at the name before had nothing to guess.
            try ThrottleTable.forget(profile.username, nil, connection)
            return (id, try self.requireProfile(id: id, connection))
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
            let stored = try profile(username: username, expecting: revision)
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
    package func profile(username: String, expecting revision: Int64?) throws(ProfileStoreError) -> Profile {
        guard let stored = try profile(username: username) else { throw .notFound(username: username) }
        if let revision, stored.revision != revision {
            throw .staleRevision(expected: revision, current: stored.revision)
        }
        return stored
    }

    /// Stores a valid profile in the place of one that was read, if that has not changed since.
    ///
    /// A password that `valid` does not bring stays as it is.
    /// - Throws: `staleRevision` with the current revision, `notFound`, `duplicate`, `schemaChanged`, `busy`, …
    public func replace(_ stored: Profile, with valid: ValidProfile) async throws(ProfileStoreError) -> Profile {
        guard stored.differs(from: valid) else { return stored }
        let rows = try await hashingPasswords(of: valid)
        let now = options.now()
        return try await change(.edited) { connection throws(ProfileStoreError) in
            let adopted = try self.requireSchema(valid.schema, connection)
            let outcome = try adopted.update(
                id: stored.id, revision: stored.revision, with: rows, at: now, connection)
            switch outcome {
            case .updated:
                if stored.username != valid.username {
                    for name in [stored.username, valid.username] { try ThrottleTable.forget(name, nil, connection) }
                } else if valid.bringsPassword {
                    try ThrottleTable.forget(stored.username, .password, connection)
                }
                return (stored.id, try self.requireProfile(id: stored.id, connection))
            case .duplicate:
                throw .duplicate(try adopted.takenFields(of: rows, row: 0, besides: stored.id, connection))
            case .stale:
                guard let current = try self.profile(id: stored.id, connection) else {
                    throw .notFound(username: stored.username)
                }
                throw .staleRevision(expected: stored.revision, current: current.revision)
            }
        }
    }

    /// Removes a profile and its credentials. Its id is not used again.
    ///
    /// - Throws: `notFound`, `busy`, …
    public func remove(_ username: String) async throws(ProfileStoreError) {
        try await change(.removed) { connection throws(ProfileStoreError) in
            let id = try ProfileStoreError.wrap { () throws(SQLiteError) in
                try ProfileTable.owner(of: username, in: .username, connection)
            }
            guard let id else { throw .notFound(username: username) }
            try UnjudgedPasswords.counting(of: id, under: self.schemaInForce(connection), connection) {
                () throws(ProfileStoreError) in
                try ProfileStoreError.wrap { () throws(SQLiteError) in
                    var statement = try connection.prepare("DELETE FROM profiles WHERE id = ?1")
                    try statement.bind(id, at: 1)
                    try statement.run()
                }
            }
            try ThrottleTable.forget(username, nil, connection)
            return (id, ())
        }
    }
}

extension ProfileRepository {
    /// The rows of a profile with a hash in the place of its password.
    private func hashingPasswords(of profile: ValidProfile) async throws(ProfileStoreError) -> ValidProfiles {
        var rows = profile.rows
        guard let password = rows.passwords[0], let field = profile.schema.index(of: .password) else { return rows }
        do throws(HashingError) {
            rows.setHash(try await hasher.hash(password), row: 0, field: field)
        } catch {
            throw error == .cancelled ? .cancelled : .hashing(error)
        }
        return rows
    }

    private func requireProfile(id: Int64, _ connection: borrowing Connection) throws(ProfileStoreError) -> Profile {
        guard let profile = try profile(id: id, connection) else { throw .corrupt("a profile just written is missing") }
        return profile
    }
}

extension AdoptedSchema {
    fileprivate func insert(
        _ rows: ValidProfiles, id: Int64, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Bool {
        var statement = try connection.prepare(table.insert)
        try table.bindCommon(at: time, schemaVersion: version, to: &statement)
        return try rows.bytes.withUnsafeBufferPointer { bytes throws(SQLiteError) in
            try table.insert(row: 0, of: rows, bytes, id: id, schemaVersion: Int64(version), with: &statement)
        }
    }

    /// Stores the one row of `rows` in the place of a profile that has this revision, and counts what that does to its
    /// password.
    func update(
        id: Int64, revision: Int64, with rows: ValidProfiles, at time: Timestamp, _ connection: borrowing Connection
    ) throws(ProfileStoreError) -> ProfileTable.UpdateOutcome {
        try UnjudgedPasswords.counting(of: id, under: self, connection) { () throws(ProfileStoreError) in
            try ProfileStoreError.wrap { () throws(SQLiteError) in
                try table.update(
                    id: id, revision: revision, row: 0, of: rows, at: time, schemaVersion: version, connection)
            }
        }
    }

    /// The unique fields of which another profile has the row's value.
    func takenFields(
        of rows: ValidProfiles, row: Int, besides id: Int64?, _ connection: borrowing Connection
    ) throws(ProfileStoreError) -> [FieldName] {
        var taken: [FieldName] = []
        for (index, field) in schema.fields.enumerated() where field.isUnique {
            guard let value = rows.text(row: row, field: index) else { continue }
            let owner = try ProfileStoreError.wrap { () throws(SQLiteError) in
                try ProfileTable.owner(of: value, in: field.name, connection)
            }
            if let owner, owner != id { taken.append(field.name) }
        }
        return taken
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
