internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// Plans and performs the writes of a batch of rows. First it runs the batch's steps in memory, using the stored
/// profiles that have the rows' unique values. Then it writes the results with a few statements. If another session has
/// changed the table meanwhile, the statements affect fewer rows than expected. The transaction is then repeated with a
/// new plan.
struct BatchPlan {
    private let rules: RulesInForce
    private let time: Timestamp
    private(set) var ids: BatchIDs

    // The known contents of the table.
    private var owners: BatchOwners
    /// The profiles that were read individually, or that a step has stored or changed.
    private var profiles: [Int64: Profile] = [:]
    private var hashes: [Int64: String] = [:]
    /// The owners of two kinds of values: values that were read individually, and values that a step has added to a
    /// profile or removed from a profile. The outer key is the column of the unique field. The inner key contains the
    /// bytes of the value, in the form that is used for comparisons. Nil means that no profile has the value. The inner
    /// keys are not `String`s, because Swift treats some different values as equal `String`s: é as one Unicode scalar
    /// equals é as two Unicode scalars.
    private var otherOwners: [FieldColumn: [[UInt8]: Int64?]] = [:]

    // The writes of the steps.
    private var writes: [Write] = []
    /// The new rows that are not in `writes` yet, with the ids of their new profiles.
    private var newRows: [(row: Int, id: Int64)] = []
    /// The independent updates: they do not depend on any other write of the batch. They are grouped by the fields that
    /// they set. Each group is written with one statement, before all of `writes`.
    private var independentUpdates: [FieldSet: [RowUpdate]] = [:]
    /// The independent updates that are not applied to `profiles` yet, by the id of the profile.
    private var unapplied: [Int64: RowUpdate] = [:]
    private var updated: Set<Int64> = []
    /// The entries of the updated profiles for the history.
    private(set) var updates: [HistoryRecord] = []
    /// The fields whose updates are written in the order of the steps: the unique fields and the password. An earlier
    /// step may remove a unique value that a later step sets. A new password needs further statements, which delete the
    /// profile's tokens.
    private let orderedFields: FieldSet

    /// A write that takes place in the order of the steps.
    private enum Write {
        case insert([(row: Int, id: Int64)])
        case update(RowUpdate)
    }

    private var table: ProfileTable { rules.table }
    private var uniqueFields: [(index: Int, rules: FieldRules)] { owners.uniqueFields }

    /// - Parameters:
    ///   - rules: The rules in force.
    ///   - ids: The ids for new profiles. They continue after the ids of the transaction's earlier batches.
    ///   - time: The time of the write.
    init(under rules: RulesInForce, ids: BatchIDs, at time: Timestamp) {
        self.rules = rules
        self.time = time
        self.ids = ids
        owners = BatchOwners(in: rules.table)
        orderedFields = FieldSet(owners.uniqueFields.map(\.index) + [rules.table.secretField].compactMap(\.self))
    }

    // MARK: The steps

    /// Runs all steps of a batch.
    mutating func run<Batch: ImportBatch>(_ batch: inout Batch, _ transaction: Transaction) async throws {
        owners = try await BatchOwners(
            of: batch.rows, in: table, withProfiles: batch.wantsStoredProfiles, transaction)
        try await learn(batch.usernamesToFind.map { ProfileTable.key(of: $0) }, of: owners.keyPosition, transaction)
        var step = batch.next(after: .none)
        while true {
            // Before each step, this loop reads the owners that the step needs, unless they are already known.
            switch step {
            case .look(let row, let rows, _): try await learn(of: row, in: rows, setting: nil, transaction)
            case .update(let update):
                try await learn(of: update.row, in: update.rows, setting: update.fields, transaction)
            case .find(let username):
                try await learn([ProfileTable.key(of: username)], of: owners.keyPosition, transaction)
            case .match, .insert: break
            case .end: return
            }
            guard let outcome = try take(step, of: batch) else { return }
            step = batch.next(after: outcome)
        }
    }

    /// Runs one step with the owners that were read for it. Returns nil for the step `end`.
    private mutating func take(
        _ step: ImportStep, of batch: some ImportBatch
    ) throws(ProfileStoreError) -> ImportStep.Outcome? {
        try step.take(in: batch, under: table.schema) { rows, row, id throws(ProfileStoreError) in
            takenFields(of: row, in: rows, setting: nil, besides: id)
        } stored: { username throws(ProfileStoreError) in
            stored(username)
        } matches: { range throws(ProfileStoreError) in
            matches(range, of: batch.rows)
        } insert: { row throws(ProfileStoreError) in
            guard uniqueFields.indices.allSatisfy({ owner(ofRow: row, of: batch.rows, $0) == nil }) else {
                return false
            }
            insert(row, of: batch.rows)
            return true
        } update: { update throws(ProfileStoreError) in
            guard takenFields(of: update.row, in: update.rows, setting: update.fields, besides: update.id).isEmpty
            else { return false }
            try take(update)
            return true
        }
    }

