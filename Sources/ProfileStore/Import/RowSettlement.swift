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
    /// Hashes of passwords in rows that only an update can make valid, by record.
    var hashes: [Int: PasswordHash] = [:]

    /// Settles a batch.
    ///
    /// - Parameters:
    ///   - judged: The batch; hashes stand where passwords were, unless it is a dry run.
    ///   - nextID: The id that the next new profile gets; comes back as what is next then.
    func settle(
        _ judged: JudgedBatch, nextID: inout Int64, into ledger: inout ImportLedger,
        _ connection: borrowing Connection
    ) throws(ImportError) {
        var failure: ImportError?
        do throws(SQLiteError) {
            var insertion = try connection.prepare(adopted.table.insert)
            try adopted.table.bindCommon(at: now, schemaVersion: adopted.version, to: &insertion)
            do throws(ImportError) {
                try settleRows(judged, nextID: &nextID, into: &ledger, with: &insertion, connection)
            } catch {
                failure = error
            }
        } catch {
            throw .store(ProfileStoreError(error))
        }
        if let failure { throw failure }
    }

    private func settleRows(
        _ judged: JudgedBatch, nextID: inout Int64, into ledger: inout ImportLedger, with insertion: inout Statement,
        _ connection: borrowing Connection
    ) throws(ImportError) {
        // Out of the loop, which runs for a million rows, with all that has to be counted as a reference.
        let rows = judged.rows
        let table = adopted.table
        let version = Int64(adopted.version)
        let firstNumber = judged.firstNumber
        try rows.bytes.withUnsafeBufferPointer { bytes throws(ImportError) in
            var nextRejected = judged.rejected.startIndex
            for row in 0..<rows.count {
                let record = rows.origins[row].record - firstNumber
                try settleRejected(before: record, of: judged, &nextRejected, into: &ledger, connection)
                let repeated = ledger.repeated(row, of: rows, bytes)
                guard repeated.isEmpty else {
                    try ledger.reject(record: record, of: judged.batch, repeated)
                    continue
                }
                let isNew: Bool
                do throws(SQLiteError) {
                    if isDryRun {
                        isNew = storeIsEmpty ? true : try !adopted.isTaken(row, of: rows, connection)
                    } else {
                        isNew = try table.insert(
                            row: row, of: rows, bytes, id: nextID, schemaVersion: version, with: &insertion)
                    }
                } catch {
                    throw .store(ProfileStoreError(error))
                }
                if isNew {
                    nextID += 1
                    ledger.countImported()
                    ledger.remember(row, of: rows, bytes)
                } else if try settleStored(row, of: judged, record, into: &ledger, connection) {
                    ledger.remember(row, of: rows, bytes)
                }
            }
            try settleRejected(before: .max, of: judged, &nextRejected, into: &ledger, connection)
        }
    }

    /// Settles a row whose unique values the store has, in part or all.
    ///
    /// - Returns: Whether it was accepted.
    private func settleStored(
        _ row: Int, of judged: JudgedBatch, _ record: Int, into ledger: inout ImportLedger,
        _ connection: borrowing Connection
    ) throws(ImportError) -> Bool {
        let taken: [FieldName]
        do throws(ProfileStoreError) {
            taken = try adopted.takenFields(of: judged.rows, row: row, besides: nil, connection)
        } catch {
            throw .store(error)
        }
        if taken.contains(.username) {
            switch policy {
            case .reject: break
            case .skip:
                ledger.countSkipped()
                return true
            case .update:
                let field = columns.secretField
                let hash = field.flatMap { judged.rows.text(row: row, field: $0) }
                    .flatMap { try? PasswordHash(parsing: $0.utf8Span.span) }
                let secret = ProfileMerge.NewSecret(
                    hash: hash, isJudged: judged.rows.hashIsJudged(row: row),
                    isUnhashed: judged.rows.passwords[row] != nil)
                return try merge(record, of: judged, secret, into: &ledger, connection)
            }
        }
        let issues = taken.map { ValidationIssue($0, .duplicate(line: nil)) }
        try ledger.reject(record: record, of: judged.batch, issues)
        return false
    }

    /// Settles the rejected records that come before a row. Under `update` a row that is no profile of its own may
    /// still make one together with what is stored.
    private func settleRejected(
        before record: Int, of judged: JudgedBatch, _ next: inout Int, into ledger: inout ImportLedger,
        _ connection: borrowing Connection
    ) throws(ImportError) {
        while next < judged.rejected.endIndex, judged.rejected[next].record < record {
            let rejected = judged.rejected[next]
            next += 1
            if policy == .update, !storeIsEmpty, ProfileMerge.canMerge(rejected, of: judged.batch, columns) {
                let hash = hashes[rejected.record]
                let secret = ProfileMerge.NewSecret(hash: hash, isJudged: hash != nil, isUnhashed: false)
                if try mergeRejected(rejected, of: judged, secret, into: &ledger, connection) { continue }
            }
            try ledger.reject(record: rejected.record, of: judged.batch, rejected.issues)
        }
    }

    /// - Returns: False where there is no profile to merge it with.
    private func mergeRejected(
        _ rejected: JudgedBatch.Rejected, of judged: JudgedBatch, _ secret: ProfileMerge.NewSecret,
        into ledger: inout ImportLedger, _ connection: borrowing Connection
    ) throws(ImportError) -> Bool {
        let cells = ProfileMerge.cells(of: rejected.record, in: judged.batch.records, columns, adopted.schema)
        guard let username = cells[.username] ?? nil,
            try stored(username, connection) != nil
        else { return false }
        _ = try merge(rejected.record, of: judged, secret, into: &ledger, connection)
        return true
    }

    /// Updates the stored profile of a record's username with its cells.
    ///
    /// - Returns: Whether the merged profile was accepted.
    private func merge(
        _ record: Int, of judged: JudgedBatch, _ secret: ProfileMerge.NewSecret, into ledger: inout ImportLedger,
        _ connection: borrowing Connection
    ) throws(ImportError) -> Bool {
        let cells = ProfileMerge.cells(of: record, in: judged.batch.records, columns, adopted.schema)
        guard let username = cells[.username] ?? nil, let stored = try stored(username, connection) else { return false }
        let merged: ValidProfiles
        do throws(ValidationFailure) {
            merged = try ProfileMerge(stored, cells, secret).rows(adopted.validator, today: today)
        } catch {
            try ledger.reject(record: record, of: judged.batch, error.issues)
            return false
        }
        guard try changes(stored, merged, secret, connection) else {
            ledger.countSkipped()
            return true
        }
        if isDryRun {
            ledger.countUpdated()
            return true
        }
        let outcome: ProfileTable.UpdateOutcome
        do throws(SQLiteError) {
            outcome = try adopted.table.update(
                id: stored.id, revision: stored.revision, row: 0, of: merged, at: now, schemaVersion: adopted.version,
                connection)
        } catch {
            throw .store(ProfileStoreError(error))
        }
        if case .updated = outcome {
            ledger.countUpdated()
            return true
        }
        let taken: [FieldName]
        do throws(ProfileStoreError) {
            taken = try adopted.takenFields(of: merged, row: 0, besides: stored.id, connection)
        } catch {
            throw .store(error)
        }
        try ledger.reject(
            record: record, of: judged.batch, taken.map { ValidationIssue($0, .duplicate(line: nil)) })
        return false
    }

    private func stored(_ username: String, _ connection: borrowing Connection) throws(ImportError) -> Profile? {
        do throws(SQLiteError) {
            var statement = try connection.prepare(adopted.table.selectByUsername)
            try statement.bind(username, at: 1)
            return try statement.step() ? adopted.table.profile(in: statement) : nil
        } catch {
            throw .store(ProfileStoreError(error))
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
        do throws(SQLiteError) {
            return try adopted.table.passwordHash(of: stored.id, connection) != hash.text
        } catch {
            throw .store(ProfileStoreError(error))
        }
    }
}

extension AdoptedSchema {
    /// Whether another profile has the row's value of a unique field.
    fileprivate func isTaken(
        _ row: Int, of rows: ValidProfiles, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Bool {
        for (index, field) in schema.fields.enumerated() where field.isUnique {
            guard let value = rows.text(row: row, field: index) else { continue }
            var statement = try connection.prepare(ProfileTable.existsWith(field.name))
            try statement.bind(value, at: 1)
            if try statement.step() { return true }
        }
        return false
    }
}
