internal import CSVStream
internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import Synchronization
internal import Threads

/// An import in progress: the pipeline that reads and validates the input, and the ledger that counts the results.
final class ImportRun: Sendable {
    let source: ImportSource
    let options: ImportOptions
    let today: CalendarDay
    let validator: ProfileValidator
    let ledger: Locked<ImportLedger>
    /// The unique values found in the input so far.
    let keys: BroughtKeys
    /// The progress and the speed of password hashing.
    let hashing = Locked(HashingPace())
    private let pipeline: Locked<Pipeline>
    private let report: @Sendable (ImportProgress) -> Void
    private let isCancelled = Atomic(false)
    private let thread: ThreadPool
    /// The buffer of rejected rows that the sink has not written yet.
    private let rejects: ByteChannel?

    private typealias Pipeline = OrderedPipeline<ReadBatch, JudgedBatch, ByteStreamError>

    init(
        source: ImportSource, schema: ProfileSchema, today: CalendarDay, options: ImportOptions, thread: ThreadPool,
        progress: @escaping @Sendable (ImportProgress) -> Void, ledger: consuming ImportLedger, rejects: ByteChannel?
    ) throws(ImportError) {
        self.source = source
        self.options = options
        self.today = today
        validator = ProfileValidator(schema)
        self.ledger = Locked(ledger)
        keys = BroughtKeys(of: schema)
        self.thread = thread
        self.rejects = rejects
        report = progress
        pipeline = Locked(try Self.pipeline(of: source, validator, today, options, HashedPasswords()))
    }

    private static func pipeline(
        of source: ImportSource, _ validator: ProfileValidator, _ today: CalendarDay, _ options: ImportOptions,
        _ hashed: HashedPasswords
    ) throws(ImportError) -> Pipeline {
        let columns = source.columns
        let workers = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        do throws(ThreadError) {
            return try Pipeline(workers: workers, depth: workers + 3) { () throws(ByteStreamError) in
                try source.next()
            } process: { batch in
                var judged = JudgedBatch(
                    batch, columns: columns, validator: validator, today: today,
                    isCompletedByStore: options.duplicates == .update)
                judged.replacePasswords(by: hashed, columns)
                return judged
            }
        } catch {
            throw .store(.noThread(code: error.code))
        }
    }

    /// Starts reading the input again from its beginning. Replaces the passwords in the input with the given hashes.
    func rewind(with hashed: HashedPasswords) async throws(ImportError) {
        await end()
        let source = try await thread.importing { () throws(ImportError) in try self.source.again() }
        let restarted = try Self.pipeline(of: source, validator, today, options, hashed)
        pipeline.withLock { $0 = restarted }
        ledger.withLock { $0.forgetOddities() }
        if isCancelled.load(ordering: .relaxed) { stop() }
    }