    // MARK: Known profiles

    /// Reads the owners of a row's unique values, unless they are known already. `fields` are the fields that the row
    /// sets. Nil means all fields.
    private mutating func learn(
        of row: Int, in rows: ValidProfiles, setting fields: FieldSet?, _ transaction: Transaction
    ) async throws {
        for (position, field) in uniqueFields.enumerated() where fields?.contains(field.index) ?? true {
            guard let value = rows.text(row: row, field: field.index) else { continue }
            try await learn([ProfileTable.compared(value, of: field.rules)], of: position, transaction)
        }
    }

    /// Reads the owners of values of the unique field at `position`, unless they are known already.
    private mutating func learn(_ values: [String], of position: Int, _ transaction: Transaction) async throws {
        let unknown = values.filter { owner(of: Array($0.utf8), position) == nil }
        guard !unknown.isEmpty else { return }
        let column = uniqueFields[position].rules.column
        for value in unknown { otherOwners[column, default: [:]][Array(value.utf8)] = .some(nil) }
        for owner in try await owners.read(unknown, of: position, transaction) {
            otherOwners[column, default: [:]][owner.value] = owner.id
            // A profile that is already in `profiles` is not replaced: it contains the changes of the steps, but the
            // table does not contain these changes yet.
            guard let stored = owner.profile, profile(owner.id) == nil else { continue }
            profiles[owner.id] = stored
            hashes[owner.id] = owner.hash
        }
    }

    /// Returns the id of the profile that has a row's value in the unique field at `position`. The row belongs to the
    /// batch.
    private func owner(ofRow row: Int, of rows: ValidProfiles, _ position: Int) -> Int64? {
        guard !otherOwners.isEmpty, let value = rows.text(row: row, field: uniqueFields[position].index) else {
            return owners.id(ofRow: row, position)
        }
        let bytes = Self.compared(value, of: uniqueFields[position].rules)
        return otherOwners[uniqueFields[position].rules.column]?[bytes] ?? owners.id(ofRow: row, position)
    }

    /// Returns the id of the profile that has a value. The outer optional of the result is nil if the owner is not
    /// known. The inner optional is nil if no profile has the value.
    private mutating func owner(of value: [UInt8], _ position: Int) -> Int64?? {
        if let owner = otherOwners[uniqueFields[position].rules.column]?[value] { return .some(owner) }
        return owners.id(of: value, position)
    }

    /// Returns the key of a value in `otherOwners`.
    private static func compared(_ value: String, of field: FieldRules) -> [UInt8] {
        Array(ProfileTable.compared(value, of: field).utf8)
    }

    /// Returns the unique fields in which another profile has the row's value. The profile with the id `id` is not
    /// considered. `fields` are the fields that the row sets. Nil means all fields.
    private mutating func takenFields(
        of row: Int, in rows: ValidProfiles, setting fields: FieldSet?, besides id: Int64?
    ) -> [FieldName] {
        var taken: [FieldName] = []
        for (position, field) in uniqueFields.enumerated() where fields?.contains(field.index) ?? true {
            guard let value = rows.text(row: row, field: field.index) else { continue }
            let bytes = Self.compared(value, of: field.rules)
            if let owner = owner(of: bytes, position) ?? nil, owner != id { taken.append(field.rules.name) }
        }
        return taken
    }

    /// Returns the profile that has this username, together with its password hash.
    private mutating func stored(_ username: String) -> StoredMatch {
        guard let id = owner(of: Array(ProfileTable.key(of: username).utf8), owners.keyPosition) ?? nil,
            let profile = profile(id)
        else { return StoredMatch() }
        return StoredMatch(profile: profile, passwordHash: hash(id))
    }

    /// Returns the profiles that have the primary keys of these rows of the batch.
    private mutating func matches(_ range: Range<Int>, of rows: ValidProfiles) -> StoredMatches {
        var matches = StoredMatches(of: range, columns: owners.hasProfiles ? table.openFields.count + 1 : 0)
        for row in range {
            guard let id = owner(ofRow: row, of: rows, owners.keyPosition) else { continue }
            if !owners.hasProfiles {
                matches.append(row: row)
            } else if profiles[id] == nil, unapplied[id] == nil {
                owners.append(ofRow: row, to: &matches)
            } else if let profile = profile(id) {
                matches.append(profile, hash(id), ofRow: row)
            }
        }
        return matches
    }

