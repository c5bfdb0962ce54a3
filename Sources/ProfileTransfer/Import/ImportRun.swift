internal import CSVStream
internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import Synchronization
internal import Threads

/// One import under way: the pipeline that reads and judges, and the ledger of what has come of it.
final class ImportRun: Sendable {
    let source: ImportSource
    let options: ImportOptions
    let today: CalendarDay
    let validator: ProfileValidator
    let ledger: Mutex<ImportLedger>
    /// The unique values that the input has brought so far.
    let keys: BroughtKeys
    /// How far the hashing of passwords is.
    let hashing = Mutex(HashingPace())
    private let pipeline: Mutex<Pipeline>
    private let report: @Sendable (ImportProgress) -> Void
    private let isCancelled = Atomic(false)
    private let thread: ThreadPool
    /// Where rejected rows wait for their sink.
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
        self.ledger = Mutex(ledger)
        keys = BroughtKeys(of: schema)
        self.thread = thread
        self.rejects = rejects
        report = progress
        pipeline = Mutex(try Self.pipeline(of: source, validator, today, options, HashedPasswords()))
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

    /// Begins the input anew, with hashes in the place of the passwords that they were made of.
    func rewind(with hashed: HashedPasswords) async throws(ImportError) {
        await end()
        let source = try await thread.importing { () throws(ImportError) in try self.source.again() }
        let anew = try Self.pipeline(of: source, validator, today, options, hashed)
        pipeline.withLock { $0 = anew }
        ledger.withLock { $0.forgetOddities() }
        if isCancelled.load(ordering: .relaxed) { stop() }
    }

    /// Lets nobody wait for batches any longer; the import ends with the one under way.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        stop()
    }

    /// Reads no more, and waits for nobody.
    func stop() {
        pipeline.withLock { $0 }.stop()
        rejects?.removeLimit()
    }

    /// Reads no more, and waits until nobody reads.
    func end() async {
        let pipeline = pipeline.withLock { $0 }
        pipeline.stop()
        await pipeline.ended()
    }

    /// Whether the import is to end before its input does; the report then says why.
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

    /// The next batch, unless the import is to end.
    func next() async throws(ImportError) -> JudgedBatch? {
        guard !mustEnd() else { return nil }
        let pipeline = pipeline.withLock { $0 }
        let outcome: Result<JudgedBatch?, ByteStreamError>
        do throws(ByteStreamError) { outcome = .success(try await pipeline.next()) } catch { outcome = .failure(error) }
        return try batch(outcome)
    }

    /// The next batch, unless the import is to end; blocks the thread.
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
            // There is no more, or it was cancelled meanwhile.
            _ = mustEnd()
            return nil
        case .failure(let error):
            throw ImportError(error)
        }
    }

    /// Waits until the sink of rejected rows can be given more of them.
    func waitForRejects() async { await rejects?.waitForRoom() }

    /// Waits as above; blocks the thread.
    func blockForRejects() { rejects?.blockUntilRoom() }

    /// Whether all or nothing was asked for, and it is not all: a row was rejected, or it ended early.
    func nothingMayStay() -> Bool {
        options.isAllOrNothing && ledger.withLock { $0.report.rejected > 0 || $0.report.earlyEnd != nil }
    }

    /// Counts what was decided, now that it is kept.
    func take(_ decided: RowDecisions) throws(ImportError) {
        keys.keys.withLock { decided.outcomes.add(to: &$0) }
        try ledger.withLock { ledger throws(ImportError) in try ledger.take(decided.outcomes) }
    }

    /// Says how far the import is, after a batch or while its passwords are hashed.
    func progress(after batch: ReadBatch) {
        let (rows, rejected) = ledger.withLock { ($0.report.rows, $0.report.rejected) }
        let hashing = hashing.withLock { $0 }
        let hashed = hashing.total > 0 ? ImportProgress.Hashing(done: hashing.done, total: hashing.total) : nil
        report(ImportProgress(rows: rows, rejected: rejected, bytes: batch.bytesRead, hashed: hashed))
    }

    /// Finds the rows of a batch that are new where nothing is stored yet; the others are counted and reported.
    func sift(_ judged: JudgedBatch) throws(ImportError) -> [Int] {
        try ledger.withLock { ledger throws(ImportError) in
            try keys.keys.withLock { keys throws(ImportError) in try ledger.sift(judged, &keys) }
        }
    }

    /// Decides on every batch where there is no store: a row is new unless an earlier one has its unique values.
    func readWithoutStore() async throws(ImportError) {
        while let judged = try await next() {
            _ = try sift(judged)
            await waitForRejects()
            progress(after: judged.batch)
        }
    }

    /// Ends the report.
    ///
    /// - Returns: The report, and why the rejected rows could not all be written.
    func finish(after duration: Duration) -> (report: ImportReport, failure: ImportError?) {
        ledger.withLock { ledger in
            var failure: ImportError?
            do throws(ImportError) { try ledger.finish(after: duration) } catch { failure = error }
            return (ledger.report, failure)
        }
    }
}

/// How far the hashing of an import's passwords is, and how fast it goes.
struct HashingPace: Sendable {
    var done = 0
    /// Of those that were found so far.
    var total = 0
    /// How many are hashed before they are stored: so many as take half a second, since so long may Ctrl-C wait for
    /// them, and a commit comes after each.
    private(set) var mostAtOnce = 16

    mutating func adjust(to duration: Duration, for count: Int) {
        let wanted = Double(count) * (Duration.milliseconds(500) / max(duration, .milliseconds(1)))
        mostAtOnce = min(max(1, Int(wanted)), 4 * max(count, 4))
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
    /// Does a part of an import that may block.
    func importing<Value: Sendable>(
        _ work: @escaping @Sendable () throws(ImportError) -> Value
    ) async throws(ImportError) -> Value {
        try await run(work) { .store(ProfileStoreError($0)) }
    }
}
