internal import CSVStream
internal import Glibc
public import ProfileCore
internal import SQLiteAccess
internal import Synchronization

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
    ///   - input: An open file; it is read once, from where it stands.
    ///   - rejects: An open descriptor to which rejected rows go as CSV; it stays the caller's to close.
    ///   - progress: Told after every batch, and while passwords are hashed.
    /// - Returns: What became of every row that was read.
    /// - Throws: ``ImportError``. `ended` carries the report of what was done before the store refused to go on.
    public func run(
        _ input: ImportInput, rejects: Int32? = nil,
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
    ) async throws(ImportError) -> ImportReport {
        let start = ContinuousClock.now
        let source = try ImportSource(input, schema: schema, options: options)
        let report = ImportReport(
            source: input.name, schema: reference, mostIssues: options.mostIssues,
            isDryRun: options.isDryRun || repository == nil)
        var writer: RejectedRowWriter?
        if let rejects {
            do throws(ByteStreamError) {
                writer = try RejectedRowWriter(
                    columns: source.columns.header, secretColumns: source.columns.secretColumns,
                    delimiter: source.delimiter, to: .descriptor(rejects))
            } catch {
                throw .writingRejects(code: error.code)
            }
        }
        let run = ImportRun(
            source: source, schema: schema, today: today, options: options, progress: progress,
            ledger: ImportLedger(report: report, schema: schema, columns: source.columns, rejects: writer))
        defer { run.pipeline.stop() }
        var failure: ImportError?
        do throws(ImportError) {
            try await withTaskCancellation(of: run) { () async throws(ImportError) in
                try await settle(run)
            }
        } catch .store(.cancelled) {
            // The batch under way is not stored; what was committed before it is reported all the same.
        } catch {
            failure = error
        }
        run.noteCancellation()
        let finished = try run.finish(after: ContinuousClock.now - start)
        guard let failure else { return finished }
        if case .store(let error) = failure, finished.rows > 0 { throw .ended(error, after: finished) }
        throw failure
    }

    private func withTaskCancellation(
        of run: ImportRun, _ body: () async throws(ImportError) -> Void
    ) async throws(ImportError) {
        let outcome: Result<Void, ImportError> = await withTaskCancellationHandler {
            do throws(ImportError) { return .success(try await body()) } catch { return .failure(error) }
        } onCancel: {
            run.cancel()
        }
        try outcome.get()
    }

    private func settle(_ run: ImportRun) async throws(ImportError) {
        guard let repository else { return try await run.settleWithoutStore() }
        let adopted = repository.adoptedSchema
        guard adopted.schema == schema else { throw .store(.schemaChanged(version: adopted.version)) }
        let target = ImportTarget(repository: repository, adopted: adopted, run: run)
        if options.isDryRun { return try await target.lookOnly() }
        if options.isAllOrNothing || options.isExclusive { return try await target.loadExclusively() }
        if !run.source.columns.hasPasswords, try target.storeIsEmpty() { return try await target.loadInBulk() }
        try await target.loadInBatches()
    }
}
