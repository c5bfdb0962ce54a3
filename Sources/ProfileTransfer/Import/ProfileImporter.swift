internal import CSVStream
internal import Platform
public import ProfileCore
public import ProfileStore
internal import Synchronization
internal import Threads

/// Brings a file of profiles into a store, or says what bringing it there would do.
///
/// Read → split into records → judge → write: workers take turns at splitting and judge side by side on the cores
/// there are, while the store's writer stores what they judged before (see <doc:Importing>). A store that is empty gets
/// one transaction and its indexes afterwards, unless there are passwords to hash; one that others use gets a
/// transaction a batch, with the write lock given back between (I14).
public struct ProfileImporter: Sendable {
    private let repository: ProfileRepository?
    private let schema: ProfileSchema
    private let reference: SchemaReference
    private let today: CalendarDay
    private let options: ImportOptions

    /// Prepares an import into a store.
    public init(repository: ProfileRepository, options: ImportOptions = ImportOptions()) {
        let adopted = repository.adoptedSchema
        self.repository = repository
        schema = adopted.schema
        reference = SchemaReference(name: schema.name, version: adopted.version, fingerprint: adopted.fingerprint)
        today = repository.today
        self.options = options
    }

    /// Prepares a validation without a store: nothing is written, and duplicates are those within the input (I6).
    public init(schema: ProfileSchema, today: CalendarDay, options: ImportOptions = ImportOptions()) {
        repository = nil
        self.schema = schema
        reference = SchemaReference(name: schema.name, version: nil, fingerprint: schema.fingerprint)
        self.today = today
        self.options = options
    }

    /// Reads the input to its end, or to where a limit or the task's cancellation ends it.
    ///
    /// Cancelling the task ends the import in order: the batch under way is finished, or dropped while its passwords are
    /// hashed; what was committed stays, and the report says so.
    /// - Parameters:
    ///   - input: Where the bytes come from; a file must not change meanwhile.
    ///   - rejects: Where rejected rows go as CSV. It is called in a task of this one's, which waits for it after a batch
    ///     if much is left to be written, and at the end for all of it.
    ///   - progress: Told after every batch, and while passwords are hashed.
    /// - Returns: What became of every row that was read.
    /// - Throws: ``ImportError``. `ended` carries the report of what was done before it could not go on.
    public func run(
        _ input: ImportInput, rejects: ChunkSink? = nil,
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws(ImportError) -> ImportReport {
        guard let rejects else { return try await run(input, rejects: nil as ByteChannel?, progress) }
        return try await run(input, progress) { channel in await rejects.drain(channel).map { .writingToSink($0) } }
    }

    /// Imports as above; rejected rows go to an open descriptor that stays the caller's to close. A thread of its own
    /// writes them, since a pipe may keep it waiting, and writes to the end what a cancelled import has rejected.
    package func run(
        _ input: ImportInput, rejects: Int32?, progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws(ImportError) -> ImportReport {
        guard let rejects else { return try await run(input, rejects: nil as ByteChannel?, progress) }
        return try await run(input, progress) { channel in
            await ByteSink.descriptor(rejects).drain(channel).map { ImportError(writingRejects: $0) }
        }
    }

    /// Imports as above; `drain` takes the rejected rows to where they belong, and returns why it could not take them all.
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
        // When nobody reads any more, the input may be read again.
        defer { reading.interruption.reset() }
        guard let source = try await open(reading, on: thread) else {
            report.earlyEnd = .cancelled
            report.seconds = (ContinuousClock.now - start) / .seconds(1)
            return report
        }
        if !source.columns.hasPasswords, !input.isRepeatable { reading.repeatable?.readOnce() }
        report.format = source.format
        if source.isEncodingGuessed { report.warnings.append(.guessedEncoding(source.encoding.name)) }
        report.rejectsOmitColumns = !omitted(of: source).isEmpty
        let run = try ImportRun(
            source: source, schema: schema, today: today, options: options, thread: thread, progress: progress,
            ledger: ImportLedger(
                report: report, schema: schema, columns: source.columns,
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
            // The sink of rejected rows may have heard of it before the run has.
            if Task.isCancelled { run.cancel() }
            // A write or a hash whose turn had not come when the task was cancelled: that is no failure.
            if !error.isCancellation || !run.mustEnd() { failure = error }
        }
        run.stop()
        reading.interruption.interrupt()
        await run.end()
        let (finished, unwritten) = run.finish(after: ContinuousClock.now - start)
        // Nor is it one that the sink takes no last rows then.
        if let unwritten, !unwritten.isCancellation || !Task.isCancelled { failure = failure ?? unwritten }
        guard let failure else { return finished }
        throw finished.rows > 0 ? .ended(failure, after: finished) : failure
    }

    /// Begins to read. An input that may have passwords, and can be read once only, is copied, so that it can be read twice.
    private func reading(of input: ImportInput) throws(ImportError) -> InputReading {
        guard isReadTwice, !input.isRepeatable else { return try InputReading(input) }
        return try RepeatableInput(input, keptIn: options.temporaryFolder).reading()
    }

    /// Reads the header, for which a stream may keep one waiting.
    ///
    /// - Returns: Nil if the task was cancelled meanwhile.
    private func open(_ reading: InputReading, on thread: ThreadPool) async throws(ImportError) -> ImportSource? {
        do throws(ImportError) {
            return try await reading.blocking(thread) { () throws(ImportError) in
                try ImportSource(reading, schema: schema, options: options)
            }
        } catch {
            // Of a header that was not read whole nothing can be said.
            if Task.isCancelled { return nil }
            throw error
        }
    }

    /// Whether the input is read twice: see ``StoreImport/loadHashedFirst()``.
    private var isReadTwice: Bool { repository != nil && isExclusive && schema.hasPassword && !options.isDryRun }

    private var isExclusive: Bool { options.isAllOrNothing || options.isExclusive }

    private func omitted(of source: ImportSource) -> Set<Int> {
        options.keepsIgnoredColumns ? [] : source.columns.ignoredColumns
    }

    private func writer(of source: ImportSource, to sink: ByteSink) throws(ImportError) -> RejectedRowWriter {
        do throws(ByteStreamError) {
            return try RejectedRowWriter(
                columns: source.columns.header, secretColumns: source.columns.secretColumns,
                omittedColumns: omitted(of: source),
                numberedKey: source.columns.numberedField == nil ? nil : source.columns.keyName,
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
        guard adopted.schema == schema else { throw .store(.schemaChanged(version: adopted.version)) }
        let target = StoreImport(repository: repository, adopted: adopted, run: run)
        if options.isDryRun { return try await target.lookOnly() }
        if isExclusive, run.source.columns.hasPasswords { return try await target.loadHashedFirst() }
        if isExclusive || !run.source.columns.hasPasswords, try await target.loadAtOnce(evenIfUsed: isExclusive) {
            return
        }
        try await target.loadInBatches()
    }
}

extension Result<ImportReport, ImportError> {
    /// The outcome of an import whose rejected rows were not all written.
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
    /// Whether nothing but the task's cancellation is the reason.
    fileprivate var isCancellation: Bool {
        switch self {
        case .store(.cancelled): true
        case .writingToSink(let failure): failure.error is CancellationError
        default: false
        }
    }
}
