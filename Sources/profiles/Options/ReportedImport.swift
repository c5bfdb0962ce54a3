internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer
internal import TextLayout

/// One run of the importer for the commands `import` and `validate`: input, progress, rejected rows, report.
struct ReportedImport {
    let global: GlobalOptions
    let input: ImportInputOptions
    /// The import settings of the store's schema. Without a store, the settings of the schema that validates the rows.
    let settings: ImportSettings
    /// The store of the import. Nil if the rows are validated without a store.
    var store: ProfileRepository?
    /// The action for rows whose profiles are already stored.
    var duplicates = ImportOptions.DuplicatePolicy.reject
    /// The purpose of the run, for error messages.
    var attempt = ImportAttempt.judging
    /// The shell command that continues an interrupted import.
    var goingOn: String?
    /// The input, if the command has already read it. It can be read again from its start.
    var readBefore: ImportInput?

    /// Runs the import and shows its report.
    ///
    /// - Throws: A failure without text if rows were rejected or the import ended early, because the report already
    ///   says so.
    func run(_ importer: ProfileImporter, _ file: borrowing InputFile) async throws {
        var spared = FilePlaces()
        spared.insert(descriptor: file.descriptor)
        var outcome: Outcome
        do {
            outcome = try await importing(importer, file, sparing: spared)
        } catch {
            if await isStoreRemoved(), isStoreNamed { noteRemoval() }
            guard let error = error as? ImportError else { throw error }
            if let failure = input.source.failure(error, of: store?.schema) { throw failure }
            throw CommandFailure(error, attempting: attempt)
        }
        outcome.isStoreRemoved = await isStoreRemoved()
        if let rejects = input.rejects { spared.insert(rejects) }
        try tell(outcome, sparing: spared)
        if outcome.isStoreRemoved, isStoreNamed || outcome.report.earlyEnd != .cancelled { noteRemoval() }
        if let failure = outcome.failure { throw failure }
        if outcome.report.earlyEnd == .cancelled, let goingOn {
            global.note((input.file == "-" ? "Give the same input again to: " : "Continue with: ") + goingOn)
        }
        if outcome.report.earlyEnd == .cancelled { throw CommandFailure(.interrupted, lines: []) }
        if outcome.report.rejected > 0 || outcome.report.earlyEnd != nil { throw CommandFailure(.no, lines: []) }
    }

    /// Removes the store if this run created it and nothing was stored. Returns whether the store was removed. If the
    /// removal fails, this does not change the result of the import.
    private func isStoreRemoved() async -> Bool { (try? await store?.removeIfUnused()) ?? false }

    /// Whether the user named the store. If so, the user was asked about the creation of the store, or was told about
    /// it.
    private var isStoreNamed: Bool { global.store.database != nil }

    private func noteRemoval() {
        global.note("No row was stored, so the store that was created for this import was removed.")
    }

    /// The result of an import.
    private struct Outcome {
        let report: ImportReport
        /// The error that ended the import early. Rows that were committed before the error stay stored, and the report
        /// contains them.
        var failure: (any Error)?
        /// Whether the file of rejected rows is complete.
        var hasRejects = false
        /// Whether the store was removed, because it was created for this import and no row was stored.
        var isStoreRemoved = false
    }

    private func importing(
        _ importer: ProfileImporter, _ file: borrowing InputFile, sparing spared: FilePlaces
    ) async throws -> Outcome {
        guard let path = input.rejects else { return try await importing(importer, file, rejects: nil) }
        let rejects = try global.outputFile(path, replacing: input.force, sparing: spared)
        var outcome = try await importing(importer, file, rejects: rejects.descriptor)
        // If the new file is incomplete, it does not replace the existing file.
        guard outcome.report.hasWrittenRejects else { return outcome }
        do {
            try rejects.commit()
            outcome.hasRejects = true
        } catch {
            outcome.failure = outcome.failure ?? error
        }
        return outcome
    }

    private func importing(
        _ importer: ProfileImporter, _ file: borrowing InputFile, rejects: Int32?
    ) async throws -> Outcome {
        let source = try readBefore ?? input.source.input(file, usual: settings.layout)
        let bar = ProgressBar(byteCount: source.byteCount, isQuiet: global.quiet)
        defer { bar?.end() }
        do {
            let report = try await Interruption.cancelling(isQuiet: global.quiet) {
                try await importer.run(source, rejects: rejects) { bar?.update($0) }
            }
            return Outcome(report: report)
        } catch ImportError.ended(let error, let unfinished) {
            return Outcome(report: unfinished, failure: error)
        }
    }

    private func tell(_ outcome: Outcome, sparing spared: FilePlaces) throws(CommandFailure) {
        let report = outcome.report
        // The report file is written before standard output, because writing to standard output fails if the program at
        // the other end of the pipe has ended.
        var failure: CommandFailure?
        if let path = input.report {
            do throws(CommandFailure) {
                try global.write(
                    report.rendered(as: ReportFile.format(path)), to: path, replacing: input.force, sparing: spared)
            } catch {
                failure = error
            }
        }
        try show(outcome)
        if let path = input.rejects, !outcome.hasRejects, report.rejected > 0 {
            Output.error.note("The rejected rows were not written to \(path.visible); an existing file is unchanged.")
        }
        if let failure { throw failure }
        if let path = input.report, global.format == .text { global.note("The whole report is in \(path.visible).") }
    }

    /// Whether `--quiet` suppresses the report. It does only if the import has stored the whole file. A validation or a
    /// dry run always shows its report, because the report is its only result.
    private func isSuppressed(_ outcome: Outcome) -> Bool {
        global.quiet && attempt != .judging && outcome.failure == nil && outcome.report.rejected == 0
            && outcome.report.earlyEnd == nil
    }

    private func show(_ outcome: Outcome) throws(CommandFailure) {
        let report = outcome.report
        switch global.format {
        case .json: try Output.standard.print(report.rendered(as: .json))
        case .text where isSuppressed(outcome): break
        case .text:
            try Output.standard.print(report.summary(examples: 3))
            if let rejects = input.rejects, outcome.hasRejects, report.rejected > 0 {
                let omission = report.rejectsOmitColumns ? ", and ignored columns are left out" : ""
                let withheld =
                    report.rejectsWithholdRows ? "; rows whose cells do not fit the columns have no values there" : ""
                let mending = outcome.isStoreRemoved ? nil : mending(rejects, report)
                try Output.standard.print(
                    """

                    Rejected rows are in \(rejects.visible)\(mending == nil ? ", to be mended and imported again" : ""); \
                    columns of secrets are empty there\(omission)\(withheld).
                    """)
                if let mending { try Output.standard.print("Mend them with: \(mending.visible)") }
            }
        }
    }

    /// Returns the shell command that mends the rejected rows one by one. Nil if the accepted rows were not stored.
    private func mending(_ rejects: String, _ report: ImportReport) -> String? {
        if report.isDryRun || report.earlyEnd == .nothingStored { return nil }
        // If the name begins with a hyphen, it gets the prefix `./`. Otherwise the name would be read as an option.
        let file = rejects.hasPrefix("-") ? "./" + rejects : rejects
        var words = [CommandArguments.ownName, "mend", file] + input.wordsForRejects(of: report.format)
        if duplicates != .reject { words += ["--on-duplicate", duplicates.rawValue] }
        if let database = global.store.database { words += ["--database", database] }
        return CommandArguments.line(words)
    }
}
