internal import CSVStream
internal import ProfileCore
internal import SQLiteAccess
internal import Synchronization

/// A password of a batch that is to be hashed.
struct UnhashedPassword: Sendable {
    enum Place {
        /// Of a row that can be stored.
        case row(Int)
        /// Of a record, by its position, that only an update can make valid.
        case record(Int)
    }

    let place: Place
    let secret: Secret
}

/// Passwords that need no hash because of what the store holds.
struct SparedPasswords: Sendable {
    /// The names that they came with. The store has these profiles; under `update` it has them not, and nothing but a
    /// stored profile would make a row of theirs valid.
    fileprivate var usernames: [String] = []
}

// Hashing is what makes an import with passwords slow, so it is done for those alone that are stored.
extension ImportTarget {
    /// The batch with hashes in the place of the passwords that the store will take.
    func hashing(_ judged: JudgedBatch) async throws(ImportError) -> JudgedBatch {
        guard columns.hasPasswords else { return judged }
        let passwords = try read { connection throws(ImportError) in try unhashed(in: judged, connection) }
        return try await hashing(passwords, of: judged)
    }

    /// The batch with these passwords hashed.
    func hashing(_ passwords: [UnhashedPassword], of judged: JudgedBatch) async throws(ImportError) -> JudgedBatch {
        guard let field = columns.secretField, !passwords.isEmpty else { return judged }
        var hashed = judged
        for (password, hash) in zip(passwords, try await hashes(of: passwords, in: judged)) {
            switch password.place {
            case .row(let row): hashed.rows.setHash(hash, row: row, field: field)
            case .record(let record): hashed.hashes[record] = hash
            }
        }
        return hashed
    }

    private func hashes(
        of passwords: [UnhashedPassword], in judged: JudgedBatch
    ) async throws(ImportError) -> [PasswordHash] {
        do throws(HashingError) {
            return try await repository.hasher.hashAll(passwords.map(\.secret)) { done in
                run.progress(after: judged.batch, hashed: (done: done, total: passwords.count))
            }
        } catch {
            throw .store(error == .cancelled ? .cancelled : .hashing(error))
        }
    }

    // MARK: Before a single transaction

    /// Reads the input to its end and hashes the passwords that the store will take, as it is now.
    ///
    /// - Returns: Those that it will not take.
    func hashPasswords(into hashed: inout HashedPasswords) async throws(ImportError) -> SparedPasswords {
        var names = KeySet(foldsCase: true)
        var spared = SparedPasswords()
        while let judged = try await run.nextAsynchronously() {
            let passwords = try read { connection throws(ImportError) in
                try unhashed(in: judged, after: &names, sparing: &spared, connection)
            }
            run.progress(after: judged.batch)
            guard !passwords.isEmpty else { continue }
            for (password, hash) in zip(passwords, try await hashes(of: passwords, in: judged)) {
                hashed.add(hash, of: password.secret, record: judged.recordNumber(of: password.place))
            }
        }
        return spared
    }

    /// Whether the store still takes none of these passwords.
    func stillSpares(
        _ spared: SparedPasswords, _ connection: borrowing Connection
    ) throws(ImportError) -> Bool {
        for username in spared.usernames
        where try isStored(username, connection) == (run.options.duplicates == .update) {
            return false
        }
        return true
    }

    /// Makes sure that the store takes no password of a batch that is not hashed, as it can only be if the input is not
    /// what it was when it was read before.
    func requireHashes(_ judged: JudgedBatch, _ connection: borrowing Connection) throws(ImportError) {
        guard try unhashed(in: judged, connection).isEmpty else { throw .inputChanged }
    }

    // MARK: What is to be hashed

    /// The passwords that the store will take, as it is now, and that are not hashed yet.
    func unhashed(
        in judged: JudgedBatch, _ connection: borrowing Connection
    ) throws(ImportError) -> [UnhashedPassword] {
        guard !judged.rows.passwords.isEmpty || run.options.duplicates == .update else { return [] }
        var names = KeySet(foldsCase: true)
        var spared = SparedPasswords()
        return try unhashed(in: judged, after: &names, sparing: &spared, connection)
    }

