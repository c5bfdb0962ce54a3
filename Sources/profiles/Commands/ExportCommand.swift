public import ArgumentParser
internal import Platform
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

struct ExportCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write every profile as CSV, JSON or NDJSON.",
        discussion: """
            CSV and NDJSON with --include-hashes can be imported again. The file is for its owner alone, has its name \
            only when it is whole, and replaces none that is there unless --force says so.

              profiles export people.csv
              profiles export --as ndjson --include-hashes backup.ndjson
              profiles export - --as json | jq length
            """)

    @Argument(
        help: "The file; - is standard output.", completion: .file(extensions: ["csv", "json", "ndjson", "jsonl"]))
    var file = "-"

    @Option(
        name: [.customLong("as"), .customLong("format")],
        help: ArgumentHelp(
            "csv, json or ndjson. (default: by the file's ending; csv where it has none)", valueName: "format"))
    var kinds: [ExportFormat] = []

    @Flag(help: "Replace the file if it is there.")
    var force = false

    @Flag(help: "Write the hashes of passwords too.")
    var includeHashes = false

    @Flag(help: "Keep spreadsheets from running cells as formulas; such cells get a ' in front.")
    var spreadsheetSafe = false

    @OptionGroup var store: StoreOptions

    func validate() throws {
        guard Set(kinds).count <= 1 else {
            throw ValidationError(
                "--as and --format mean the same, and here they say different things; give one of them.")
        }
        _ = try format()
    }

    func run() async throws {
        let format = try format()
        try await store.withStore("export") { repository in
            guard file != "-" else { return try await export(repository, as: format, to: STDOUT_FILENO) }
            let output = try store.outputFile(file, replacing: force)
            try await export(repository, as: format, to: output.descriptor)
            try output.commit()
        }
    }

    private func export(
        _ repository: ProfileRepository, as format: ExportFormat, to descriptor: Int32
    ) async throws {
        try await repository.export(
            as: format, includingHashes: includeHashes, spreadsheetSafe: spreadsheetSafe, to: descriptor)
    }

    private func format() throws(ValidationError) -> ExportFormat {
        if let kind = kinds.first { return kind }
        let name = file.split(separator: "/").last ?? ""
        // What begins with its only dot has no ending: it is a hidden file.
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return .csv }
        switch name[name.index(after: dot)...].lowercased() {
        case "csv": return .csv
        case "json": return .json
        case "ndjson", "jsonl": return .ndjson
        default:
            throw ValidationError(
                "The ending of \(file.visible) names no format: use .csv, .json, .ndjson or .jsonl, or say --as FORMAT."
            )
        }
    }
}

extension ExportFormat: ExpressibleByArgument {}
