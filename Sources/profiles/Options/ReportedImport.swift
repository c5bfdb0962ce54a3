internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer
internal import TextLayout

/// One run of the importer as the commands `import` and `validate` make it: input, progress, rejected rows, report.
struct ReportedImport {
    let global: GlobalOptions
    let input: ImportInputOptions
    /// Files that neither report nor rejected rows may replace, besides the input.
    var spared = FilePlaces()
    /// The line of shell that goes on where it was interrupted.
    var goingOn: String?
    /// The input where it was read before, and is read again from its beginning.
    var readBefore: ImportInput?

    /// Runs it and shows its report. Where rows were rejected that ends in a failure without text: the report has
    /// said it.
    func run(_ importer: ProfileImporter, _ file: borrowing InputFile) async throws {
        var spared = spared
        spared.insert(descriptor: file.descriptor)
        let outcome = try await importing(importer, file, sparing: spared)
        if let rejects = input.rejects { spared.insert(rejects) }
        try tell(outcome, sparing: spared)
        if let failure = outcome.failure { throw failure }
        if outcome.report.earlyEnd == .cancelled, let goingOn {
            global.note((input.file == "-" ? "Give the same input again to: " : "Go on with: ") + goingOn)
        }
        if outcome.report.earlyEnd == .cancelled { throw CommandFailure(.interrupted, lines: []) }
        if outcome.report.rejected > 0 || outcome.report.earlyEnd != nil { throw CommandFailure(.no, lines: []) }
    }

    /// What an import has come to.
    private struct Outcome {
        let report: ImportReport
        /// Why it could not go on; what was committed before stays, and is in the report.
        var failure: (any Error)?
        /// Whether the file of rejected rows has all that there are.
        var hasRejects = false
    }

    private func importing(
        _ importer: ProfileImporter, _ file: borrowing InputFile, sparing spared: FilePlaces
    ) async throws -> Outcome {
        guard let path = input.rejects else { return try await importing(importer, file, rejects: nil) }
        let rejects = try PrivateFile(path, replacing: input.force, sparing: spared)
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
        try show(report, hasRejects: outcome.hasRejects)
        if let path = input.rejects, !outcome.hasRejects, report.rejected > 0 {
            Output.error.note("The rejected rows are not in \(path.visible); what was there before is as it was.")
        }
        if let path = input.report {
            try ReportFile.write(to: path, replacing: input.force, sparing: spared) { report.rendered(as: $0) }
            if global.format == .text { global.note("The whole report is in \(path.visible).") }
        }
    }

    private func show(_ report: ImportReport, hasRejects: Bool) throws(CommandFailure) {
        switch global.format {
        case .json: try Output.standard.print(report.rendered(as: .json))
        case .text:
            try Output.standard.print(report.summary(examples: 3))
            if let rejects = input.rejects, hasRejects, report.rejected > 0 {
                let omission = report.rejectsOmitColumns ? ", and ignored columns are left out" : ""
                let mending = mending(rejects, report)
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
        var words = ["profiles", "mend", rejects] + input.wordsForRejects
        if let database = global.store.database { words += ["--database", database] }
        return CommandArguments.line(words)
    }
}
