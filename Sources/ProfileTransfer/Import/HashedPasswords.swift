internal import CSVStream
internal import ProfileCore

/// The password hashes from the first reading of an input.
struct HashedPasswords: Sendable {
    /// The password and the hash of each record. The key is the record number.
    private var hashes: [Int: (password: Secret, hash: PasswordHash)] = [:]

    var isEmpty: Bool { hashes.isEmpty }

    mutating func add(_ hash: PasswordHash, of password: Secret, record number: Int) {
        hashes[number] = (password, hash)
    }

    /// Returns the hash for the password of a record. If the record had another password at the first reading, the
    /// input has changed, and the result is nil.
    func hash(of password: Secret, record number: Int) -> PasswordHash? {
        hashes[number].flatMap { $0.password == password ? $0.hash : nil }
    }
}

extension JudgedBatch {
    /// Replaces each password with its hash.
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
