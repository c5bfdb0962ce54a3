internal import CSVStream
internal import ProfileCore
internal import SQLiteAccess
internal import Synchronization

/// The store that an import goes into, and the ways into it.
struct ImportTarget: Sendable {
    let repository: ProfileRepository
    let adopted: AdoptedSchema
    let run: ImportRun

    private var columns: ImportColumns { run.source.columns }

    func storeIsEmpty() throws(ImportError) -> Bool {
        do throws(ProfileStoreError) {
            return try repository.read { connection throws(ProfileStoreError) in
                try ProfileStoreError.wrap { () throws(SQLiteError) in try Self.isEmpty(connection) }
            }
        } catch {
            throw .store(error)
        }
    }

    // MARK: A dry run

    /// Decides what would become of every row, and writes nothing.
    func lookOnly() async throws(ImportError) {
        let storeIsEmpty = try storeIsEmpty()
        while let judged = try await run.nextAsynchronously() {
            let outcome: Result<Void, ImportError>
            do throws(ProfileStoreError) {
                outcome = try repository.read { connection throws(ProfileStoreError) in
                    var nextID: Int64 = 0
                    return settle(judged, nextID: &nextID, isDryRun: true, storeIsEmpty: storeIsEmpty, connection)
                }
            } catch {
                throw .store(error)
            }
            try outcome.get()
            run.progress(after: judged.batch)
        }
    }

    // MARK: Batches

    /// A transaction a batch: others write in between, and look-ups never wait.
    func loadInBatches() async throws(ImportError) {
        while let judged = try await run.nextAsynchronously() {
            let (hashed, hashes) = try await hashing(judged)
            try await write { connection throws(ImportWriteError) in
                try inTransaction(connection) { () throws(ImportWriteError) in
                    try store(hashed, hashes, storeIsEmpty: false, connection)
                    try countChange(connection)
                }
            }
            run.progress(after: judged.batch)
        }
    }

    // MARK: One transaction

    /// One transaction over everything, as the store is empty and nobody's look-up would find anything anyway.
    func loadInBulk() async throws(ImportError) {
        try await write { connection throws(ImportWriteError) in
            try inTransaction(connection) { () throws(ImportWriteError) in
                try load(connection) { () throws(ImportError) in try run.next() }
            }
        }
    }

    /// One transaction because the caller wants it. Passwords are hashed before the lock is taken, so that rows with
    /// passwords are kept in memory until all are hashed.
    func loadExclusively() async throws(ImportError) {
        guard columns.hasPasswords else { return try await loadInBulk() }
        var batches: [(JudgedBatch, [Int: PasswordHash])] = []
        while let judged = try await run.nextAsynchronously() { batches.append(try await hashing(judged)) }
        let hashed = batches
        try await write { connection throws(ImportWriteError) in
            try inTransaction(connection) { () throws(ImportWriteError) in
                for (judged, hashes) in hashed { try store(judged, hashes, storeIsEmpty: false, connection) }
                try endTransaction(connection)
            }
        }
    }

    /// Loads all batches within a transaction; into an empty table without indexes, which are made afterwards.
    private func load(
        _ connection: borrowing Connection, next: () throws(ImportError) -> JudgedBatch?
    ) throws(ImportWriteError) {
        let isEmpty = try wrap { () throws(SQLiteError) in try Self.isEmpty(connection) }
        let indexes = isEmpty ? try wrap { () throws(SQLiteError) in try Self.dropIndexes(connection) } : []
        do throws(ImportError) {
            while let judged = try next() {
                do throws(ImportWriteError) {
                    try store(judged, [:], storeIsEmpty: isEmpty, connection)
                } catch {
                    throw error.reason
                }
                run.progress(after: judged.batch)
            }
        } catch {
            throw ImportWriteError(error)
        }
        run.ledger.withLock { $0.forgetKeys() }
        try wrap { () throws(SQLiteError) in
            // A second thread sorts while the first reads.
            connection.setWorkerThreads(1)
            defer { connection.setWorkerThreads(0) }
            for sql in indexes { try connection.execute(sql) }
        }
        try endTransaction(connection)
    }

    private func endTransaction(_ connection: borrowing Connection) throws(ImportWriteError) {
        try countChange(connection)
        let mustNotStay = run.ledger.withLock { ledger in
            guard run.options.isAllOrNothing, ledger.report.rejected > 0 else { return false }
            ledger.countNothingStored()
            return true
        }
        if mustNotStay { throw ImportWriteError.nothingStored }
    }

    private static func isEmpty(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        var statement = try connection.prepare("SELECT 1 FROM profiles LIMIT 1")
        return try !statement.step()
    }

