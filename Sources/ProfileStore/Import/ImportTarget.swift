internal import CSVStream
internal import ProfileCore
internal import SQLiteAccess
internal import Synchronization

/// The store that an import goes into, and the ways into it.
struct ImportTarget: Sendable {
    let repository: ProfileRepository
    let adopted: AdoptedSchema
    let run: ImportRun

    var columns: ImportColumns { run.source.columns }

    // MARK: A dry run

    /// Decides what would become of every row, and writes nothing.
    func lookOnly() async throws(ImportError) {
        let storeIsEmpty = try read { connection throws(ImportError) in try Self.isEmpty(connection) }
        while let judged = try await run.nextAsynchronously() {
            try read { connection throws(ImportError) in
                var nextID: Int64 = 0
                try settle(judged, nextID: &nextID, storeIsEmpty: storeIsEmpty, connection)
            }
            run.progress(after: judged.batch)
        }
        if nothingMayStay() { run.ledger.withLock { $0.countNothingStored() } }
    }

    // MARK: Batches

    /// A transaction a batch: others write in between, and look-ups never wait.
    func loadInBatches() async throws(ImportError) {
        try await setCacheSize(kibibytes: Self.batchCache)
        let outcome: Result<Void, ImportError>
        do throws(ImportError) {
            while let judged = try await run.nextAsynchronously() {
                try await store([try await hashing(judged)])
                run.progress(after: judged.batch)
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        try? await setCacheSize(kibibytes: Connection.defaultCache)
        try outcome.get()
    }

    /// Rows come in no order of their usernames, so that each batch touches pages all over the indexes: keeping these
    /// makes it half as long again as fast.
    private static let batchCache = 65_536

    private func setCacheSize(kibibytes: Int) async throws(ImportError) {
        do throws(ProfileStoreError) {
            try await repository.writer.write(waitingAtMost: repository.options.waitLimit) {
                connection throws(ProfileStoreError) in
                try ProfileStoreError.wrap { () throws(SQLiteError) in try connection.setCache(kibibytes: kibibytes) }
            }
        } catch {
            throw .store(error)
        }
    }

    // MARK: One transaction

    /// One transaction because the caller wants it, of rows with passwords. These are hashed before the lock is taken,
    /// so that the rows are kept in memory until all are hashed.
    func loadHashedFirst() async throws(ImportError) {
        var batches: [JudgedBatch] = []
        while let judged = try await run.nextAsynchronously() { batches.append(try await hashing(judged)) }
        try await store(batches)
    }

    static func isEmpty(_ connection: borrowing Connection) throws(ImportError) -> Bool {
        try ImportError.wrap { () throws(SQLiteError) in
            var statement = try connection.prepare("SELECT 1 FROM profiles LIMIT 1")
            return try !statement.step()
        }
    }

    // MARK: Writing

    /// Stores batches in one transaction, as soon as every password that the store takes is hashed.
    private func store(_ batches: [JudgedBatch]) async throws(ImportError) {
        var batches = batches
        while true {
            let current = batches
            let unhashed = try await write { connection throws(ImportWriteError) in
                // What the store takes may have changed since it was looked at.
                var unhashed: [Int: [UnhashedPassword]] = [:]
                for (index, judged) in current.enumerated() {
                    let passwords = try wrap { () throws(ImportError) in try self.unhashed(in: judged, connection) }
                    if !passwords.isEmpty { unhashed[index] = passwords }
                }
                guard unhashed.isEmpty else { return unhashed }
                for judged in current {
                    if run.mustEnd() { break }
                    try store(judged, storeIsEmpty: false, connection)
                }
                return [:]
            }
            guard let unhashed, !unhashed.isEmpty else { return }
            for (index, passwords) in unhashed { batches[index] = try await hashing(passwords, of: batches[index]) }
        }
    }

    /// Stores one batch within a transaction.
    func store(
        _ judged: JudgedBatch, storeIsEmpty: Bool, _ connection: borrowing Connection
    ) throws(ImportWriteError) {
        do throws(ProfileStoreError) {
            _ = try repository.requireSchema(adopted.schema, connection)
        } catch {
            throw .failed(.store(error))
        }
        try wrap { () throws(ImportError) in
            let first = try ImportError.wrap { () throws(SQLiteError) in try StoreTable.nextID(connection) }
            var next = first
            try settle(judged, nextID: &next, storeIsEmpty: storeIsEmpty, connection)
            guard next != first else { return }
            try ImportError.wrap { () throws(SQLiteError) in try StoreTable.setNextID(next, connection) }
        }
    }

    private func settle(
        _ judged: JudgedBatch, nextID: inout Int64, storeIsEmpty: Bool, _ connection: borrowing Connection
    ) throws(ImportError) {
        let settlement = RowSettlement(
            adopted: adopted, columns: columns, policy: run.options.duplicates, today: run.today,
            now: repository.options.now(), storeIsEmpty: storeIsEmpty, isDryRun: run.options.isDryRun)
        try run.ledger.withLock { ledger throws(ImportError) in
            try settlement.settle(judged, nextID: &nextID, into: &ledger, connection)
        }
    }

    /// Runs a write transaction, which changes what watchers see if it changes anything, and is undone where all or
    /// nothing was asked for and it is not all.
    ///
    /// - Returns: Nil if it was undone.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws(ImportWriteError) -> Value
    ) async throws(ImportError) -> Value? {
        let before = run.ledger.withLock { $0.report }
        let outcome: Result<Value, ImportWriteError>
        do throws(ProfileStoreError) {
            outcome = try await repository.writer.write(waitingAtMost: repository.options.waitLimit) { connection in
                Result { () throws(ImportWriteError) in
                    try connection.writeTransaction { () throws(ImportWriteError) in
                        let value = try body(connection)
                        if nothingMayStay() { throw ImportWriteError.nothingStored }
                        let after = run.ledger.withLock { $0.report }
                        if (after.imported, after.updated) != (before.imported, before.updated) {
                            try wrap { () throws(ImportError) in
                                try ImportError.wrap { () throws(SQLiteError) in try StoreTable.countChange(connection)
                                }
                            }
                        }
                        return value
                    }
                }
            }
        } catch {
            throw .store(error)
        }
        do throws(ImportWriteError) {
            return try outcome.get()
        } catch {
            switch error {
            case .nothingStored:
                run.ledger.withLock { $0.countNothingStored() }
                return nil
            case .failed(let error):
                // The transaction is undone, and so is what was counted in it.
                run.ledger.withLock { $0.restore(before) }
                throw error
            }
        }
    }

    /// Whether all or nothing was asked for, and it is not all: a row was rejected, or it ended early.
    private func nothingMayStay() -> Bool {
        run.options.isAllOrNothing && run.ledger.withLock { $0.report.rejected > 0 || $0.report.earlyEnd != nil }
    }

    func read<Value>(
        _ body: (borrowing Connection) throws(ImportError) -> Value
    ) throws(ImportError) -> Value {
        let outcome: Result<Value, ImportError>
        do throws(ProfileStoreError) {
            outcome = try repository.read { connection throws(ProfileStoreError) in
                Result { () throws(ImportError) in try body(connection) }
            }
        } catch {
            throw .store(error)
        }
        return try outcome.get()
    }

    func wrap<Value>(_ body: () throws(ImportError) -> Value) throws(ImportWriteError) -> Value {
        do throws(ImportError) { return try body() } catch { throw .failed(error) }
    }
}

/// What ends a transaction of an import without a commit.
enum ImportWriteError: SQLiteErrorConvertible {
    /// All or nothing was asked for, and it is nothing; the report says so.
    case nothingStored
    case failed(ImportError)

    init(_ error: SQLiteError) { self = .failed(.store(ProfileStoreError(error))) }
}
