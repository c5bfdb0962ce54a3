internal import CSVStream
internal import ProfileCore
internal import ProfileStore
internal import Threads

/// Decides the outcome of each row of a batch: inserted, updated, skipped or rejected. Decides the rows in the order of
/// the input.
///
/// This type counts the outcomes of the batch separately, because an engine may run the batch several times. After the
/// last run, the ledger adds the outcomes to the report.
struct RowDecisions: ImportBatch {
    private let judged: JudgedBatch
    private let columns: ImportColumns
    private let validator: ProfileValidator
    private let policy: ImportOptions.DuplicatePolicy
    private let today: CalendarDay
    private let isDryRun: Bool
    /// Whether the store is empty. An empty store needs no lookups.
    private let storeIsEmpty: Bool
    /// The unique values of the rows before this batch.
    private let brought: BroughtKeys
    private var limit: TimeLimit
    /// The stored profiles that have the same keys as the next rows. Rows at or after the position `matchedEnd` are not
    /// looked up yet.
    private var matches: StoredMatches?
    private var matchedEnd: Int
    private let comparison: RowComparison
    private var updatedIDs: Set<Int64> = []
    var isOnOneMachine = false
    /// The step that the engine is running.
    private var current = Current.nothing

    /// The positions of the first valid row and of the first rejected record whose outcome is not decided yet.
    private(set) var next: (row: Int, rejected: Int)
    /// The password that must be hashed before the batch can continue.
    private(set) var unhashedPassword: UnhashedPassword?
    /// The outcomes of the rows so far.
    private(set) var outcomes: RowOutcomes

    private enum Current {
        case nothing
        /// A valid row. The number is its position among the valid rows.
        case row(Int)
        /// A record that is invalid without a stored profile. It may be valid after it is merged with a stored profile.
        case incomplete(JudgedBatch.Rejected)
        /// An update of a stored profile with a row, or with the cells of a record.
        case merging(Merging)
    }

    private struct Merging {
        let update: RowUpdate
        let record: Int
        /// The stored profile that is merged with a record. Nil if the update uses a row of the batch and no merge is
        /// necessary.
        let stored: Profile?
    }

    /// Begins to decide the rows of a batch, from the first row that no earlier transaction has decided.
    ///
    /// - Parameters:
    ///   - judged: The batch. Passwords that are already hashed are replaced with their hashes.
    ///   - columns: The columns of the fields.
    ///   - validator: The validator of the schema.
    ///   - schemaVersion: The version of the schema.
    ///   - policy: The policy for a row if its primary key is already in the store.
    ///   - today: The current day for date rules.
    ///   - brought: The unique values of the earlier rows of the input.
    ///   - isDryRun: Whether the import writes nothing.
    ///   - storeIsEmpty: Whether the store has no profile.
    ///   - limit: The time limit of the transaction, or nil for no limit. After this time, the transaction ends, and
    ///     another transaction continues the batch.
    init(
        on judged: JudgedBatch, columns: ImportColumns, validator: ProfileValidator, schemaVersion: Int,
        policy: ImportOptions.DuplicatePolicy, today: CalendarDay, brought: BroughtKeys, isDryRun: Bool,
        storeIsEmpty: Bool, limit: Duration?
    ) {
        self.judged = judged
        self.columns = columns
        self.validator = validator
        self.policy = policy
        self.today = today
        self.brought = brought
        self.isDryRun = isDryRun
        self.storeIsEmpty = storeIsEmpty
        self.limit = TimeLimit(limit)
        next = judged.next
        matchedEnd = judged.next.row
        comparison = RowComparison(columns, validator.schema, version: schemaVersion)
        outcomes = RowOutcomes(of: judged.batch, keys: UniqueKeys(of: validator.schema))
    }

    /// The maximum number of rows to look up at once. The number is small, because a transaction may end early to let
    /// other writers continue. In this case, the next transaction must look up the remaining rows again.
    private static let rowsMatchedAtOnce = 256

