internal import CSVStream
internal import ProfileCore
internal import ProfileStore
internal import SecretHashing
internal import Threads

/// A password of a batch that must be hashed.
struct UnhashedPassword: Sendable {
    enum Place: Hashable {
        /// The position of a valid row.
        case row(Int)
        /// The position of a record that is valid only if a stored profile supplies missing values.
        case record(Int)
    }

    let place: Place
    let secret: Secret
}

/// The passwords of a batch that are not hashed yet, in the order of its records.
struct PasswordsToHash {
    private var waiting: ArraySlice<UnhashedPassword>

    fileprivate init(_ passwords: [UnhashedPassword]) { waiting = passwords[...] }

    /// Moves a password to the front of the queue. Removes the passwords before it, because their rows are already
    /// decided. If the password is not in the queue, adds it. This happens if an earlier lookup found that the store
    /// does not need the password.
    mutating func require(_ password: UnhashedPassword) {
        if let index = waiting.firstIndex(where: { $0.place == password.place }) {
            waiting = waiting[index...]
        } else {
            waiting.insert(password, at: waiting.startIndex)
        }
    }

    /// Removes and returns the passwords to hash next.
    fileprivate mutating func takeFirst(_ count: Int) -> [UnhashedPassword] {
        defer { waiting = waiting.dropFirst(count) }
        return Array(waiting.prefix(count))
    }
}

/// Information about the passwords that were not hashed, because the import would not store them.
struct SparedPasswords: Sendable {
    /// The primary keys of the rows with these passwords. With the policies `reject` and `skip`, the store already has
    /// these keys. With the policy `update`, these rows would be valid only with a stored profile, but the store does
    /// not have these keys.
    fileprivate(set) var usernames: [String] = []
}

// In an import with passwords, hashing takes most of the time. Therefore only passwords that will be stored are hashed.
extension StoreImport {
    /// Returns the passwords of a batch that must be hashed. The selection depends on the current contents of the
    /// store.
    func passwordsToHash(in judged: JudgedBatch) async throws(ImportError) -> PasswordsToHash {
        var names = KeySet(foldsCase: true)
        var spared = SparedPasswords()
        let passwords = try await unhashed(in: judged, after: &names, sparing: &spared)
        return PasswordsToHash(
            passwords.sorted { judged.recordNumber(of: $0.place) < judged.recordNumber(of: $1.place) })
    }

    /// Hashes the next few passwords and replaces them with their hashes. The number is small, because the rows are
    /// stored only after all these passwords are hashed.
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
            run.hashing.withLock {
                $0.adjust(to: .now - start, for: passwords.count, threads: repository.hasher.threads)
            }
            return hashes
        } catch {
            throw .store(error == .cancelled ? .cancelled : .hashing(error))
        }
    }

    // MARK: Before a single transaction

    /// Reads the whole input and hashes the passwords that must be hashed. The current contents of the store determine
    /// which passwords must be hashed.
    ///
    /// - Returns: The passwords that were not hashed, because the import would not store them.
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

    // MARK: Selecting passwords to hash

    /// A password that may need a hash.
    private struct Candidate {
        let password: UnhashedPassword
        let username: String
        /// Describes when the import needs the password. True: only if the profile is already stored. False: only if
        /// the profile is new. Nil: always.
        let isTakenIfStored: Bool?
    }

    /// Returns the unhashed passwords of a batch that must be hashed. The selection depends on the current contents of
    /// the store.
    ///
    /// - Parameters:
    ///   - judged: The batch.
    ///   - names: The primary keys of earlier rows. The method adds the keys of this batch.
    ///   - spared: The method adds the passwords that the import would not store, so they need no hash.
    /// - Returns: The passwords to hash.
    /// - Throws: ``ImportError`` if the lookup in the store fails.
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
        // If several rows have the same primary key, usually only the first row can be stored. But the first row may be
        // rejected, either because of another unique field or because it cannot update the stored profile. In this case
        // a later row can be stored, so the password of the later row may need a hash too.
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

    /// Returns the passwords of records that have missing values, but could be valid if a stored profile supplies these
    /// values.
    private func updates(of judged: JudgedBatch) -> [Candidate] {
        guard run.options.duplicates == .update else { return [] }
        let key = adopted.schema.primaryKey.name
        var candidates: [Candidate] = []
        for rejected in judged.rejected
        where judged.hashes[rejected.record] == nil && rejected.issues.allSatisfy({ $0.problem == .required })
            && ProfileMerge.canMerge(rejected, of: judged.batch, columns)
        {
            let cells = ProfileMerge.cells(
                of: rejected.record, in: judged.batch.records, key: judged.batch.key(ofRecord: rejected.record),
                columns, adopted.schema)
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
