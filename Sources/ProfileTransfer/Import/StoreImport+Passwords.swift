internal import CSVStream
internal import ProfileCore
internal import ProfileStore
internal import SecretHashing
internal import Synchronization

/// A password of a batch that is to be hashed.
struct UnhashedPassword: Sendable {
    enum Place: Hashable {
        /// Of a row that can be stored.
        case row(Int)
        /// Of a record, by its position, that only an update can make valid.
        case record(Int)
    }

    let place: Place
    let secret: Secret
}

/// The passwords of a batch that are not hashed yet, in the order of its records.
struct PasswordsToHash {
    private var waiting: ArraySlice<UnhashedPassword>

    fileprivate init(_ passwords: [UnhashedPassword]) { waiting = passwords[...] }

    /// Puts a password first that turned out to be needed: what the store takes may have changed since it was looked at.
    mutating func require(_ password: UnhashedPassword) {
        if let index = waiting.firstIndex(where: { $0.place == password.place }) {
            waiting = waiting[index...]
        } else {
            waiting.insert(password, at: waiting.startIndex)
        }
    }

    /// Takes those that are hashed next.
    fileprivate mutating func takeFirst(_ count: Int) -> [UnhashedPassword] {
        defer { waiting = waiting.dropFirst(count) }
        return Array(waiting.prefix(count))
    }
}

/// Passwords that need no hash because of what the store holds.
struct SparedPasswords: Sendable {
    /// The names that they came with. The store has these profiles; under `update` it has them not, and nothing but a
    /// stored profile would make a row of theirs valid.
    fileprivate(set) var usernames: [String] = []
}

// Hashing is what makes an import with passwords slow, so it is done for those alone that are stored.
extension StoreImport {
    /// The passwords of a batch that the store will take, as it is now.
    func passwordsToHash(in judged: JudgedBatch) async throws(ImportError) -> PasswordsToHash {
        var names = KeySet(foldsCase: true)
        var spared = SparedPasswords()
        let passwords = try await unhashed(in: judged, after: &names, sparing: &spared)
        return PasswordsToHash(
            passwords.sorted { judged.recordNumber(of: $0.place) < judged.recordNumber(of: $1.place) })
    }

    /// Puts hashes in the place of a few passwords, so that what is hashed can be stored soon.
    func hashNext(of passwords: inout PasswordsToHash, in judged: inout JudgedBatch) async throws(ImportError) {
        let next = passwords.takeFirst(run.hashing.withLock { $0.mostAtOnce })
        guard let field = columns.secretField, !next.isEmpty else { return }
        for (password, hash) in zip(next, try await hashes(of: next, in: judged)) {
            switch password.place {
            case .row(let row): judged.rows.setHash(hash, row: row, field: field)
            case .record(let record): judged.hashes[record] = hash
            }
        }
    }

