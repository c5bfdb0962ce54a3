internal import ProfileStore

/// One run of the importer as the commands `import` and `validate` make it: input, progress, rejected rows, report.
struct ImportRun {
    let global: GlobalOptions
    let input: ImportInputOptions
    /// Files that neither report nor rejected rows may replace, besides the input.
    var spared: Set<FileIdentity> = []

    /// Runs it and shows its report.
    ///
    /// - Throws: A failure without text where rows were rejected: the report has said it.
    func run(_ importer: ProfileImporter, _ file: borrowing InputFile) async throws {
        var spared = spared
        if let identity = FileIdentity(descriptor: file.descriptor) { spared.insert(identity) }
        let report = try await importing(importer, file, sparing: spared)
        if let path = input.report { try ReportFile.write(to: path, sparing: spared) { report.rendered(as: $0) } }
        try show(report)
        if report.earlyEnd == .cancelled { throw CommandFailure(.interrupted, lines: []) }
        if report.rejected > 0 || report.earlyEnd != nil { throw CommandFailure(.no, lines: []) }
    }

    private func importing(
        _ importer: ProfileImporter, _ file: borrowing InputFile, sparing spared: Set<FileIdentity>
    ) async throws -> ImportReport {
        guard let path = input.rejects else { return try await importing(importer, file, rejects: nil) }
        let rejects = try PrivateFile(replacing: path, sparing: spared)
        let report = try await importing(importer, file, rejects: rejects.descriptor)
        try rejects.commit()
        return report
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

    private func show(_ report: ImportReport) throws(CommandFailure) {
        switch global.format {
        case .json: try Output.standard.print(report.rendered(as: .json))
        case .text:
            try Output.standard.print(report.summary(examples: 3))
            if let rejects = input.rejects, report.rejected > 0 {
                try Output.standard.print(
                    "Rejected rows are in \(rejects.visible), to be mended and imported again; columns of secrets are empty there.")
            }
            if let path = input.report { global.note("The whole report is in \(path.visible).") }
        }
    }
}
