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
        while var judged = try await run.nextAsynchronously() {
            try read { connection throws(ImportError) in
                var nextID: Int64 = 0
                try settle(&judged, nextID: &nextID, storeIsEmpty: storeIsEmpty, connection)
            }
            run.progress(after: judged.batch)
        }
        if nothingMayStay() { run.ledger.withLock { $0.countNothingStored() } }
    }

    // MARK: Batches

    /// A transaction a batch: others write in between, and look-ups never wait.
    func loadInBatches() async throws(ImportError) {
        try await setCacheSize(kibibytes: Self.batchCache, waitingAtMost: repository.options.waitLimit)
        let outcome: Result<Void, ImportError>
        do throws(ImportError) {
            while let judged = try await run.nextAsynchronously() {
                try await store([try await hashing(judged)], atMost: Self.longestTransaction)
                run.progress(after: judged.batch)
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        // A task of its own, since what a cancelled one writes is refused. Who was refused a turn waits for no other.
        let limit = if case .failure = outcome { Duration.zero } else { repository.options.waitLimit }
        await Task { try? await setCacheSize(kibibytes: Connection.defaultCache, waitingAtMost: limit) }.value
        try outcome.get()
    }

    /// Rows come in no order of their usernames, so that each batch touches pages all over the indexes: keeping these
    /// makes it half as long again as fast.
    private static let batchCache = 65_536

    /// A batch that takes longer, on a slow disk say, goes in parts: others wait for a second at the most (I14), and a
    /// commit and a checkpoint come on top of this.
    private static let longestTransaction = Duration.milliseconds(250)

    private func setCacheSize(kibibytes: Int, waitingAtMost limit: Duration) async throws(ImportError) {
        do throws(ProfileStoreError) {
            try await repository.writer.write(waitingAtMost: limit) { connection throws(ProfileStoreError) in
                try ProfileStoreError.wrap { () throws(SQLiteError) in try connection.setCache(kibibytes: kibibytes) }
            }
        } catch {
            throw .store(error)
        }
    }

    // MARK: One transaction

    /// One transaction because the caller wants it, of an input that may have passwords. These are hashed before the
    /// lock is taken, so the input is read twice: once to hash, once to store. Nothing is kept in memory in between but
    /// the passwords and their hashes.
    func loadHashedFirst() async throws(ImportError) {
        var hashed = HashedPasswords()
        while true {
            let spared = try await hashPasswords(into: &hashed)
            guard !run.mustEnd() else { return }
            try await run.rewind(with: hashed)
            if try await loadInBulk(evenIfUsed: true, sparing: spared) { return }
            // Others have written meanwhile, so that there is more to hash.
            try await run.rewind(with: hashed)
        }
    }

    static func isEmpty(_ connection: borrowing Connection) throws(ImportError) -> Bool {
        try ImportError.wrap { () throws(SQLiteError) in
            var statement = try connection.prepare("SELECT 1 FROM profiles LIMIT 1")
            return try !statement.step()
        }
    }

    // MARK: Writing

    /// Stores batches in one transaction, as soon as every password that the store takes is hashed; in several, where
    /// it may not last longer.
    private func store(_ batches: [JudgedBatch], atMost duration: Duration? = nil) async throws(ImportError) {
        var batches = batches
        while batches.contains(where: { !$0.isSettled }) {
            let current = batches
            let outcome = try await write { connection throws(ImportWriteError) in
                // What the store takes may have changed since it was looked at.
                var unhashed: [Int: [UnhashedPassword]] = [:]
                for (index, judged) in current.enumerated() {
                    let passwords = try wrap { () throws(ImportError) in try self.unhashed(in: judged, connection) }
                    if !passwords.isEmpty { unhashed[index] = passwords }
                }
                guard unhashed.isEmpty else { return StoreOutcome.unhashed(unhashed) }
                let limit = duration.map(TimeLimit.after) ?? .none
                var stored = current
                for index in stored.indices where !run.mustEnd() {
                    try store(&stored[index], until: limit, storeIsEmpty: false, connection)
                }
                return .stored(stored)
            }
            switch outcome {
            case nil: return
            case .unhashed(let unhashed)?:
                for (index, passwords) in unhashed { batches[index] = try await hashing(passwords, of: batches[index]) }
            case .stored(let stored)?:
                batches = stored
                if run.mustEnd() { return }
            }
        }
    }

    /// What became of batches within one transaction.
    private enum StoreOutcome: Sendable {
        /// Nothing: these passwords, by the batch's position, are to be hashed before.
        case unhashed([Int: [UnhashedPassword]])
        /// As far as each says.
        case stored([JudgedBatch])
    }

    /// Stores one batch within a transaction, or as much of it as the time allows.
    func store(
        _ judged: inout JudgedBatch, until limit: TimeLimit = .none, storeIsEmpty: Bool,
        _ connection: borrowing Connection
    ) throws(ImportWriteError) {
        do throws(ProfileStoreError) {
            _ = try repository.requireSchema(adopted.schema, connection)
        } catch {
            throw .failed(.store(error))
        }
        do throws(ImportError) {
            let first = try ImportError.wrap { () throws(SQLiteError) in try StoreTable.nextID(connection) }
            var next = first
            try settle(&judged, until: limit, nextID: &next, storeIsEmpty: storeIsEmpty, connection)
            guard next != first else { return }
            try ImportError.wrap { () throws(SQLiteError) in try StoreTable.setNextID(next, connection) }
        } catch {
            throw .failed(error)
        }
    }

    private func settle(
        _ judged: inout JudgedBatch, until limit: TimeLimit = .none, nextID: inout Int64, storeIsEmpty: Bool,
        _ connection: borrowing Connection
    ) throws(ImportError) {
        let settlement = RowSettlement(
            adopted: adopted, columns: columns, policy: run.options.duplicates, today: run.today,
            now: repository.options.now(), storeIsEmpty: storeIsEmpty, isDryRun: run.options.isDryRun)
        try run.ledger.withLock { ledger throws(ImportError) in
            try settlement.settle(&judged, until: limit, nextID: &nextID, into: &ledger, connection)
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
        let outcome: Result<(value: Value, isChange: Bool), ImportWriteError>
        do throws(ProfileStoreError) {
            outcome = try await repository.writer.write(waitingAtMost: repository.options.waitLimit) { connection in
                Result { () throws(ImportWriteError) in
                    try connection.writeTransaction { () throws(ImportWriteError) in try change(connection, body) }
                }
            }
        } catch {
            throw .store(error)
        }
        do throws(ImportWriteError) {
            let (value, isChange) = try outcome.get()
            // Here the write lock is given back.
            if isChange { repository.bell.announce() }
            return value
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

    /// Runs what is to be written within a transaction, and puts it into the log of changes: a range of new profiles, and
    /// one in which the updated ones lie.
    private func change<Value>(
        _ connection: borrowing Connection, _ body: (borrowing Connection) throws(ImportWriteError) -> Value
    ) throws(ImportWriteError) -> (value: Value, isChange: Bool) {
        let first = try wrap { () throws(SQLiteError) in try StoreTable.nextID(connection) }
        // What a transaction that was undone has left.
        _ = run.ledger.withLock { ($0.takeUpdatedIDs(), $0.takeUnjudgedPasswords()) }
        let value = try body(connection)
        if nothingMayStay() { throw .nothingStored }
        return try wrap { () throws(SQLiteError) in
            let next = try StoreTable.nextID(connection)
            if next > first {
                let unjudged = run.ledger.withLock { $0.takeUnjudgedPasswords() }
                try StoreTable.add(unjudged, to: .unjudgedPasswords, connection)
                try ThrottleTable.forgetUnknown(namesOf: first...next - 1, connection)
                try repository.record(.imported, first...next - 1, connection)
            }
            let updated = run.ledger.withLock { $0.takeUpdatedIDs() }
            if let updated { try repository.record(.updated, updated, connection) }
            return (value, next > first || updated != nil)
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

    private func wrap<Value>(_ body: () throws(SQLiteError) -> Value) throws(ImportWriteError) -> Value {
        do throws(SQLiteError) { return try body() } catch { throw ImportWriteError(error) }
    }
}

/// What ends a transaction of an import without a commit.
enum ImportWriteError: SQLiteErrorConvertible {
    /// All or nothing was asked for, and it is nothing; the report says so.
    case nothingStored
    case failed(ImportError)

    init(_ error: SQLiteError) { self = .failed(.store(ProfileStoreError(error))) }
}