    var rows: ValidProfiles { judged.rows }
    var wantsStoredProfiles: Bool { policy == .update }

    var usernamesToFind: [String] {
        guard !storeIsEmpty else { return [] }
        return judged.rejected[next.rejected...].compactMap { canMerge($0) ? username(ofRecord: $0.record) : nil }
    }

    mutating func next(after outcome: ImportStep.Outcome) -> ImportStep {
        switch (current, outcome) {
        case (_, .none): limit.begin()
        case (_, .matched(let found)): matches = found
        case (.row(let row), .inserted): isNew(row)
        case (.row(let row), .found(let match)):
            if let step = decide(row, match) { return step }
        case (.incomplete(let rejected), .found(let match)):
            if let step = decide(rejected, match) { return step }
        case (.merging(let merging), .updated): isUpdated(merging)
        case (.merging(let merging), .found(let match)): decide(merging, match)
        // These cases do not occur. For each step, the engine returns only an outcome that is possible for this step.
        case (.nothing, _), (.row, _), (.incomplete, _), (.merging, _): break
        }
        return proceed()
    }

    mutating func giveWay() { limit.end() }

    // MARK: Next step

    private mutating func proceed() -> ImportStep {
        current = .nothing
        while true {
            let isAtEnd = next.row == judged.rows.count
            let record = isAtEnd ? .max : judged.rows.origins[next.row].record - judged.firstNumber
            limit.step()
            if let step = proceedThroughRejected(before: record) { return step }
            if isAtEnd || limit.isReached { return .end }
            let row = next.row
            // With the policy `reject`, keys are not looked up in advance, because the insertion of a duplicate fails.
            // The failed insertion returns all unique fields in which another profile has the same value, and the
            // report must name all these fields.
            if row >= matchedEnd, policy != .reject, !storeIsEmpty {
                matchedEnd = min(row + Self.rowsMatchedAtOnce, judged.rows.count)
                return .match(row..<matchedEnd)
            }
            next.row += 1
            if let step = proceed(with: row, record) { return step }
        }
    }

    /// Decides the rejected records that precede the given record in the input.
    private mutating func proceedThroughRejected(before record: Int) -> ImportStep? {
        while next.rejected < judged.rejected.endIndex, judged.rejected[next.rejected].record < record,
            !limit.isReached
        {
            limit.step()
            let rejected = judged.rejected[next.rejected]
            next.rejected += 1
            guard canMerge(rejected) else {
                outcomes.reject(rejected.record, rejected.issues)
                continue
            }
            let username = username(ofRecord: rejected.record)
            if let username, let line = line(of: username, in: key) {
                outcomes.reject(rejected.record, [ValidationIssue(key, .duplicate(line: line))])
            } else if let username, !storeIsEmpty {
                current = .incomplete(rejected)
                return .find(username: username)
            } else {
                outcomes.reject(rejected.record, rejected.issues)
            }
        }
        return nil
    }

    /// Decides a valid row. Returns the step that the engine must run for the decision, or nil if no step is necessary.
    private mutating func proceed(with row: Int, _ record: Int) -> ImportStep? {
        let repeated = repeated(row, of: judged.rows)
        guard repeated.isEmpty else {
            outcomes.reject(record, repeated)
            return nil
        }
        if isDryRun, storeIsEmpty {
            isNew(row)
            return nil
        }
        if let match = matches?.position(ofRow: row) {
            let decision = decide(row, record, match: match)
            if decision.isDecided { return decision.step }
        }
        current = .row(row)
        let needsLook = isDryRun || (!judged.rows.passwords.isEmpty && judged.rows.passwords[row] != nil)
        return needsLook ? .look(row: row, of: judged.rows, besides: nil) : .insert(row: row)
    }

    // MARK: Decisions

