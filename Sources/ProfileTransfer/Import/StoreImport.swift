internal import CSVStream
internal import ProfileCore
internal import ProfileStore
internal import Synchronization
internal import Threads

/// An import into a store, and the ways that it can go.
struct StoreImport: Sendable {
    let repository: ProfileRepository
    let adopted: AdoptedSchema
    let run: ImportRun

    var columns: ImportColumns { run.source.columns }

    // MARK: A dry run

    /// Decides what would become of every row, and writes nothing.
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

    /// A transaction a batch: others write in between, and look-ups never wait.
    func loadInBatches() async throws(ImportError) {
        while let judged = try await run.next() {
            try await whole { () async throws(ImportError) in try await store(judged) }
            await run.waitForRejects()
            run.progress(after: judged.batch)
        }
    }

    /// A batch that takes longer, on a slow disk say, goes in parts: others wait for a second at the most (I14), and a
    /// commit and a checkpoint come on top of this.
    private static let longestTransaction = Duration.milliseconds(250)

    /// Stores a batch in one transaction, or in several where it may not last longer, or where passwords have to be
    /// hashed first. What is hashed is stored before anything else is, however the import ends (I9).
    private func store(_ judged: JudgedBatch) async throws(ImportError) {
        var judged = judged
        var passwords = try await passwordsToHash(in: judged)
        try await hashNext(of: &passwords, in: &judged)
        while true {
            let decisions = decisions(of: judged, lastingAtMost: Self.longestTransaction)
            let decided = try await store { () throws(ProfileStoreError) in
                try await repository.learningOfRules { () throws(ProfileStoreError) in
                    try await repository.store(decisions, judgedBy: adopted.schema, by: run.options.author)
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

    /// Does work to its end, though the import's task is cancelled meanwhile: in a task of its own.
    private func whole(_ work: @escaping @Sendable () async throws(ImportError) -> Void) async throws(ImportError) {
        let outcome = await Task { () -> Result<Void, ImportError> in
            do throws(ImportError) { return .success(try await work()) } catch { return .failure(error) }
        }.value
        try outcome.get()
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
            if try await loadAtOnce(evenIfUsed: true, sparing: spared) { return }
            // Others have written meanwhile, so that there is more to hash.
            try await run.rewind(with: hashed)
        }
    }

    /// One transaction over everything, since nobody uses the store or the caller wants it so.
    ///
    /// - Parameters:
    ///   - evenIfUsed: Also into a store that has profiles.
    ///   - spared: The passwords that were not hashed before because the store takes them not.
    /// - Returns: False if it has profiles, or takes some of those passwords now, and nothing was done.
    /// - Throws: What ends the import; nothing is stored.
    func loadAtOnce(
        evenIfUsed: Bool, sparing spared: SparedPasswords = SparedPasswords()
    ) async throws(ImportError) -> Bool {
        let before = run.ledger.withLock { $0.report }
        let load = ImportLoad(self, evenIfUsed: evenIfUsed, sparing: spared)
        let outcome: Result<BulkLoadOutcome, ImportError>
        do throws(ImportError) {
            let loaded = try await store { () throws(ProfileStoreError) in
                try await repository.learningOfRules { () throws(ProfileStoreError) in
                    try await repository.load(load, judgedBy: adopted.schema, by: run.options.author)
                }
            }
            if let failure = load.failure { throw failure }
            outcome = .success(loaded)
        } catch {
            outcome = .failure(error)
        }
        // What another thread counts must not be counted after a failure took it back; it may wait for input.
        await load.end()
        // A transaction that failed is undone, and so is what was counted in it.
        if case .failure = outcome { run.ledger.withLock { $0.restore(before) } }
        switch try outcome.get() {
        case .declined: return false
        case .undone: run.ledger.withLock { $0.countNothingStored() }
        case .loaded: break
        case .loadedOnOneMachine: throw .store(.storedOnOneMachine)
        }
        return true
    }

    // MARK: What all have in common

    func decisions(
        of judged: JudgedBatch, storeIsEmpty: Bool = false, lastingAtMost limit: Duration? = nil
    ) -> RowDecisions {
        RowDecisions(
            on: judged, columns: columns, validator: adopted.validator, policy: run.options.duplicates,
            today: run.today, brought: run.keys, isDryRun: run.options.isDryRun, storeIsEmpty: storeIsEmpty,
            limit: limit)
    }

    func store<Value>(_ body: () async throws(ProfileStoreError) -> Value) async throws(ImportError) -> Value {
        do throws(ProfileStoreError) { return try await body() } catch { throw .store(error) }
    }
}
