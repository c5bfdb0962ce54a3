internal import CSVStream
internal import Platform
public import ProfileCore
public import ProfileStore
internal import Threads

/// Imports a file of profiles into a store. A dry run stores nothing: it only reports the result that an import would
/// have.
///
/// The import reads the input, splits it into records, validates the records and writes them. Worker threads, one for
/// each core, split and validate the records. At the same time, the store's writer stores the batches that are already
/// validated (see <doc:Importing>). If the store is empty and there are no passwords to hash, the import uses a single
/// transaction and creates the indexes at the end. Otherwise, by default, the import commits one transaction per batch
/// and releases the write lock between two batches (I14).
public struct ProfileImporter: Sendable {
    private let repository: ProfileRepository?
    private let schema: ProfileSchema
    private let reference: SchemaReference
    private let today: CalendarDay
    private let options: ImportOptions

    /// Creates an importer that writes to a store.
    public init(repository: ProfileRepository, options: ImportOptions = ImportOptions()) {
        let adopted = repository.adoptedSchema
        self.repository = repository
        schema = adopted.schema
        reference = SchemaReference(name: schema.name, version: adopted.version, fingerprint: adopted.fingerprint)
        today = repository.today
        self.options = options
    }

    /// Creates an importer that validates the input without a store. The importer stores nothing. It finds duplicates
    /// only within the input (I6).
    public init(schema: ProfileSchema, today: CalendarDay, options: ImportOptions = ImportOptions()) {
        repository = nil
        self.schema = schema
        reference = SchemaReference(name: schema.name, version: nil, fingerprint: schema.fingerprint)
        self.today = today
        self.options = options
    }

