internal import ProfileStore

/// One run of the importer as the commands `import` and `validate` make it: input, progress, rejected rows, report.
struct ImportRun {
    let global: GlobalOptions
    let input: ImportInputOptions
    /// Files that neither report nor rejected rows may replace, besides the input.
    var spared: Set<FileIdentity> = []

    /// Runs it and shows its report. Where rows were rejected that ends in a failure without text: the report has
    /// said it.
    func run(_ importer: ProfileImporter, _ file: borrowing InputFile) async throws {
        var spared = spared
        if let identity = FileIdentity(descriptor: file.descriptor) { spared.insert(identity) }
        let report: ImportReport
        do {
            report = try await importing(importer, file, sparing: spared)
        } catch ImportError.ended(let error, let unfinished) {
            // What was committed before the store refused to go on stays, so it is reported.
            try tell(unfinished, sparing: spared)
            throw error
        }
        try tell(report, sparing: spared)
        if report.earlyEnd == .cancelled { throw CommandFailure(.interrupted, lines: []) }
        if report.rejected > 0 || report.earlyEnd != nil { throw CommandFailure(.no, lines: []) }
    }

    private func importing(
        _ importer: ProfileImporter, _ file: borrowing InputFile, sparing spared: Set<FileIdentity>
    ) async throws -> ImportReport {
        guard let path = input.rejects else { return try await importing(importer, file, rejects: nil) }
        let rejects = try PrivateFile(replacing: path, sparing: spared)
        let outcome: Result<ImportReport, any Error>
        do {
            outcome = .success(try await importing(importer, file, rejects: rejects.descriptor))
        } catch ImportError.ended(let error, let unfinished) {
            outcome = .failure(ImportError.ended(error, after: unfinished))
        }
        try rejects.commit()
        return try outcome.get()
    }

    private func importing(
        _ importer: ProfileImporter, _ file: borrowing InputFile, rejects: Int32?
    ) async throws -> ImportReport {
        let bar = ProgressBar(byteCount: file.byteCount, isQuiet: global.quiet)
        defer { bar?.end() }
        let source = ImportInput(descriptor: file.descriptor, name: file.path, byteCount: file.byteCount)
        return try await Interruption.cancelling(isQuiet: global.quiet) {
            try await importer.run(source, rejects: rejects) { bar?.update($0) }
        }
    }

    private func tell(_ report: ImportReport, sparing spared: Set<FileIdentity>) throws(CommandFailure) {
        if let path = input.report { try ReportFile.write(to: path, sparing: spared) { report.rendered(as: $0) } }
        try show(report)
    }

    private func show(_ report: ImportReport) throws(CommandFailure) {
        switch global.format {
        case .json: try Output.standard.print(report.rendered(as: .json))
        case .text:
            try Output.standard.print(report.summary(examples: 3))
            if let rejects = input.rejects, report.rejected > 0 {
                try Output.standard.print(
                    """

                    Rejected rows are in \(rejects.visible), to be mended and imported again; columns of secrets are \
                    empty there.
                    """)
            }
            if let path = input.report { global.note("The whole report is in \(path.visible).") }
        }
    }
}
