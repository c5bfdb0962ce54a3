internal import CSVStream
internal import Glibc
internal import ProfileCore
internal import Synchronization

/// One import under way: the pipeline that reads and judges, and the ledger of what has come of it.
final class ImportRun: Sendable {
    let source: ImportSource
    let options: ImportOptions
    let today: CalendarDay
    let validator: ProfileValidator
    let ledger: Mutex<ImportLedger>
    private let pipeline: Mutex<Pipeline>
    private let report: @Sendable (ImportProgress) -> Void
    private let isCancelled = Atomic(false)
    private let thread: ImportThread

    private typealias Pipeline = OrderedPipeline<ReadBatch, JudgedBatch, ByteStreamError>

    init(
        source: ImportSource, schema: ProfileSchema, today: CalendarDay, options: ImportOptions, thread: ImportThread,
        progress: @escaping @Sendable (ImportProgress) -> Void, ledger: consuming ImportLedger
    ) {
        self.source = source
        self.options = options
        self.today = today
        validator = ProfileValidator(schema)
        self.ledger = Mutex(ledger)
        self.thread = thread
        report = progress
        pipeline = Mutex(Self.pipeline(of: source, validator, today, options, HashedPasswords()))
    }

    private static func pipeline(
        of source: ImportSource, _ validator: ProfileValidator, _ today: CalendarDay, _ options: ImportOptions,
        _ hashed: HashedPasswords
    ) -> Pipeline {
        let columns = source.columns
        let workers = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        return OrderedPipeline(workers: workers, depth: workers + 3) { () throws(ByteStreamError) in
            try source.next()
        } process: { batch in
            var judged = JudgedBatch(
                batch, columns: columns, validator: validator, today: today,
                isCompletedByStore: options.duplicates == .update)
            judged.replacePasswords(by: hashed, columns)
            return judged
        }
    }

    /// Begins the input anew, with hashes in the place of the passwords that they were made of.
    func rewind(with hashed: HashedPasswords) async throws(ImportError) {
        await end()
        let source = try await thread.run { () throws(ImportError) in try self.source.again() }
        pipeline.withLock { $0 = Self.pipeline(of: source, validator, today, options, hashed) }
        if isCancelled.load(ordering: .relaxed) { stop() }
    }

    /// Lets nobody wait for batches any longer; the import ends with the one under way.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        stop()
    }

    /// Reads no more.
    func stop() { pipeline.withLock { $0 }.stop() }

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

    /// The next batch, unless the import is to end; blocks the thread.
    func next() throws(ImportError) -> JudgedBatch? {
        guard !mustEnd() else { return nil }
        do throws(ByteStreamError) {
            if let batch = try pipeline.withLock({ $0 }).next() { return batch }
        } catch {
            throw ImportError(error)
        }
        // There is no more, or it was cancelled meanwhile.
        _ = mustEnd()
        return nil
    }

    /// The next batch, waited for on a thread that may block.
    func nextAsynchronously() async throws(ImportError) -> JudgedBatch? {
        try await thread.run { () throws(ImportError) in try self.next() }
    }

    /// Says how far the import is, after a batch or while its passwords are hashed.
    func progress(after batch: ReadBatch, hashed: (done: Int, total: Int)? = nil) {
        let (rows, rejected) = ledger.withLock { ($0.report.rows, $0.report.rejected) }
        report(ImportProgress(rows: rows, rejected: rejected, bytes: batch.bytesRead, hashed: hashed))
    }

    /// Finds the rows of a batch that are new where nothing is stored yet; the others are counted and reported.
    func sift(_ judged: JudgedBatch) throws(ImportError) -> [Int] {
        try ledger.withLock { ledger throws(ImportError) in try ledger.sift(judged) }
    }

    /// Settles every batch where there is no store: a row is new unless an earlier one has its unique values.
    func settleWithoutStore() async throws(ImportError) {
        while let judged = try await nextAsynchronously() {
            _ = try sift(judged)
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

extension ImportReport {
    fileprivate func isOver(_ limit: ImportOptions.RejectLimit?) -> Bool {
        switch limit {
        case nil: false
        case .count(let most): rejected > most
        case .percent(let most): rows >= 1_000 && Double(rejected) * 100 > most * Double(rows)
        }
    }
}