    /// Returns a profile with the changes of the previous steps; nil if the profile was not read.
    private mutating func profile(_ id: Int64) -> Profile? {
        guard let known = profiles[id] ?? owners.profile(id) else { return nil }
        guard let update = unapplied.removeValue(forKey: id) else { return known }
        apply(update, to: known)
        return profiles[id]
    }

    private mutating func hash(_ id: Int64) -> String? { hashes[id] ?? owners.hash(id) }

    // MARK: What is written

    private mutating func insert(_ row: Int, of rows: ValidProfiles) {
        let id = ids.next
        ids.next += 1
        newRows.append((row, id))
        remember(table.newProfile(row, of: rows, id: id, at: time, schemaVersion: rules.version), row, of: rows)
    }

    private mutating func take(_ update: RowUpdate) throws(ProfileStoreError) {
        _ = try ProfileStoreError.number(after: update.revision, "the revision")
        let isFirst = updated.insert(update.id).inserted && !(ids.added?.contains(update.id) ?? false)
        ids.addUpdated(update.id)
        updates.append(update.record(.updated))
        if isFirst, update.fields.isDisjoint(with: orderedFields) {
            independentUpdates[update.fields, default: []].append(update)
            unapplied[update.id] = update
            return
        }
        endInsertion()
        writes.append(.update(update))
        // The batch has found this profile, so the profile was read.
        guard let stored = profile(update.id) else { throw .corrupt(.changedProfile) }
        // The update replaces these unique values of the profile, so no profile has them now.
        for (index, field) in uniqueFields where update.fields.contains(index) {
            guard let value = stored[field.name] else { continue }
            otherOwners[field.column, default: [:]][Self.compared(value, of: field)] = .some(nil)
        }
        apply(update, to: stored)
    }

    /// Remembers the values that a profile has after an update.
    private mutating func apply(_ update: RowUpdate, to stored: Profile) {
        let values = table.schema.fields.enumerated().filter { !$0.element.isSecret }.map { index, field in
            update.fields.contains(index) ? update.rows.text(row: update.row, field: index) : stored[field.name]
        }
        remember(
            Profile(
                id: update.id, revision: update.revision + 1, createdAt: stored.createdAt, updatedAt: time,
                schemaVersion: rules.version, issues: [],
                hasPassword: stored.hasPassword || table.bringsPassword(update.row, of: update.rows),
                schema: table.schema, values: values),
            update.row, of: update.rows)
    }

    private mutating func remember(_ profile: Profile, _ row: Int, of rows: ValidProfiles) {
        profiles[profile.id] = profile
        if let secret = table.secretField, let hash = rows.text(row: row, field: secret) { hashes[profile.id] = hash }
        for (index, field) in uniqueFields {
            guard let value = rows.text(row: row, field: index) else { continue }
            otherOwners[field.column, default: [:]][Self.compared(value, of: field)] = profile.id
        }
    }

    /// Adds the collected new rows to `writes` as one insertion.
    private mutating func endInsertion() {
        guard !newRows.isEmpty else { return }
        writes.append(.insert(newRows))
        newRows = []
    }

    /// Writes the plan.
    ///
    /// - Throws: `changedMeanwhile` if the table has changed since the plan was made. The transaction is then repeated.
    mutating func write(_ rows: ValidProfiles, _ transaction: Transaction) async throws {
        endInsertion()
        var commands: [Command] = []
        var expected: [Int?] = []
        for (fields, updates) in independentUpdates {
            commands.append(table.setting(fields, of: updates, at: time, schemaVersion: rules.version))
            expected.append(updates.count)
        }
        for write in writes {
            switch write {
            case .insert(let new):
                commands.append(table.insertion(of: new, in: rows, at: time, schemaVersion: rules.version))
                expected.append(new.count)
            case .update(let update):
                commands.append(table.setting(update, at: time, schemaVersion: rules.version))
                expected.append(1)
                if let hash = update.newHash(in: table.secretField) {
                    let set = ProfileTable.settingPassword(
                        hash, isJudged: update.rows.hashIsJudged(row: update.row), of: update.id,
                        schemaVersion: rules.version)
                    commands += set
                    expected += set.map { _ in nil }
                }
            }
        }
        guard !commands.isEmpty else { return }
        let answers = try await transaction.run(commands)
        guard zip(answers, expected).allSatisfy({ $0.affectedCount == $1 ?? $0.affectedCount }) else {
            throw PostgresError.changedMeanwhile
        }
    }

    /// Returns the changes to log, and the last commands. These commands delete the failed login attempts that were
    /// counted for the names of the new profiles.
    func finish() -> (changes: [LoggedChange], last: [Command]) {
        (ids.changes(updates), ids.added.map { [ThrottleTable.forgetUnknown(namesOf: $0)] } ?? [])
    }
}
