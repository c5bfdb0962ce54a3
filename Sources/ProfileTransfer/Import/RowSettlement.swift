internal import CSVStream
internal import ProfileCore
internal import SQLiteAccess

/// Brings the rows of a batch and the store together, in the order of the input: each is inserted, updated, skipped or
/// rejected.
///
/// One such thing lives for one batch, on one connection: the writer's within its transaction, or a reader's for a dry
/// run, which decides the same and writes nothing.
struct RowSettlement {
    let adopted: AdoptedSchema
    let columns: ImportColumns
    let policy: ImportOptions.DuplicatePolicy
    let today: CalendarDay
    let now: Timestamp
    /// Whether the store can hold any of the rows already; an empty one needs no look-ups.
    let storeIsEmpty: Bool
    let isDryRun: Bool

    /// Settles a batch, or as much of it as the time allows.
    ///
    /// - Parameters:
    ///   - judged: The batch; hashes stand where passwords were, unless it is a dry run. Comes back with what is next.
    ///   - limit: When to leave the rest for later.
    ///   - nextID: The id that the next new profile gets; comes back as what is next then.
    ///   - ledger: Counts what becomes of each row.
    ///   - connection: The writer's, within its transaction, or a reader's for a dry run.
    /// - Throws: What the store, or the file of rejected rows, refuses.
    func settle(
        _ judged: inout JudgedBatch, until limit: TimeLimit, nextID: inout Int64, into ledger: inout ImportLedger,
        _ connection: borrowing Connection
    ) throws(ImportError) {
        var failure: ImportError?
        try ImportError.wrap { () throws(SQLiteError) in
            var insertion = try connection.prepare(adopted.table.insert)
            try adopted.table.bindCommon(at: now, schemaVersion: adopted.version, to: &insertion)
            do throws(ImportError) {
                judged.next = try settleRows(
                    judged, until: limit, nextID: &nextID, into: &ledger, with: &insertion, connection)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// - Returns: What is next.
    private func settleRows(
        _ judged: JudgedBatch, until limit: TimeLimit, nextID: inout Int64, into ledger: inout ImportLedger,
        with insertion: inout Statement, _ connection: borrowing Connection
    ) throws(ImportError) -> (row: Int, rejected: Int) {
        // Out of the loop, which runs for a million rows, with all that has to be counted as a reference.
        let rows = judged.rows
        let table = adopted.table
        let version = Int64(adopted.version)
        let firstNumber = judged.firstNumber
        return try rows.bytes.withUnsafeBufferPointer { bytes throws(ImportError) in
            var limit = limit
            var nextRejected = judged.next.rejected
            for row in judged.next.row..<rows.count {
                let origin = rows.origins[row]
                let record = origin.record - firstNumber
                try settleRejected(before: record, of: judged, &nextRejected, until: &limit, into: &ledger, connection)
                if limit.isReached { return (row, nextRejected) }
                let repeated = ledger.keys.repeated(row, of: rows, bytes)
                guard repeated.isEmpty else {
                    try ledger.reject(record: record, of: judged.batch, repeated)
                    continue
                }
                let isNew: Bool
                if isDryRun, storeIsEmpty {
                    isNew = true
                } else if isDryRun {
                    isNew = try taken(row, of: rows, besides: nil, ledger, connection).isEmpty
                } else {
                    do throws(SQLiteError) {
                        isNew = try table.insert(
                            row: row, of: rows, bytes, id: nextID, schemaVersion: version, with: &insertion)
                    } catch {
                        throw .store(ProfileStoreError(error))
                    }
                }
                if isNew {
                    nextID += 1
                    ledger.countImported()
                    if table.bringsUnjudgedPassword(row, of: rows) { ledger.countUnjudgedPasswords(1) }
                    ledger.keys.remember(row, of: rows, bytes, line: origin.line)
                } else {
                    try settleStored(row, of: judged, bytes, record, into: &ledger, connection)
                }
            }
            try settleRejected(before: .max, of: judged, &nextRejected, until: &limit, into: &ledger, connection)
            return (rows.count, nextRejected)
        }
    }

    /// Settles a row whose unique values the store has, in part or all.
    private func settleStored(
        _ row: Int, of judged: JudgedBatch, _ bytes: UnsafeBufferPointer<UInt8>, _ record: Int,
        into ledger: inout ImportLedger, _ connection: borrowing Connection
    ) throws(ImportError) {
        let taken = try taken(row, of: judged.rows, besides: nil, ledger, connection)
        if taken.contains(.username), policy == .skip {
            ledger.countSkipped()
            ledger.keys.remember(row, of: judged.rows, bytes, line: judged.rows.origins[row].line)
            return
        }
        if taken.contains(.username), policy == .update {
            let cells = ProfileMerge.cells(of: record, in: judged.batch.records, columns, adopted.schema)
            if let stored = try stored(cells, connection) {
                let secret = ProfileMerge.NewSecret(of: row, in: judged.rows, columns)
                return try merge(stored, cells, secret, record, of: judged, into: &ledger, connection)
            }
        }
        try ledger.reject(
            record: record, of: judged.batch, taken.map { ValidationIssue($0, .duplicate(line: nil)) })
    }

    /// Settles the rejected records that come before a row, and counts the row as a step towards the limit.
    private func settleRejected(
        before record: Int, of judged: JudgedBatch, _ next: inout Int, until limit: inout TimeLimit,
        into ledger: inout ImportLedger, _ connection: borrowing Connection
    ) throws(ImportError) {
        limit.step()
        while next < judged.rejected.endIndex, judged.rejected[next].record < record, !limit.isReached {
            limit.step()
            let rejected = judged.rejected[next]
            next += 1
            if policy == .update, ProfileMerge.canMerge(rejected, of: judged.batch, columns) {
                try settleIncomplete(rejected, of: judged, into: &ledger, connection)
            } else {
                try ledger.reject(record: rejected.record, of: judged.batch, rejected.issues)
            }
        }
    }

    /// Settles a record that is no profile of its own and may still make one together with what is stored.
    private func settleIncomplete(
        _ rejected: JudgedBatch.Rejected, of judged: JudgedBatch, into ledger: inout ImportLedger,
        _ connection: borrowing Connection
    ) throws(ImportError) {
        let record = rejected.record
        let cells = ProfileMerge.cells(of: record, in: judged.batch.records, columns, adopted.schema)
        if let username = cells[.username] ?? nil, let line = ledger.keys.line(of: username, in: .username) {
            return try ledger.reject(
                record: record, of: judged.batch, [ValidationIssue(.username, .duplicate(line: line))])
        }
        guard !storeIsEmpty, let stored = try stored(cells, connection) else {
            return try ledger.reject(record: record, of: judged.batch, rejected.issues)
        }
        let secret = ProfileMerge.NewSecret(
            ofRecord: record, in: judged.batch.records, columns, hash: judged.hashes[record])
        try merge(stored, cells, secret, record, of: judged, into: &ledger, connection)
    }

    /// Updates a stored profile with the cells of a record.
    private func merge(
        _ stored: Profile, _ cells: [FieldName: String?], _ secret: ProfileMerge.NewSecret, _ record: Int,
        of judged: JudgedBatch, into ledger: inout ImportLedger, _ connection: borrowing Connection
    ) throws(ImportError) {
        let merged: ValidProfiles
        do throws(ValidationFailure) {
            merged = try ProfileMerge(stored, cells, secret).rows(adopted.validator, today: today)
        } catch {
            return try ledger.reject(record: record, of: judged.batch, error.issues)
        }
        try merged.bytes.withUnsafeBufferPointer { bytes throws(ImportError) in
            var issues = ledger.keys.repeated(0, of: merged, bytes)
            if issues.isEmpty {
                issues = try taken(0, of: merged, besides: stored.id, ledger, connection)
                    .map { ValidationIssue($0, .duplicate(line: nil)) }
            }
            guard issues.isEmpty else { return try ledger.reject(record: record, of: judged.batch, issues) }
            if try changes(stored, merged, secret, connection) {
                try update(stored, with: merged, into: &ledger, connection)
                ledger.countUpdated(id: stored.id)
            } else {
                ledger.countSkipped()
            }
            ledger.keys.remember(0, of: merged, bytes, line: judged.batch.records.records[record].line)
        }
    }

    private func update(
        _ stored: Profile, with merged: ValidProfiles, into ledger: inout ImportLedger,
        _ connection: borrowing Connection
    ) throws(ImportError) {
        if isDryRun {
            for (index, field) in adopted.schema.fields.enumerated() where field.isUnique {
                guard let value = stored[field.name], value != merged.text(row: 0, field: index) else { continue }
                ledger.keys.giveUp(value, of: field.name)
            }
            return
        }
        do throws(ProfileStoreError) {
            let outcome = try adopted.update(
                id: stored.id, revision: stored.revision, with: merged, at: now, connection)
            guard case .updated = outcome else { throw .corrupt("a profile changed within one transaction") }
        } catch {
            throw .store(error)
        }
    }

    // MARK: Look-ups

    /// The unique fields of which another profile has the row's value.
    private func taken(
        _ row: Int, of rows: ValidProfiles, besides id: Int64?, _ ledger: borrowing ImportLedger,
        _ connection: borrowing Connection
    ) throws(ImportError) -> [FieldName] {
        let taken: [FieldName]
        do throws(ProfileStoreError) {
            taken = try adopted.takenFields(of: rows, row: row, besides: id, connection)
        } catch {
            throw .store(error)
        }
        guard isDryRun, !taken.isEmpty else { return taken }
        return taken.filter { name in
            guard let value = adopted.schema.index(of: name).flatMap({ rows.text(row: row, field: $0) })
            else { return true }
            return !ledger.keys.isGivenUp(value, of: name)
        }
    }

    private func stored(
        _ cells: [FieldName: String?], _ connection: borrowing Connection
    ) throws(ImportError) -> Profile? {
        guard let username = cells[.username] ?? nil else { return nil }
        return try ImportError.wrap { () throws(SQLiteError) in
            var statement = try connection.prepare(adopted.table.selectByUsername)
            try statement.bind(username, at: 1)
            return try statement.step() ? adopted.table.profile(in: statement) : nil
        }
    }

    private func changes(
        _ stored: Profile, _ merged: ValidProfiles, _ secret: ProfileMerge.NewSecret,
        _ connection: borrowing Connection
    ) throws(ImportError) -> Bool {
        if stored.status == .invalid || secret.isUnhashed || secret.isJudged { return true }
        for (index, field) in adopted.schema.fields.enumerated() where !field.isSecret {
            if stored[field.name] != merged.text(row: 0, field: index) { return true }
        }
        guard let hash = secret.hash else { return false }
        return try ImportError.wrap { () throws(SQLiteError) in
            try adopted.table.passwordHash(of: stored.id, connection) != hash.text
        }
    }
}

/// When to leave the rest of a batch for another transaction, so that others do not wait (I14).
struct TimeLimit {
    private let deadline: ContinuousClock.Instant?
    private var steps = 0
    private(set) var isReached = false

    /// No limit.
    static let none = TimeLimit(deadline: nil)

    /// So long from now.
    static func after(_ duration: Duration) -> TimeLimit { TimeLimit(deadline: .now + duration) }

    private init(deadline: ContinuousClock.Instant?) { self.deadline = deadline }

    /// Counts a row or record; the clock is looked at now and then.
    mutating func step() {
        guard let deadline else { return }
        steps += 1
        if steps % 64 == 0, .now >= deadline { isReached = true }
    }
}

extension ImportError {
    /// Runs what SQLite may refuse, and throws its error as the store's.
    static func wrap<Value>(_ body: () throws(SQLiteError) -> Value) throws(ImportError) -> Value {
        do throws(SQLiteError) { return try body() } catch { throw .store(ProfileStoreError(error)) }
    }
}