    /// - Returns: What makes them anew.
    private static func dropIndexes(_ connection: borrowing Connection) throws(SQLiteError) -> [String] {
        var indexes: [(name: String, sql: String)] = []
        do {
            var statement = try connection.prepare(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'profiles' AND sql IS NOT NULL")
            while try statement.step() {
                indexes.append((statement.string(at: 0) ?? "", statement.string(at: 1) ?? ""))
            }
        }
        // The names are SQLite's own record of indexes that we made.
        for index in indexes { try connection.execute("DROP INDEX \"\(index.name)\"") }
        return indexes.map(\.sql)
    }

    // MARK: Hashing

    /// The batch with hashes in the place of its passwords, and the hashes of records that only an update can make
    /// valid. Rows that the store will not take a password from are not hashed.
    private func hashing(_ judged: JudgedBatch) async throws(ImportError) -> (JudgedBatch, [Int: PasswordHash]) {
        guard let field = columns.secretField, columns.hasPasswords else { return (judged, [:]) }
        let rows = judged.rows.passwords.keys.sorted().filter { isWorthHashing(row: $0, of: judged) }
        let updates = run.options.duplicates == .update ? passwordsOfUpdates(in: judged) : []
        let secrets = rows.compactMap { judged.rows.passwords[$0] } + updates.map(\.password)
        guard !secrets.isEmpty else { return (judged, [:]) }
        let hashes: [PasswordHash]
        do throws(HashingError) {
            hashes = try await repository.hasher.hashAll(secrets) { done in
                run.progress(after: judged.batch, hashed: (done: done, total: secrets.count))
            }
        } catch {
            throw .store(error == .cancelled ? .cancelled : .hashing(error))
        }
        var hashed = judged
        for (row, hash) in zip(rows, hashes) { hashed.rows.setHash(hash, row: row, field: field) }
        let others = zip(updates.map(\.record), hashes.dropFirst(rows.count))
        return (hashed, Dictionary(others) { first, _ in first })
    }

    /// Whether the row's password may be stored: not that of a profile that is there and stays as it is.
    private func isWorthHashing(row: Int, of judged: JudgedBatch) -> Bool {
        guard run.options.duplicates != .update, let field = adopted.schema.index(of: .username),
            let username = judged.rows.text(row: row, field: field)
        else { return true }
        return (try? repository.profile(username: username)) == nil
    }

    private func passwordsOfUpdates(in judged: JudgedBatch) -> [(record: Int, password: Secret)] {
        judged.rejected.filter { ProfileMerge.canMerge($0, of: judged.batch, columns) }.compactMap { rejected in
            ProfileMerge.password(of: rejected.record, in: judged.batch.records, columns)
                .map { (record: rejected.record, password: $0) }
        }
    }

    // MARK: Writing

    /// Stores one batch within a transaction.
    private func store(
        _ judged: JudgedBatch, _ hashes: [Int: PasswordHash], storeIsEmpty: Bool, _ connection: borrowing Connection
    ) throws(ImportWriteError) {
        do throws(ProfileStoreError) {
            _ = try repository.requireSchema(adopted.schema, connection)
        } catch {
            throw ImportWriteError(.store(error))
        }
        let first = try wrap { () throws(SQLiteError) in try StoreTable.nextID(connection) }
        var next = first
        do throws(ImportError) {
            try settle(
                judged, hashes, nextID: &next, isDryRun: false, storeIsEmpty: storeIsEmpty, connection
            ).get()
        } catch {
            throw ImportWriteError(error)
        }
        if next != first { try wrap { () throws(SQLiteError) in try StoreTable.setNextID(next, connection) } }
    }

    private func settle(
        _ judged: JudgedBatch, _ hashes: [Int: PasswordHash] = [:], nextID: inout Int64, isDryRun: Bool,
        storeIsEmpty: Bool, _ connection: borrowing Connection
    ) -> Result<Void, ImportError> {
        let settlement = RowSettlement(
            adopted: adopted, columns: columns, policy: run.options.duplicates, today: run.today,
            now: repository.options.now(), storeIsEmpty: storeIsEmpty, isDryRun: isDryRun, hashes: hashes)
        return run.ledger.withLock { ledger in
            do throws(ImportError) {
                return .success(try settlement.settle(judged, nextID: &nextID, into: &ledger, connection))
            } catch {
                return .failure(error)
            }
        }
    }

    private func countChange(_ connection: borrowing Connection) throws(ImportWriteError) {
        try wrap { () throws(SQLiteError) in try StoreTable.countChange(connection) }
    }

    private func write(
        _ body: @escaping @Sendable (borrowing Connection) throws(ImportWriteError) -> Void
    ) async throws(ImportError) {
        let before = run.ledger.withLock { $0.report }
        let outcome: Result<Void, ImportWriteError>
        do throws(ProfileStoreError) {
            outcome = try await repository.writer.write(waitingAtMost: repository.options.waitLimit) {
                connection throws(ProfileStoreError) in
                do throws(ImportWriteError) { return .success(try body(connection)) } catch { return .failure(error) }
            }
        } catch {
            throw .store(error)
        }
        if case .failure(let error) = outcome, error != .nothingStored {
            // The transaction is undone, and so is what was counted in it.
            run.ledger.withLock { $0.restore(before) }
            throw error.reason
        }
    }

    private func inTransaction(
        _ connection: borrowing Connection, _ body: () throws(ImportWriteError) -> Void
    ) throws(ImportWriteError) {
        try connection.writeTransaction(body)
    }

    private func wrap<Value>(_ body: () throws(SQLiteError) -> Value) throws(ImportWriteError) -> Value {
        do throws(SQLiteError) { return try body() } catch { throw ImportWriteError(error) }
    }
}

/// What ends a transaction of an import without a commit.
private struct ImportWriteError: SQLiteErrorConvertible, Equatable {
    let reason: ImportError

    /// All or nothing was asked for, and it is nothing; the report says so.
    static let nothingStored = ImportWriteError(.store(.cancelled))

    init(_ reason: ImportError) { self.reason = reason }

    init(_ error: SQLiteError) { reason = .store(ProfileStoreError(error)) }
}