    /// The same, after the names of earlier rows, which come back with those of these; and with the passwords that the
    /// store does not take.
    private func unhashed(
        in judged: JudgedBatch, after names: inout KeySet, sparing spared: inout SparedPasswords,
        _ connection: borrowing Connection
    ) throws(ImportError) -> [UnhashedPassword] {
        guard columns.hasPasswords else { return [] }
        return try unhashedRows(of: judged, after: &names, sparing: &spared, connection)
            + unhashedUpdates(of: judged, sparing: &spared, connection)
    }

    private func unhashedRows(
        of judged: JudgedBatch, after names: inout KeySet, sparing spared: inout SparedPasswords,
        _ connection: borrowing Connection
    ) throws(ImportError) -> [UnhashedPassword] {
        let rows = judged.rows
        guard let field = adopted.schema.index(of: .username) else { return [] }
        let isUpdate = run.options.duplicates == .update
        // With another unique field, or an update, the first row of a name may be refused for what a later one does
        // not have.
        let firstDecides = !isUpdate && !adopted.schema.fields.contains { $0.isUnique && $0.name != .username }
        var unhashed: [UnhashedPassword] = []
        try rows.bytes.withUnsafeBufferPointer { bytes throws(ImportError) in
            for row in 0..<rows.count {
                let name = UnsafeBufferPointer(rebasing: bytes[rows.slot(row: row, field: field).range])
                let isRepeated = firstDecides && names.line(of: name) != nil
                if firstDecides, !isRepeated { names.insert(name, line: 1) }
                guard let password = rows.passwords[row], !isRepeated,
                    run.ledger.withLock({ $0.keys.repeated(row, of: rows, bytes).isEmpty })
                else { continue }
                if !isUpdate {
                    let username = String(decoding: name, as: UTF8.self)
                    guard try !isStored(username, connection) else {
                        spared.usernames.append(username)
                        continue
                    }
                }
                unhashed.append(UnhashedPassword(place: .row(row), secret: password))
            }
        }
        return unhashed
    }

    /// Those of records that lack nothing but what the stored profile has.
    private func unhashedUpdates(
        of judged: JudgedBatch, sparing spared: inout SparedPasswords, _ connection: borrowing Connection
    ) throws(ImportError) -> [UnhashedPassword] {
        guard run.options.duplicates == .update else { return [] }
        var unhashed: [UnhashedPassword] = []
        for rejected in judged.rejected
        where judged.hashes[rejected.record] == nil && rejected.issues.allSatisfy({ $0.problem == .required })
            && ProfileMerge.canMerge(rejected, of: judged.batch, columns)
        {
            let cells = ProfileMerge.cells(of: rejected.record, in: judged.batch.records, columns, adopted.schema)
            guard let secret = ProfileMerge.password(of: rejected.record, in: judged.batch.records, columns),
                let username = cells[.username] ?? nil,
                run.ledger.withLock({ $0.keys.line(of: username, in: .username) == nil })
            else { continue }
            guard try isStored(username, connection) else {
                spared.usernames.append(username)
                continue
            }
            unhashed.append(UnhashedPassword(place: .record(rejected.record), secret: secret))
        }
        return unhashed
    }

    private func isStored(_ username: String, _ connection: borrowing Connection) throws(ImportError) -> Bool {
        try ImportError.wrap { () throws(SQLiteError) in
            try ProfileTable.owner(of: username, in: .username, connection) != nil
        }
    }
}

extension JudgedBatch {
    fileprivate func recordNumber(of place: UnhashedPassword.Place) -> Int {
        switch place {
        case .row(let row): rows.origins[row].record
        case .record(let record): batch.records.records[record].number
        }
    }
}
