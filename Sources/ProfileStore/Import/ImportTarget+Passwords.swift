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
        let hashes: [PasswordHash]
        do throws(HashingError) {
            hashes = try await repository.hasher.hashAll(passwords.map(\.secret)) { done in
                run.progress(after: judged.batch, hashed: (done: done, total: passwords.count))
            }
        } catch {
            throw .store(error == .cancelled ? .cancelled : .hashing(error))
        }
        var hashed = judged
        for (password, hash) in zip(passwords, hashes) {
            switch password.place {
            case .row(let row): hashed.rows.setHash(hash, row: row, field: field)
            case .record(let record): hashed.hashes[record] = hash
            }
        }
        return hashed
    }

    /// The passwords that the store will take, as it is now, and that are not hashed yet.
    func unhashed(
        in judged: JudgedBatch, _ connection: borrowing Connection
    ) throws(ImportError) -> [UnhashedPassword] {
        guard columns.hasPasswords else { return [] }
        return try unhashedRows(of: judged, connection) + unhashedUpdates(of: judged, connection)
    }

    private func unhashedRows(
        of judged: JudgedBatch, _ connection: borrowing Connection
    ) throws(ImportError) -> [UnhashedPassword] {
        let rows = judged.rows
        guard !rows.passwords.isEmpty, let field = adopted.schema.index(of: .username) else { return [] }
        let isUpdate = run.options.duplicates == .update
        // With another unique field, or an update, the first row of a name may be refused for what a later one does
        // not have.
        let firstDecides = !isUpdate && !adopted.schema.fields.contains { $0.isUnique && $0.name != .username }
        var names = KeySet(foldsCase: true)
        var unhashed: [UnhashedPassword] = []
        try rows.bytes.withUnsafeBufferPointer { bytes throws(ImportError) in
            for row in 0..<rows.count {
                let name = UnsafeBufferPointer(rebasing: bytes[rows.slot(row: row, field: field).range])
                let isRepeated = firstDecides && names.line(of: name) != nil
                if firstDecides, !isRepeated { names.insert(name, line: 1) }
                guard let password = rows.passwords[row], !isRepeated,
                    run.ledger.withLock({ $0.keys.repeated(row, of: rows, bytes).isEmpty })
                else { continue }
                if !isUpdate, try isStored(String(decoding: name, as: UTF8.self), connection) { continue }
                unhashed.append(UnhashedPassword(place: .row(row), secret: password))
            }
        }
        return unhashed
    }

    /// Those of records that lack nothing but what the stored profile has.
    private func unhashedUpdates(
        of judged: JudgedBatch, _ connection: borrowing Connection
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
                run.ledger.withLock({ $0.keys.line(of: username, in: .username) == nil }),
                try isStored(username, connection)
            else { continue }
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
