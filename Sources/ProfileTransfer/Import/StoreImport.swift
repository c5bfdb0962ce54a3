internal import CSVStream
internal import ProfileCore
internal import ProfileStore
internal import Threads

/// An import into a store, with one method for each strategy.
struct StoreImport: Sendable {
    let repository: ProfileRepository
    let adopted: AdoptedSchema
    let run: ImportRun
    /// The origin of all transactions of the import, for the history.
    let origin: ChangeOrigin

    var columns: ImportColumns { run.source.columns }

    // MARK: A dry run

    /// Determines the outcome of every row and writes nothing.
    func lookOnly() async throws(ImportError) {
        let storeIsEmpty = try await store { () throws(ProfileStoreError) in
            try await repository.ask(.lookUpNames, rows: { $0 ? 0 : 1 }, await repository.engine.isEmpty())
        }
        while let judged = try await run.next() {
            let decisions = decisions(of: judged, storeIsEmpty: storeIsEmpty)
            let decided = try await store { () throws(ProfileStoreError) in
                try await repository.ask(
                    .previewBatch, rows: \.rows.count,
                    await repository.engine.preview(decisions, judgedBy: adopted.schema))
            }
            try run.take(decided)
            await run.waitForRejects()
            run.progress(after: judged.batch)
        }
        if run.nothingMayStay() { run.ledger.withLock { $0.countNothingStored() } }
    }

    // MARK: Batches

    /// Imports with one transaction per batch. Other writers can write between two batches. Lookups in the store never
    /// wait for the import.
    func loadInBatches() async throws(ImportError) {
        while let judged = try await run.next() {
            try await whole { () async throws(ImportError) in try await store(judged) }
            await run.waitForRejects()
            run.progress(after: judged.batch)
        }
    }

    /// The maximum duration of a transaction. If a batch takes longer, for example on a slow disk, it is split into
    /// several transactions. Other writers must not wait for longer than one second (I14), which also includes a commit
    /// and a checkpoint.
    private static let longestTransaction = Duration.milliseconds(250)

    /// Stores a batch in one transaction. If the transaction takes too long, or if more passwords must be hashed, uses
    /// several transactions. As soon as some passwords are hashed, their rows are stored. This happens even if the
    /// import is cancelled (I9).
    private func store(_ judged: JudgedBatch) async throws(ImportError) {
        var judged = judged
        var passwords = try await passwordsToHash(in: judged)
        try await hashNext(of: &passwords, in: &judged)
        while true {
            let decisions = decisions(of: judged, lastingAtMost: Self.longestTransaction)
            let decided = try await store { () throws(ProfileStoreError) in
                try await repository.learningOfRules { () throws(ProfileStoreError) in
                    try await repository.store(
                        decisions, judgedBy: adopted.schema, by: run.options.author, from: origin)
                }
            }
            try run.take(decided)
            if decided.isOnOneMachine { throw .store(.storedOnOneMachine) }
            judged.next = decided.next
            if judged.isDecided || run.mustEnd() { return }
            if let password = decided.unhashedPassword {
                passwords.require(password)
                try await hashNext(of: &passwords, in: &judged)
            }
        }
    }

    /// Runs `work` in a separate task. If the task of the import is cancelled, `work` still runs to its end.
    private func whole(_ work: @escaping @Sendable () async throws(ImportError) -> Void) async throws(ImportError) {
        let outcome = await Task { () -> Result<Void, ImportError> in
            do throws(ImportError) { return .success(try await work()) } catch { return .failure(error) }
        }.value
        try outcome.get()
    }

    // MARK: One transaction

    /// Imports the input in a single transaction, if the caller requested this and the input may have passwords. The
    /// passwords are hashed before the write lock is taken. Therefore the input is read twice: the first reading hashes
    /// the passwords, and the second reading stores the rows. Between the two readings, only the passwords and their
    /// hashes are kept in memory.
    func loadHashedFirst() async throws(ImportError) {
        var hashed = HashedPasswords()
        while true {
            let spared = try await hashPasswords(into: &hashed)
            guard !run.mustEnd() else { return }
            try await run.rewind(with: hashed)
            if try await loadAtOnce(evenIfUsed: true, sparing: spared) { return }
            // Other writers have changed the store. So rows whose passwords needed no hash before may need one now.
            try await run.rewind(with: hashed)
        }
    }

    /// Imports the whole input in a single transaction, because the store is empty or the caller requested it.
    ///
    /// - Parameters:
    ///   - evenIfUsed: Whether to import even if the store already has profiles.
    ///   - spared: The passwords that were not hashed because the store did not need them.
    /// - Returns: False if the import did not start. This happens if the store has profiles, or if the store now needs
    ///   passwords that were not hashed.
    /// - Throws: The error that ended the import. With `storedOnOneMachine`, all rows are stored; with
    ///   `outcomeUnknown`, they may be stored. With any other error, nothing is stored.
    func loadAtOnce(
        evenIfUsed: Bool, sparing spared: SparedPasswords = SparedPasswords()
    ) async throws(ImportError) -> Bool {
        let before = run.ledger.withLock { $0.report }
        let load = ImportLoad(self, evenIfUsed: evenIfUsed, sparing: spared)
        let outcome: Result<BulkLoadOutcome, ImportError>
        do throws(ImportError) {
            let loaded = try await store { () throws(ProfileStoreError) in
                try await repository.learningOfRules { () throws(ProfileStoreError) in
                    try await repository.load(
                        load, judgedBy: adopted.schema, by: run.options.author, from: origin)
                }
            }
            if let failure = load.failure { throw failure }
            outcome = .success(loaded)
        } catch {
            outcome = .failure(error)
        }
        // The thread that finds the new rows may still wait for input. This thread must end before the counts are reset
        // below. Otherwise it could count further rows after the reset.
        await load.end()
        // A failed transaction is rolled back, so its counts are reset too.
        if case .failure = outcome { run.ledger.withLock { $0.restore(before) } }
        switch try outcome.get() {
        case .declined: return false
        case .undone: run.ledger.withLock { $0.countNothingStored() }
        case .loaded: break
        case .loadedOnOneMachine: throw .store(.storedOnOneMachine)
        }
        return true
    }

    // MARK: Shared parts

    func decisions(
        of judged: JudgedBatch, storeIsEmpty: Bool = false, lastingAtMost limit: Duration? = nil
    ) -> RowDecisions {
        RowDecisions(
            on: judged, columns: columns, validator: adopted.validator, schemaVersion: adopted.version,
            policy: run.options.duplicates,
            today: run.today, brought: run.keys, isDryRun: run.options.isDryRun, storeIsEmpty: storeIsEmpty,
            limit: limit)
    }

    func store<Value>(_ body: () async throws(ProfileStoreError) -> Value) async throws(ImportError) -> Value {
        do throws(ProfileStoreError) { return try await body() } catch { throw .store(error) }
    }
}
