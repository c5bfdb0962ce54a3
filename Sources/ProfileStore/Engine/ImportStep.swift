package import ProfileCore

/// The next action that a batch asks an engine to perform.
package enum ImportStep: Sendable {
    /// Find the stored profiles whose primary keys occur in these rows of the batch. The outcome is
    /// ``Outcome/matched(_:)``. Later steps of the batch may change these profiles.
    case match(Range<Int>)
    /// Store one of the batch's rows as a new profile. The outcome is ``Outcome/inserted``. If another profile has one
    /// of the row's unique values, the outcome is ``Outcome/found(_:)``.
    case insert(row: Int)
    /// Find the stored profiles that have the same value as this row in a unique field. The search ignores the profile
    /// with the id `besides`. The outcome is ``Outcome/found(_:)``.
    case look(row: Int, of: ValidProfiles, besides: Int64?)
    /// Find the profile with this username. The outcome is ``Outcome/found(_:)``.
    case find(username: String)
    /// Update a stored profile. The profile has not changed since the batch found it. The outcome is
    /// ``Outcome/updated``. If another profile has one of the new unique values, the outcome is ``Outcome/found(_:)``.
    case update(RowUpdate)
    /// The batch ends: it is complete, or it leaves its remaining rows for another transaction.
    case end

    /// The outcome of a step.
    package enum Outcome: Sendable {
        /// The outcome that a batch receives before its first step.
        case none
        case matched(StoredMatches)
        case inserted
        case updated
        case found(StoredMatch)
    }
}

extension ImportStep {
    /// Performs the step within a transaction.
    ///
    /// - Parameters:
    ///   - batch: The batch of the step.
    ///   - schema: The rules in force.
    ///   - takenFields: Returns the unique fields whose value in the row is already in use by another profile. The
    ///     fields are sorted in the schema's order. The profile with the id `besides` is ignored.
    ///   - stored: Returns the profile that has this username, together with its password hash.
    ///   - matches: Returns the profiles whose primary keys occur in these rows of the batch.
    ///   - insert: Stores a row of the batch as a new profile. Returns false if another profile has one of the row's
    ///     unique values.
    ///   - update: Changes a profile. Returns false if another profile has one of the new unique values.
    /// - Returns: The outcome; nil if the batch ends.
    /// - Throws: What the closures throw.
    package func take<Failure: Error>(
        in batch: some ImportBatch, under schema: ProfileSchema,
        takenFields: (_ rows: ValidProfiles, _ row: Int, _ besides: Int64?) throws(Failure) -> [FieldName],
        stored: (_ username: String) throws(Failure) -> StoredMatch,
        matches: (_ rows: Range<Int>) throws(Failure) -> StoredMatches,
        insert: (_ row: Int) throws(Failure) -> Bool,
        update: (_ update: RowUpdate) throws(Failure) -> Bool
    ) throws(Failure) -> Outcome? {
        func match(_ rows: ValidProfiles, _ row: Int, _ id: Int64?) throws(Failure) -> StoredMatch {
            let username = batch.wantsStoredProfiles ? rows.text(row: row, field: schema.primaryKeyIndex) : nil
            var match = if let username { try stored(username) } else { StoredMatch() }
            match.takenFields = try takenFields(rows, row, id)
            return match
        }
        switch self {
        case .match(let range): return .matched(try matches(range))
        case .insert(let row):
            return try insert(row) ? .inserted : .found(try match(batch.rows, row, nil))
        case .look(let row, let rows, let id): return .found(try match(rows, row, id))
        case .find(let username): return .found(try stored(username))
        case .update(let change):
            if try update(change) { return .updated }
            return .found(StoredMatch(takenFields: try takenFields(change.rows, change.row, change.id)))
        case .end: return nil
        }
    }
}

/// The result of searching the stored profiles for the unique values of a row.
package struct StoredMatch: Sendable {
    /// The unique fields whose value in the row is already in use by another profile. The fields are sorted in the
    /// schema's order.
    package var takenFields: [FieldName]
    /// The profile with the row's username, if the batch wants it.
    package var profile: Profile?
    /// The stored password hash of `profile`.
    package var passwordHash: String?

    package init(takenFields: [FieldName] = [], profile: Profile? = nil, passwordHash: String? = nil) {
        self.takenFields = takenFields
        self.profile = profile
        self.passwordHash = passwordHash
    }
}