    private func hashes(
        of passwords: [UnhashedPassword], in judged: JudgedBatch
    ) async throws(ImportError) -> [PasswordHash] {
        let start = ContinuousClock.now
        let before = run.hashing.withLock { $0.done }
        do throws(HashingError) {
            let hashes = try await repository.hasher.hashAll(passwords.map(\.secret)) { done in
                run.hashing.withLock { $0.done = before + done }
                run.progress(after: judged.batch)
            }
            run.hashing.withLock { $0.adjust(to: ContinuousClock.now - start, for: passwords.count) }
            return hashes
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
        while let judged = try await run.next() {
            let passwords = try await unhashed(in: judged, after: &names, sparing: &spared)
            run.progress(after: judged.batch)
            guard !passwords.isEmpty else { continue }
            for (password, hash) in zip(passwords, try await hashes(of: passwords, in: judged)) {
                hashed.add(hash, of: password.secret, record: judged.recordNumber(of: password.place))
            }
        }
        return spared
    }

    // MARK: What is to be hashed

    /// A password that the store may take.
    private struct Candidate {
        let password: UnhashedPassword
        let username: String
        /// Whether the store takes it if it has that profile, or if it has not; nil for always.
        let isTakenIfStored: Bool?
    }

    /// The passwords that the store will take, as it is now, and that are not hashed yet.
    ///
    /// - Parameters:
    ///   - judged: The batch.
    ///   - names: Those of earlier rows, which come back with those of these.
    ///   - spared: Gets the passwords that the store does not take.
    /// - Returns: Those that are to be hashed.
    /// - Throws: What the store refuses.
    private func unhashed(
        in judged: JudgedBatch, after names: inout KeySet, sparing spared: inout SparedPasswords
    ) async throws(ImportError) -> [UnhashedPassword] {
        guard columns.hasPasswords else { return [] }
        let candidates = rows(of: judged, after: &names) + updates(of: judged)
        guard !candidates.isEmpty else { return [] }
        let areStored = try await store { () throws(ProfileStoreError) in
            try await repository.ask(
                .lookUpNames, rows: { $0.count { $0 } },
                await repository.engine.areStored(candidates.map(\.username)))
        }
        var unhashed: [UnhashedPassword] = []
        for (candidate, isStored) in zip(candidates, areStored) {
            if candidate.isTakenIfStored ?? isStored == isStored {
                unhashed.append(candidate.password)
            } else {
                spared.usernames.append(candidate.username)
            }
        }
        run.hashing.withLock { $0.total += unhashed.count }
        return unhashed
    }

    private func rows(of judged: JudgedBatch, after names: inout KeySet) -> [Candidate] {
        let rows = judged.rows
        guard !rows.passwords.isEmpty else { return [] }
        let field = adopted.schema.primaryKeyIndex
        let isUpdate = run.options.duplicates == .update
        // With another unique field, or an update, the first row of a name may be refused for what a later one does
        // not have.
        let firstDecides = !isUpdate && !adopted.schema.fields.contains { $0.isUnique && !$0.isPrimaryKey }
        var candidates: [Candidate] = []
        rows.bytes.withUnsafeBufferPointer { bytes in
            for row in 0..<rows.count {
                let name = UnsafeBufferPointer(rebasing: bytes[rows.slot(row: row, field: field).range])
                let isRepeated = firstDecides && names.line(of: name) != nil
                if firstDecides, !isRepeated { names.insert(name, line: 1) }
                guard let password = rows.passwords[row], !isRepeated,
                    run.keys.keys.withLock({ $0.repeated(row, of: rows, bytes).isEmpty })
                else { continue }
                candidates.append(
                    Candidate(
                        password: UnhashedPassword(place: .row(row), secret: password),
                        username: String(decoding: name, as: UTF8.self), isTakenIfStored: isUpdate ? nil : false))
            }
        }
        return candidates
    }

    /// Those of records that lack nothing but what the stored profile has.
    private func updates(of judged: JudgedBatch) -> [Candidate] {
        guard run.options.duplicates == .update else { return [] }
        let key = adopted.schema.primaryKey.name
        var candidates: [Candidate] = []
        for rejected in judged.rejected
        where judged.hashes[rejected.record] == nil && rejected.issues.allSatisfy({ $0.problem == .required })
            && ProfileMerge.canMerge(rejected, of: judged.batch, columns)
        {
            let cells = ProfileMerge.cells(of: rejected.record, in: judged.batch.records, columns, adopted.schema)
            guard let secret = ProfileMerge.password(of: rejected.record, in: judged.batch.records, columns),
                let username = (cells[key] ?? nil).flatMap({ run.validator.storedForm(of: $0, in: key) }),
                run.keys.keys.withLock({ $0.line(of: username, in: key) == nil })
            else { continue }
            candidates.append(
                Candidate(
                    password: UnhashedPassword(place: .record(rejected.record), secret: secret), username: username,
                    isTakenIfStored: true))
        }
        return candidates
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
