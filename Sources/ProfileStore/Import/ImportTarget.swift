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
        while let judged = try await run.nextAsynchronously() {
            try await store([try await hashing(judged)])
            run.progress(after: judged.batch)
        }
    }

    // MARK: One transaction

    /// One transaction over everything, since nobody uses the store or the caller wants it so: into an empty table
    /// without indexes, which are made afterwards.
    ///
    /// - Parameter evenIfUsed: Also into a store that has profiles.
    /// - Returns: False if it has, and nothing was done.
    func loadInBulk(evenIfUsed: Bool) async throws(ImportError) -> Bool {
        if !evenIfUsed {
            // Before asking for the lock, which others may hold.
            guard try read({ connection throws(ImportError) in try Self.isEmpty(connection) }) else { return false }
        }
        return try await write { connection throws(ImportWriteError) in
            let isEmpty = try wrap { () throws(ImportError) in try Self.isEmpty(connection) }
            guard isEmpty || evenIfUsed else { return false }
            let indexes = isEmpty ? try wrap { () throws(ImportError) in try Self.dropIndexes(connection) } : []
            while let judged = try wrap({ () throws(ImportError) in try run.next() }) {
                try store(judged, storeIsEmpty: isEmpty, connection)
                run.progress(after: judged.batch)
            }
            run.ledger.withLock { $0.keys.removeAll() }
            try wrap { () throws(ImportError) in try Self.makeIndexes(indexes, connection) }
            return true
        } ?? true
    }

    /// One transaction because the caller wants it, of rows with passwords. These are hashed before the lock is taken,
    /// so that the rows are kept in memory until all are hashed.
    func loadHashedFirst() async throws(ImportError) {
        var batches: [JudgedBatch] = []
        while let judged = try await run.nextAsynchronously() { batches.append(try await hashing(judged)) }
        try await store(batches)
    }

    private static func isEmpty(_ connection: borrowing Connection) throws(ImportError) -> Bool {
        try ImportError.wrap { () throws(SQLiteError) in
            var statement = try connection.prepare("SELECT 1 FROM profiles LIMIT 1")
            return try !statement.step()
        }
    }

    /// - Returns: What makes them anew.
    private static func dropIndexes(_ connection: borrowing Connection) throws(ImportError) -> [String] {
        try ImportError.wrap { () throws(SQLiteError) in
            var indexes: [(name: String, sql: String)] = []
            do {
                var statement = try connection.prepare(
                    """
                    SELECT name, sql FROM sqlite_schema
                    WHERE type = 'index' AND tbl_name = 'profiles' AND sql IS NOT NULL
                    """)
                while try statement.step() {
                    indexes.append((statement.string(at: 0) ?? "", statement.string(at: 1) ?? ""))
                }
            }
            // The names are SQLite's own record of indexes that we made.
            for index in indexes { try connection.execute("DROP INDEX \"\(index.name)\"") }
            return indexes.map(\.sql)
        }
    }

    private static func makeIndexes(_ indexes: [String], _ connection: borrowing Connection) throws(ImportError) {
        try ImportError.wrap { () throws(SQLiteError) in
            // A second thread sorts while the first reads.
            connection.setWorkerThreads(1)
            defer { connection.setWorkerThreads(0) }
            for sql in indexes { try connection.execute(sql) }
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
    private func store(
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
    private func write<Value: Sendable>(
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
                                try ImportError.wrap { () throws(SQLiteError) in try StoreTable.countChange(connection) }
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

    private func wrap<Value>(_ body: () throws(ImportError) -> Value) throws(ImportWriteError) -> Value {
        do throws(ImportError) { return try body() } catch { throw .failed(error) }
    }
}

/// What ends a transaction of an import without a commit.
private enum ImportWriteError: SQLiteErrorConvertible {
    /// All or nothing was asked for, and it is nothing; the report says so.
    case nothingStored
    case failed(ImportError)

    init(_ error: SQLiteError) { self = .failed(.store(ProfileStoreError(error))) }
}
