package import ProfileCore

/// What an engine is to do next for a batch.
package enum ImportStep: Sendable {
    /// Store one of the batch's rows as a new profile: ``Outcome/inserted``, or ``Outcome/found(_:)`` where other
    /// profiles have some of its unique values.
    case insert(row: Int)
    /// Say what is stored of a row's unique values, other than by the profile with this id: ``Outcome/found(_:)``.
    case look(row: Int, of: ValidProfiles, besides: Int64?)
    /// Say what is stored by this username: ``Outcome/found(_:)``.
    case find(username: String)
    /// Store the one row in the place of the profile, which has not changed since it was found: ``Outcome/updated``, or
    /// ``Outcome/found(_:)`` where other profiles have some of its unique values.
    case update(Profile, with: ValidProfiles)
    /// The batch is done, or leaves the rest for another time.
    case end

    /// What came of a step.
    package enum Outcome: Sendable {
        /// There was none yet.
        case none
        case inserted
        case updated
        case found(StoredMatch)
    }
}

extension ImportStep {
    /// Takes the step within a transaction.
    ///
    /// - Parameters:
    ///   - batch: The batch of the step.
    ///   - schema: The rules in force.
    ///   - takenFields: Returns the unique fields, in the order of the schema's fields, whose value of this row another
    ///     profile has. The profile with the id does not count.
    ///   - stored: Finds the profile with a username, and the hash of its password.
    ///   - insert: Stores a row of the batch as a new profile. Returns false if another profile has one of its unique
    ///     values, and nil if the batch must not write.
    ///   - update: Stores a row in the place of a profile. Returns false if another profile has one of its unique values,
    ///     and nil if the batch must not write.
    /// - Returns: The outcome; nil if the batch ends.
    /// - Throws: What the closures throw.
    package func take<Failure: Error>(
        in batch: some ImportBatch, under schema: ProfileSchema,
        takenFields: (_ rows: ValidProfiles, _ row: Int, _ besides: Int64?) throws(Failure) -> [FieldName],
        stored: (_ username: String) throws(Failure) -> StoredMatch,
        insert: (_ row: Int) throws(Failure) -> Bool?,
        update: (_ profile: Profile, _ merged: ValidProfiles) throws(Failure) -> Bool?
    ) throws(Failure) -> Outcome? {
        func match(_ rows: ValidProfiles, _ row: Int, _ id: Int64?) throws(Failure) -> StoredMatch {
            let username = batch.wantsStoredProfiles ? rows.text(row: row, field: schema.primaryKeyIndex) : nil
            var match = if let username { try stored(username) } else { StoredMatch() }
            match.takenFields = try takenFields(rows, row, id)
            return match
        }
        switch self {
        case .insert(let row):
            guard let isStored = try insert(row) else { return nil }
            return isStored ? .inserted : .found(try match(batch.rows, row, nil))
        case .look(let row, let rows, let id): return .found(try match(rows, row, id))
        case .find(let username): return .found(try stored(username))
        case .update(let profile, let merged):
            guard let isStored = try update(profile, merged) else { return nil }
            return isStored ? .updated : .found(StoredMatch(takenFields: try takenFields(merged, 0, profile.id)))
        case .end: return nil
        }
    }
}

extension ImportBatch {
    /// Runs the batch within a transaction that writes nothing. A step that writes ends it.
    package mutating func look<Failure: Error>(
        under schema: ProfileSchema,
        takenFields: (_ rows: ValidProfiles, _ row: Int, _ besides: Int64?) throws(Failure) -> [FieldName],
        stored: (_ username: String) throws(Failure) -> StoredMatch
    ) throws(Failure) {
        var step = next(after: .none)
        while let outcome = try step.take(
            in: self, under: schema, takenFields: takenFields, stored: stored,
            insert: { _ throws(Failure) in nil }, update: { _, _ throws(Failure) in nil })
        {
            step = next(after: outcome)
        }
    }
}

/// What a store has of a row's unique values.
package struct StoredMatch: Sendable {
    /// The unique fields of which another profile has the row's value, in the order of the schema's fields.
    package var takenFields: [FieldName]
    /// The profile with the row's username, where it is wanted.
    package var profile: Profile?
    /// The hash of that one's password, as it is stored.
    package var passwordHash: String?

    package init(takenFields: [FieldName] = [], profile: Profile? = nil, passwordHash: String? = nil) {
        self.takenFields = takenFields
        self.profile = profile
        self.passwordHash = passwordHash
    }
}
