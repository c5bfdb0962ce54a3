internal import CSVStream
internal import ProfileCore

/// The hashes that were made of an input's passwords when it was read before.
struct HashedPasswords: Sendable {
    /// By the record's number.
    private var hashes: [Int: (password: Secret, hash: PasswordHash)] = [:]

    var isEmpty: Bool { hashes.isEmpty }

    mutating func add(_ hash: PasswordHash, of password: Secret, record number: Int) {
        hashes[number] = (password, hash)
    }

    /// The hash of a record's password. That of another is none, whatever became of the input since.
    func hash(of password: Secret, record number: Int) -> PasswordHash? {
        hashes[number].flatMap { $0.password == password ? $0.hash : nil }
    }
}

extension JudgedBatch {
    /// Puts hashes in the place of the passwords that they were made of.
    mutating func replacePasswords(by hashed: HashedPasswords, _ columns: ImportColumns) {
        guard !hashed.isEmpty, let field = columns.secretField else { return }
        for (row, password) in rows.passwords {
            guard let hash = hashed.hash(of: password, record: rows.origins[row].record) else { continue }
            rows.setHash(hash, row: row, field: field)
        }
        for rejected in rejected where ProfileMerge.canMerge(rejected, of: batch, columns) {
            let record = rejected.record
            guard let password = ProfileMerge.password(of: record, in: batch.records, columns) else { continue }
            hashes[record] = hashed.hash(of: password, record: batch.records.records[record].number)
        }
    }
}