    /// Imports the input until the input ends, a limit is reached, or the task is cancelled.
    ///
    /// If the task is cancelled, the import ends after the current batch or transaction. The effect of a cancellation
    /// during password hashing depends on the number of transactions. With several transactions, the import still
    /// stores the rows of the passwords that it is hashing. With a single transaction, it stores nothing. Committed
    /// rows stay in the store, and the report counts them.
    /// - Parameters:
    ///   - input: The source of the bytes. A file must not change during the import.
    ///   - rejects: The sink that receives the rejected rows as CSV. A child task calls the sink. If the sink still has
    ///     many bytes to write after a batch, the import waits. At the end, the import waits until the sink has written
    ///     all bytes.
    ///   - progress: A closure that the import calls after every batch and during password hashing.
    /// - Returns: A report with the outcome of every row that was read.
    /// - Throws: ``ImportError``. The error `ended` contains the report of the rows processed before the failure.
    public func run(
        _ input: ImportInput, rejects: ChunkSink? = nil,
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws(ImportError) -> ImportReport {
        guard let rejects else { return try await run(input, rejects: nil as ByteChannel?, progress) }
        return try await run(input, progress) { channel in await rejects.drain(channel).map { .writingToSink($0) } }
    }

    /// Imports the input and writes rejected rows to an open file descriptor, which the caller closes. A separate
    /// thread writes the rejected rows, because writing to a pipe may block. After a cancellation, this thread still
    /// writes all remaining rejected rows.
    package func run(
        _ input: ImportInput, rejects: Int32?, progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws(ImportError) -> ImportReport {
        guard let rejects else { return try await run(input, rejects: nil as ByteChannel?, progress) }
        return try await run(input, progress) { channel in
            await ByteSink.descriptor(rejects).drain(channel).map { ImportError(writingRejects: $0) }
        }
    }

    /// Imports the input while `drain` writes the rejected rows to their destination. `drain` returns an error if it
    /// could not write all rejected rows.
    private func run(
        _ input: ImportInput, _ progress: @escaping @Sendable (ImportProgress) -> Void,
        drain: @escaping @Sendable (ByteChannel) async -> ImportError?
    ) async throws(ImportError) -> ImportReport {
        let channel = ByteChannel()
        async let undelivered = drain(channel)
        var outcome: Result<ImportReport, ImportError>
        do throws(ImportError) {
            outcome = .success(try await run(input, rejects: channel, progress))
        } catch {
            outcome = .failure(error)
        }
        channel.finish()
        if let failure = await undelivered { outcome = outcome.lacking(rejects: failure) }
        return try outcome.get()
    }

    private func run(
        _ input: ImportInput, rejects: ByteChannel?, _ progress: @escaping @Sendable (ImportProgress) -> Void
    ) async throws(ImportError) -> ImportReport {
        let start = ContinuousClock.now
        var report = ImportReport(
            source: input.name, schema: reference, mostIssues: options.mostIssues,
            isDryRun: options.isDryRun || repository == nil, startedAt: repository?.options.now() ?? .now(),
            store: repository?.engine.place)
        let thread = ThreadPool(threads: 1)
        let reading = try reading(of: input)
        // After all reads, the interruption is reset, because the input may be read again.
        defer { reading.interruption.reset() }
        guard let source = try await open(reading, on: thread) else {
            report.earlyEnd = .cancelled
            report.seconds = (ContinuousClock.now - start) / .seconds(1)
            return report
        }
        if !source.columns.hasPasswords, !input.isRepeatable { reading.repeatable?.readOnce() }
        report.format = source.format
        report.keyField = source.columns.keyName
        if source.isEncodingGuessed { report.warnings.append(.guessedEncoding(source.encoding.name)) }
        if let line = source.foundHeaderLine { report.warnings.append(.linesAboveHeader(line: line)) }
        report.warnings += source.columns.table?.warnings ?? []
        report.rejectsOmitColumns = !omitted(of: source).isEmpty
        let run = try ImportRun(
            source: source, schema: schema, today: today, options: options, thread: thread, progress: progress,
            ledger: ImportLedger(
                report: report, schema: schema, columns: source.columns,
                remembersRejected: options.remembersRejectedRecords,
                rejects: try rejects.map { rejects throws(ImportError) in try writer(of: source, to: rejects.sink) }),
            rejects: rejects)
        var failure: ImportError?
        do throws(ImportError) {
            try await withTaskCancellation { () async throws(ImportError) in
                try await read(run)
            } onCancel: {
                run.cancel()
            }
        } catch {
            // The sink of rejected rows may throw because of a cancellation before `onCancel` is called. `mustEnd()`
            // below must already return true then.
            if Task.isCancelled { run.cancel() }
            // If the cancellation only ended the wait for a queued write or hash computation, the import did not fail.
            if !error.isCancellation || !run.mustEnd() { failure = error }
        }
        run.stop()
        reading.interruption.interrupt()
        await run.end()
        var (finished, unwritten) = run.finish(after: ContinuousClock.now - start)
        finished.warnings += reading.sheet?.warnings ?? []
        // If the sink could not write the last rejected rows because of a cancellation, the import did not fail either.
        if let unwritten, !unwritten.isCancellation || !Task.isCancelled { failure = failure ?? unwritten }
        guard let failure else { return finished }
        throw finished.rows > 0 ? .ended(failure, after: finished) : failure
    }

    /// Starts reading the input. If the import must read the input twice, but the input can be read only once, the
    /// first reading copies the input.
    private func reading(of input: ImportInput) throws(ImportError) -> InputReading {
        guard isReadTwice, !input.isRepeatable else { return try InputReading(input) }
        return try RepeatableInput(input, keptIn: options.temporaryFolder).reading()
    }

    /// Reads the header. If the input is a stream, this call may wait for bytes.
    ///
    /// - Returns: The source, or nil if the task was cancelled during the read.
    private func open(_ reading: InputReading, on thread: ThreadPool) async throws(ImportError) -> ImportSource? {
        do throws(ImportError) {
            return try await reading.blocking(thread) { () throws(ImportError) in
                try ImportSource(reading, schema: schema, options: options)
            }
        } catch {
            // A cancelled read may return only a part of the header. An error about such a header may be wrong.
            if Task.isCancelled { return nil }
            throw error
        }
    }

    /// Whether the import reads the input twice. An import in a single transaction does so if the schema has a
    /// password; see ``StoreImport/loadHashedFirst()``.
    private var isReadTwice: Bool { repository != nil && isExclusive && schema.hasPassword && !options.isDryRun }

    private var isExclusive: Bool { options.isAllOrNothing || options.isExclusive }

    private func omitted(of source: ImportSource) -> Set<Int> {
        options.keepsIgnoredColumns ? [] : source.columns.ignoredColumns
    }

    private func writer(of source: ImportSource, to sink: ByteSink) throws(ImportError) -> RejectedRowWriter {
        do throws(ByteStreamError) {
            return try RejectedRowWriter(
                columns: source.columns.header, secretColumns: source.columns.secretColumns,
                omittedColumns: omitted(of: source), namesCells: source.columns.table == nil,
                computedKey: source.columns.keyOfRejects,
                delimiter: source.delimiter, isMarked: source.encoding != .utf8, to: sink)
        } catch {
            throw ImportError(writingRejects: error)
        }
    }

    private func withTaskCancellation<Value: Sendable>(
        _ body: () async throws(ImportError) -> Value, onCancel: @Sendable () -> Void
    ) async throws(ImportError) -> Value {
        let outcome: Result<Value, ImportError> = await withTaskCancellationHandler {
            do throws(ImportError) { return .success(try await body()) } catch { return .failure(error) }
        } onCancel: {
            onCancel()
        }
        return try outcome.get()
    }

    private func read(_ run: ImportRun) async throws(ImportError) {
        guard let repository else { return try await run.readWithoutStore() }
        let adopted = repository.adoptedSchema
        do throws(ProfileStoreError) { try adopted.require(schema) } catch { throw .store(error) }
        let target = StoreImport(
            repository: repository, adopted: adopted, run: run,
            origin: ChangeOrigin(ofManyTransactionsFrom: run.options.source))
        if options.isDryRun { return try await target.lookOnly() }
        if isExclusive, run.source.columns.hasPasswords { return try await target.loadHashedFirst() }
        if isExclusive || !run.source.columns.hasPasswords, try await target.loadAtOnce(evenIfUsed: isExclusive) {
            return
        }
        try await target.loadInBatches()
    }
}

extension Result<ImportReport, ImportError> {
    /// Returns the outcome of an import that could not write some rejected rows. A success becomes a failure, unless the
    /// task was cancelled.
    fileprivate func lacking(rejects error: ImportError) -> Self {
        switch self {
        case .success(var report):
            report.hasWrittenRejects = false
            if error.isCancellation, Task.isCancelled { return .success(report) }
            return .failure(report.rows > 0 ? .ended(error, after: report) : error)
        case .failure(.ended(let error, after: var report)):
            report.hasWrittenRejects = false
            return .failure(.ended(error, after: report))
        case .failure: return self
        }
    }
}

extension ImportError {
    /// Whether this error only means that the task was cancelled.
    fileprivate var isCancellation: Bool {
        switch self {
        case .store(.cancelled): true
        case .writingToSink(let failure): failure.error is CancellationError
        default: false
        }
    }
}