    /// Decides a valid row if a stored profile has the same key, and if a comparison of their values is sufficient.
    ///
    /// - Returns: Whether the row is decided, and the step that the decision needs.
    private mutating func decide(_ row: Int, _ record: Int, match: Int) -> (isDecided: Bool, step: ImportStep?) {
        guard policy == .update else {
            isSkipped(row)
            return (true, nil)
        }
        guard let matches, !updatedIDs.contains(matches[match].id) else { return (false, nil) }
        switch comparison.outcome(ofRow: row, of: judged, match: match, of: matches) {
        case .unchanged:
            isSkipped(row)
            return (true, nil)
        case .changed(let update) where !isDryRun:
            current = .merging(Merging(update: update, record: record, stored: nil))
            return (true, .update(update))
        case .changed, .undecided: return (false, nil)
        }
    }

    /// Decides a row after a lookup or a failed insertion. An insertion fails if another profile has the same value in
    /// a unique field.
    private mutating func decide(_ row: Int, _ match: StoredMatch) -> ImportStep? {
        let record = judged.rows.origins[row].record - judged.firstNumber
        let taken = stillTaken(match.takenFields, row, of: judged.rows)
        if taken.isEmpty {
            if isDryRun {
                isNew(row)
                return nil
            }
            // The lookup found no conflict, so the row can be stored. Its password must be hashed first.
            next.row = row
            return stop(for: .row(row), judged.rows.passwords[row])
        }
        if taken.contains(key), policy == .skip {
            isSkipped(row)
            return nil
        }
        if taken.contains(key), policy == .update, let stored = match.profile {
            let secret = ProfileMerge.NewSecret(of: row, in: judged.rows, columns)
            return merge(stored, match.passwordHash, secret, record) { decisions in
                decisions.next.row = row
                return decisions.stop(for: .row(row), decisions.judged.rows.passwords[row])
            }
        }
        outcomes.reject(record, taken.map { ValidationIssue($0, .duplicate(line: nil)) })
        return nil
    }

    /// Decides a record that is not valid by itself, but may be valid together with a stored profile.
    private mutating func decide(_ rejected: JudgedBatch.Rejected, _ match: StoredMatch) -> ImportStep? {
        guard let stored = match.profile else {
            outcomes.reject(rejected.record, rejected.issues)
            return nil
        }
        let record = rejected.record
        let secret = ProfileMerge.NewSecret(
            ofRecord: record, in: judged.batch.records, columns, hash: judged.hashes[record])
        return merge(stored, match.passwordHash, secret, record) { decisions in
            decisions.next.rejected -= 1
            return decisions.stop(
                for: .record(record),
                ProfileMerge.password(of: record, in: decisions.judged.batch.records, decisions.columns))
        }
    }

    /// Updates a stored profile with the cells of a record. Calls `stopForHash` if the password is not hashed yet.
    private mutating func merge(
        _ stored: Profile, _ storedHash: String?, _ secret: ProfileMerge.NewSecret, _ record: Int,
        stopForHash: (inout RowDecisions) -> ImportStep
    ) -> ImportStep? {
        let merge = ProfileMerge(stored, cells(of: record), secret)
        let merged: ValidProfiles
        do throws(ValidationFailure) {
            merged = try merge.rows(validator, today: today)
        } catch {
            outcomes.reject(record, error.issues)
            return nil
        }
        let repeated = repeated(0, of: merged)
        guard repeated.isEmpty else {
            outcomes.reject(record, repeated)
            return nil
        }
        let fields = merge.fieldsChanged(by: merged, validator.schema, storedHash: storedHash)
        let schema = validator.schema
        let update = RowUpdate(
            id: stored.id, revision: stored.revision, with: merged, row: 0, fields: fields,
            recorded: RecordedValues(of: fields, in: comparison.recordedColumns, to: merged, row: 0) {
                stored[schema.fields[$0].name]
            })
        let merging = Merging(update: update, record: record, stored: stored)
        // If the stored profile has the status `invalid`, the update is not skipped, even if it changes no field. The
        // merged profile is valid, so its status changes.
        guard !fields.isEmpty || stored.status == .invalid else {
            outcomes.skipped += 1
            remember(merging)
            return nil
        }
        if isDryRun {
            current = .merging(merging)
            return .look(row: 0, of: merged, besides: stored.id)
        }
        if secret.isUnhashed { return stopForHash(&self) }
        current = .merging(merging)
        return .update(update)
    }

