public import ArgumentParser
internal import Platform
internal import ProfileStore
internal import ProfileTransfer

struct ExportCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write every profile as CSV, JSON or NDJSON.",
        discussion: """
            CSV and NDJSON with --include-hashes can be imported again. The file is for its owner alone.

              profiles export people.csv
              profiles export --as ndjson --include-hashes backup.ndjson
              profiles export - --as json | jq length
            """)

    @Argument(help: "The file; - is standard output.")
    var file = "-"

    @Option(name: .customLong("as"), help: "csv, json or ndjson. (default: by the file's ending, else csv)")
    var kind: ExportFormat?

    @Flag(help: "Write the hashes of passwords too.")
    var includeHashes = false

    @Flag(help: "Keep spreadsheets from running cells as formulas; such cells get a ' in front.")
    var spreadsheetSafe = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await global.withStore("export") { repository in
            guard file != "-" else { return try await export(repository, to: STDOUT_FILENO) }
            let output = try PrivateFile(replacing: file, sparing: global.storeFiles())
            try await export(repository, to: output.descriptor)
            try output.commit()
        }
    }

    private func export(_ repository: ProfileRepository, to descriptor: Int32) async throws {
        try await repository.export(
            as: format, includingHashes: includeHashes, spreadsheetSafe: spreadsheetSafe, to: descriptor)
    }

    private var format: ExportFormat {
        if let kind { return kind }
        if file.hasSuffix(".json") { return .json }
        return file.hasSuffix(".ndjson") || file.hasSuffix(".jsonl") ? .ndjson : .csv
    }
}

extension ExportFormat: ExpressibleByArgument {}