    /// Cancels the run. Calls that wait for a further batch return at once, and the import ends after the current
    /// batch.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        stop()
    }

    /// Stops reading without waiting for the readers.
    func stop() {
        pipeline.withLock { $0 }.stop()
        rejects?.removeLimit()
    }

    /// Stops reading and waits until all readers have ended.
    func end() async {
        let pipeline = pipeline.withLock { $0 }
        pipeline.stop()
        await pipeline.ended()
    }

    /// Whether the import must end before the end of the input. Records the reason in the report.
    func mustEnd() -> Bool {
        ledger.withLock { ledger in
            if isCancelled.load(ordering: .relaxed) {
                ledger.end(.cancelled)
            } else if ledger.report.isOver(options.rejectLimit) {
                ledger.end(.tooManyRejects)
            }
            return ledger.report.earlyEnd != nil
        }
    }

    /// Returns the next batch. Returns nil at the end of the input or if the import must end.
    func next() async throws(ImportError) -> JudgedBatch? {
        guard !mustEnd() else { return nil }
        let pipeline = pipeline.withLock { $0 }
        let outcome: Result<JudgedBatch?, ByteStreamError>
        do throws(ByteStreamError) { outcome = .success(try await pipeline.next()) } catch { outcome = .failure(error) }
        return try batch(outcome)
    }

    /// Returns the next batch. Returns nil at the end of the input or if the import must end. Blocks the thread.
    func nextBlocking() throws(ImportError) -> JudgedBatch? {
        guard !mustEnd() else { return nil }
        let pipeline = pipeline.withLock { $0 }
        let outcome: Result<JudgedBatch?, ByteStreamError>
        do throws(ByteStreamError) { outcome = .success(try pipeline.next()) } catch { outcome = .failure(error) }
        return try batch(outcome)
    }

    private func batch(_ outcome: Result<JudgedBatch?, ByteStreamError>) throws(ImportError) -> JudgedBatch? {
        switch outcome {
        case .success(let batch?):
            ledger.withLock { $0.note(batch) }
            return batch
        case .success(nil):
            // There is no further batch: either the input has ended, or the run was cancelled during the wait.
            _ = mustEnd()
            return nil
        case .failure(let error):
            throw ImportError(error)
        }
    }

    /// Waits until the buffer of rejected rows has room.
    func waitForRejects() async { await rejects?.waitForRoom() }

    /// Waits until the buffer of rejected rows has room. Blocks the thread.
    func blockForRejects() { rejects?.blockUntilRoom() }

    /// Whether the import must store nothing. This is the case if the import is all-or-nothing, and either a row was
    /// rejected or the import ended early.
    func nothingMayStay() -> Bool {
        options.isAllOrNothing && ledger.withLock { $0.report.rejected > 0 || $0.report.earlyEnd != nil }
    }

    /// Counts the outcomes of decided rows. If the whole import is one transaction, these rows are not committed yet.
    func take(_ decided: RowDecisions) throws(ImportError) {
        keys.keys.withLock { decided.outcomes.add(to: &$0) }
        try ledger.withLock { ledger throws(ImportError) in try ledger.take(decided.outcomes) }
    }

    /// Reports the progress after a batch or during password hashing.
    func progress(after batch: ReadBatch) {
        let (rows, rejected) = ledger.withLock { ($0.report.rows, $0.report.rejected) }
        let hashing = hashing.withLock { $0 }
        let hashed = hashing.total > 0 ? ImportProgress.Hashing(done: hashing.done, total: hashing.total) : nil
        report(ImportProgress(rows: rows, rejected: rejected, bytes: batch.bytesRead, hashed: hashed))
    }

    /// Returns the rows of a batch that are new in an empty store. Counts and reports the other rows.
    func sift(_ judged: JudgedBatch) throws(ImportError) -> [Int] {
        try ledger.withLock { ledger throws(ImportError) in
            try keys.keys.withLock { keys throws(ImportError) in try ledger.sift(judged, &keys) }
        }
    }

    /// Validates every batch without a store. A row is new if no earlier row has the same value in a unique field.
    func readWithoutStore() async throws(ImportError) {
        while let judged = try await next() {
            _ = try sift(judged)
            await waitForRejects()
            progress(after: judged.batch)
        }
    }

    /// Completes the report.
    ///
    /// - Returns: The report. If some rejected rows could not be written, also the error.
    func finish(after duration: Duration) -> (report: ImportReport, failure: ImportError?) {
        ledger.withLock { ledger in
            var failure: ImportError?
            do throws(ImportError) { try ledger.finish(after: duration) } catch { failure = error }
            return (ledger.report, failure)
        }
    }
}

/// The progress and the speed of password hashing in an import.
struct HashingPace: Sendable {
    var done = 0
    /// The number of passwords found so far that must be hashed.
    var total = 0
    /// The maximum number of passwords to hash before the next commit. The import adjusts this number, to keep the
    /// duration of the hashing at about half a second. The time must be short, because after Ctrl-C the import waits
    /// until these passwords are hashed.
    private(set) var mostAtOnce = 16

    /// Adjusts ``mostAtOnce``, after `count` passwords were hashed in `duration`. The new value is a multiple of
    /// `threads`, so that no thread waits while others compute the last hashes.
    mutating func adjust(to duration: Duration, for count: Int, threads: Int) {
        let wanted = Double(count) * (Duration.milliseconds(500) / max(duration, .milliseconds(1)))
        mostAtOnce = max(min(Int(wanted), 4 * max(count, 4)) / threads, 1) * threads
    }
}

extension ImportReport {
    fileprivate func isOver(_ limit: ImportOptions.RejectLimit?) -> Bool {
        switch limit {
        case nil: false
        case .count(let most): rejected > most
        case .percent(let most): rows >= 1_000 && Double(rejected) * 100 > most * Double(rows)
        }
    }
}

extension ThreadPool {
    /// Runs a part of an import that may block the thread.
    func importing<Value: Sendable>(
        _ work: @escaping @Sendable () throws(ImportError) -> Value
    ) async throws(ImportError) -> Value {
        try await run(work) { .store(ProfileStoreError($0)) }
    }
}