    /// Decides the outcome of an update that was not stored. Possible reasons: another profile has the same value in a
    /// unique field, or this is a dry run.
    private mutating func decide(_ merging: Merging, _ match: StoredMatch) {
        let update = merging.update
        let taken = stillTaken(match.takenFields, update.row, of: update.rows)
        guard taken.isEmpty else {
            return outcomes.reject(merging.record, taken.map { ValidationIssue($0, .duplicate(line: nil)) })
        }
        for (index, field) in validator.schema.fields.enumerated() where field.isUnique {
            guard update.fields.contains(index), let value = merging.stored?[field.name] else { continue }
            outcomes.giveUp(value, of: field.name)
        }
        isUpdated(merging)
    }

    private mutating func isNew(_ row: Int) {
        outcomes.imported += 1
        outcomes.remember(row, of: judged.rows, line: judged.rows.origins[row].line)
    }

    private mutating func isSkipped(_ row: Int) {
        outcomes.skipped += 1
        outcomes.remember(row, of: judged.rows, line: judged.rows.origins[row].line)
    }

    private mutating func isUpdated(_ merging: Merging) {
        outcomes.updated += 1
        updatedIDs.insert(merging.update.id)
        remember(merging)
    }

    private mutating func remember(_ merging: Merging) {
        let line = judged.batch.records.records[merging.record].line
        if merging.stored == nil {
            outcomes.remember(merging.update.row, of: judged.rows, line: line)
        } else {
            outcomes.remember(merging.update.rows, line: line)
        }
    }

    private mutating func stop(for place: UnhashedPassword.Place, _ secret: Secret?) -> ImportStep {
        unhashedPassword = secret.map { UnhashedPassword(place: place, secret: $0) }
        return .end
    }

    // MARK: Known values

    /// The primary key.
    private var key: FieldName { validator.schema.primaryKey.name }

    private func canMerge(_ rejected: JudgedBatch.Rejected) -> Bool {
        policy == .update && ProfileMerge.canMerge(rejected, of: judged.batch, columns)
    }

    /// Returns the stored form of a record's username. Returns nil if the record has no username or an invalid one.
    private func username(ofRecord record: Int) -> String? {
        let text =
            judged.batch.key(ofRecord: record)
            ?? ProfileMerge.text(
                of: validator.schema.primaryKeyIndex, ofRecord: record, in: judged.batch.records, columns)
        return text.flatMap { validator.storedForm(of: $0, in: key) }
    }

    private func cells(of record: Int) -> [FieldName: String?] {
        ProfileMerge.cells(
            of: record, in: judged.batch.records, key: judged.batch.key(ofRecord: record), columns, validator.schema)
    }

    private func repeated(_ row: Int, of rows: ValidProfiles) -> [ValidationIssue] {
        rows.bytes.withUnsafeBufferPointer { bytes in
            let before = brought.keys.withLock { $0.repeated(row, of: rows, bytes) }
            return before.isEmpty ? outcomes.keys.repeated(row, of: rows, bytes) : before
        }
    }

    private func line(of value: String, in name: FieldName) -> Int? {
        brought.keys.withLock { $0.line(of: value, in: name) } ?? outcomes.keys.line(of: value, in: name)
    }

    /// Returns the fields in which another profile has the row's value. In a dry run, such a value is free if an
    /// earlier row would have replaced it in the other profile.
    private func stillTaken(_ taken: [FieldName], _ row: Int, of rows: ValidProfiles) -> [FieldName] {
        guard isDryRun, !taken.isEmpty else { return taken }
        return taken.filter { name in
            guard let value = validator.schema.index(of: name).flatMap({ rows.text(row: row, field: $0) })
            else { return true }
            return !brought.keys.withLock { $0.isGivenUp(value, of: name) }
                && !outcomes.keys.isGivenUp(value, of: name)
        }
    }
}
