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
    ///   - input: An open file; it is read from where it stands. It must not change meanwhile.
    ///   - rejects: An open descriptor to which rejected rows go as CSV; it stays the caller's to close.
    ///   - progress: Told after every batch, and while passwords are hashed.
    /// - Returns: What became of every row that was read.
    /// - Throws: ``ImportError``. `ended` carries the report of what was done before it could not go on.
    public func run(
        _ input: ImportInput, rejects: Int32? = nil,
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws(ImportError) -> ImportReport {
        let start = ContinuousClock.now
        var report = ImportReport(
            source: input.name, schema: reference, mostIssues: options.mostIssues,
            isDryRun: options.isDryRun || repository == nil, startedAt: repository?.options.now() ?? .now(),
            store: repository?.engine.place)
        let thread = ThreadPool(threads: 1)
        guard let source = try await open(input, on: thread) else {
            report.earlyEnd = .cancelled
            report.seconds = (ContinuousClock.now - start) / .seconds(1)
            return report
        }
        report.format = source.format
        if source.isEncodingGuessed { report.warnings.append(.guessedEncoding(source.encoding.name)) }
        report.rejectsOmitColumns = !omitted(of: source).isEmpty
        let run = try ImportRun(
            source: source, schema: schema, today: today, options: options, thread: thread, progress: progress,
            ledger: ImportLedger(
                report: report, schema: schema, columns: source.columns,
                rejects: try rejects.map { descriptor throws(ImportError) in try writer(of: source, to: descriptor) }))
        var failure: ImportError?
        do throws(ImportError) {
            try await withTaskCancellation { () async throws(ImportError) in
                try await read(run)
            } onCancel: {
                run.cancel()
            }
        } catch {
            // A write or a hash whose turn had not come when the task was cancelled: that is no failure.
            if error != .store(.cancelled) || !run.mustEnd() { failure = error }
        }
        run.stop()
        source.interruption.interrupt()
        await run.end()
        // Nobody reads any more, and the input may be read again.
        source.interruption.reset()
        let (finished, unwritten) = run.finish(after: ContinuousClock.now - start)
        guard let failure = failure ?? unwritten else { return finished }
        throw finished.rows > 0 ? .ended(failure, after: finished) : failure
    }

    /// Reads the header, for which a pipe may keep one waiting.
    ///
    /// - Returns: Nil if the task was cancelled meanwhile.
    private func open(_ input: ImportInput, on thread: ThreadPool) async throws(ImportError) -> ImportSource? {
        let interruption: ReadInterruption
        if let repeatable = input.repeatable {
            interruption = repeatable.interruption
        } else {
            interruption = try .ofInput()
        }
        do throws(ImportError) {
            let source = try await withTaskCancellation { () async throws(ImportError) in
                try await thread.importing { () throws(ImportError) in
                    try ImportSource(
                        input, interruptedBy: interruption, schema: schema, options: options,
                        copiedTo: templateOfCopy)
                }
            } onCancel: {
                interruption.interrupt()
            }
            return Task.isCancelled ? nil : source
        } catch {
            // Of a header that was not read whole nothing can be said.
            if Task.isCancelled { return nil }
            throw error
        }
    }

    /// One transaction takes two turns where there may be passwords: see ``StoreImport/loadHashedFirst()``.
    private var templateOfCopy: [CChar]? {
        guard let repository, isExclusive, schema.hasPassword, !options.isDryRun else { return nil }
        return repository.engine.scratchFileTemplate
    }

    private var isExclusive: Bool { options.isAllOrNothing || options.isExclusive }

    private func omitted(of source: ImportSource) -> Set<Int> {
        options.keepsIgnoredColumns ? [] : source.columns.ignoredColumns
    }

    private func writer(of source: ImportSource, to descriptor: Int32) throws(ImportError) -> RejectedRowWriter {
        do throws(ByteStreamError) {
            return try RejectedRowWriter(
                columns: source.columns.header, secretColumns: source.columns.secretColumns,
                omittedColumns: omitted(of: source),
                numberedKey: source.columns.numberedField == nil ? nil : source.columns.keyName,
                delimiter: source.delimiter, isMarked: source.encoding != .utf8, to: .descriptor(descriptor))
        } catch {
            throw .writingRejects(code: error.code)
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
