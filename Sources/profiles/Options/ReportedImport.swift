internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer
internal import TextLayout

/// One run of the importer as the commands `import` and `validate` make it: input, progress, rejected rows, report.
struct ReportedImport {
    let global: GlobalOptions
    let input: ImportInputOptions
    /// Where the rows go; nil where they are only judged.
    var store: ProfileRepository?
    /// What becomes of rows whose profiles are stored already.
    var duplicates = ImportOptions.DuplicatePolicy.reject
    /// What it is for.
    var attempt = ImportAttempt.judging
    /// The line of shell that goes on where it was interrupted.
    var goingOn: String?
    /// The input where it was read before, and is read again from its beginning.
    var readBefore: ImportInput?

    /// Runs it and shows its report. Where rows were rejected that ends in a failure without text: the report has
    /// said it.
    func run(_ importer: ProfileImporter, _ file: borrowing InputFile) async throws {
        var spared = FilePlaces()
        spared.insert(descriptor: file.descriptor)
        var outcome: Outcome
        do {
            outcome = try await importing(importer, file, sparing: spared)
        } catch {
            if await isStoreRemoved(), isStoreNamed { noteRemoval() }
            guard let error = error as? ImportError else { throw error }
            throw CommandFailure(error, attempting: attempt)
        }
        outcome.isStoreRemoved = await isStoreRemoved()
        if let rejects = input.rejects { spared.insert(rejects) }
        try tell(outcome, sparing: spared)
        if outcome.isStoreRemoved, isStoreNamed || outcome.report.earlyEnd != .cancelled { noteRemoval() }
        if let failure = outcome.failure { throw failure }
        if outcome.report.earlyEnd == .cancelled, let goingOn {
            global.note((input.file == "-" ? "Give the same input again to: " : "Go on with: ") + goingOn)
        }
        if outcome.report.earlyEnd == .cancelled { throw CommandFailure(.interrupted, lines: []) }
        if outcome.report.rejected > 0 || outcome.report.earlyEnd != nil { throw CommandFailure(.no, lines: []) }
    }

    /// Removes a store that was made for nothing. That it cannot be removed says nothing of how the import went.
    private func isStoreRemoved() async -> Bool { (try? await store?.removeIfUnused()) ?? false }

    /// Whether somebody has named the store, and so was asked about making it, or told.
    private var isStoreNamed: Bool { global.store.database != nil }

    private func noteRemoval() {
        global.note("No row was stored, so that the store that was made for them is removed again.")
    }

    /// What an import has come to.
    private struct Outcome {
        let report: ImportReport
        /// Why it could not go on; what was committed before stays, and is in the report.
        var failure: (any Error)?
        /// Whether the file of rejected rows has all that there are.
        var hasRejects = false
        /// Whether the store was made for this import, got no row, and is gone again.
        var isStoreRemoved = false
    }

    private func importing(
        _ importer: ProfileImporter, _ file: borrowing InputFile, sparing spared: FilePlaces
    ) async throws -> Outcome {
        guard let path = input.rejects else { return try await importing(importer, file, rejects: nil) }
        let rejects = try global.outputFile(path, replacing: input.force, sparing: spared)
        var outcome = try await importing(importer, file, rejects: rejects.descriptor)
        // What is not whole does not take the place of what was there.
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
        let bar = ProgressBar(byteCount: file.byteCount, isQuiet: global.quiet)
        defer { bar?.end() }
        let source =
            readBefore ?? ImportInput(descriptor: file.descriptor, name: file.path, byteCount: file.byteCount)
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
        // The file first: whoever reads the output may be gone.
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
            Output.error.note("The rejected rows are not in \(path.visible); what was there before is as it was.")
        }
        if let failure { throw failure }
        if let path = input.report, global.format == .text { global.note("The whole report is in \(path.visible).") }
    }

    private func show(_ outcome: Outcome) throws(CommandFailure) {
        let report = outcome.report
        switch global.format {
        case .json: try Output.standard.print(report.rendered(as: .json))
        case .text:
            try Output.standard.print(report.summary(examples: 3))
            if let rejects = input.rejects, outcome.hasRejects, report.rejected > 0 {
                let omission = report.rejectsOmitColumns ? ", and ignored columns are left out" : ""
                let mending = outcome.isStoreRemoved ? nil : mending(rejects, report)
                try Output.standard.print(
                    """

                    Rejected rows are in \(rejects.visible)\(mending == nil ? ", to be mended and imported again" : ""); \
                    columns of secrets are empty there\(omission).
                    """)
                if let mending { try Output.standard.print("Mend them with: \(mending.visible)") }
            }
        }
    }

    /// The line of shell that mends the rejected rows one by one. Nil where the others are not stored.
    private func mending(_ rejects: String, _ report: ImportReport) -> String? {
        if report.isDryRun || report.earlyEnd == .nothingStored { return nil }
        // A name that looks like an option is none with its folder before it.
        let file = rejects.hasPrefix("-") ? "./" + rejects : rejects
        var words = [CommandArguments.ownName, "mend", file] + input.wordsForRejects(of: report.format)
        if duplicates != .reject { words += ["--on-duplicate", duplicates.rawValue] }
        if let database = global.store.database { words += ["--database", database] }
        return CommandArguments.line(words)
    }
}
