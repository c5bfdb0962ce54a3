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
            CSV and NDJSON with --include-hashes can be imported again. The file is readable by its owner only. It \
            gets its name when it is complete, and replaces an existing file only with --force. With --original, the \
            file has the headers, the order and the notations of the file from which the schema was inferred. If a \
            column has several notations, all its values have the most frequent one.

              profiles export people.csv
              profiles export --as ndjson --include-hashes backup.ndjson
              profiles export --original sorted.csv
              profiles export - --as json | jq length
              profiles export --into exports --keep 7 --quiet
            """)

    @Argument(
        help: "The file; - is standard output.", completion: .file(extensions: ["csv", "json", "ndjson", "jsonl"]))
    var file = "-"

    @Option(
        name: [.customLong("as"), .customLong("format")],
        help: ArgumentHelp(
            "Write csv, json or ndjson. (default: by the file's extension; csv without one)", valueName: "format"))
    var kinds: [ExportFormat] = []

    @Flag(help: "Replace an existing file.")
    var force = false

    @Flag(help: "Also write the hashes of passwords.")
    var includeHashes = false

    @Flag(help: "Put a ' before cells that a spreadsheet would run as formulas.")
    var spreadsheetSafe = false

    @Flag(help: "Write the headers and notations of the file from which the schema was inferred.")
    var original = false

    @OptionGroup var folder: FolderOptions
    @OptionGroup var store: StoreOptions

    func validate() throws {
        guard folder.folder == nil || file == "-" else { throw ValidationError("Give the file or --into, not both.") }
        guard Set(kinds).count <= 1 else {
            throw ValidationError(
                "--as and --format are the same option, and have different values; give one of them.")
        }
        _ = try format()
    }

    var needsAddressSpace: Bool { true }

    func run() async throws {
        let format = try format()
        if let files = try folder.files(ofStore: store.databasePath(), endingIn: ".\(format.rawValue)") {
            return try await export(into: files, as: format)
        }
        try await store.withStore("export") { repository in
            guard file != "-" else { return try await export(repository, as: format, to: STDOUT_FILENO) }
            let output = try store.outputFile(file, replacing: force)
            try await export(repository, as: format, to: output.descriptor)
            try output.commit()
        }
    }

    /// Writes a new file into the folder of `--into`, and then removes the files that `--keep` does not keep.
    private func export(into files: DatedFiles, as format: ExportFormat) async throws {
        let path = try await store.withStore("export") { repository in
            let output = try store.outputFile(files.freePath(), replacing: false)
            try await export(repository, as: format, to: output.descriptor)
            return try output.commit(toFirstFree: files.freePaths())
        }
        let removed = try folder.removeOlder(of: files, than: path)
        if !store.quiet { try Output.standard.print(("Exported to \(path)" + removed.andRemoved("file")).visible) }
    }

    private func export(
        _ repository: ProfileRepository, as format: ExportFormat, to descriptor: Int32
    ) async throws {
        try await repository.export(
            as: format, includingHashes: includeHashes, spreadsheetSafe: spreadsheetSafe,
            original: original, to: descriptor)
    }

    private func format() throws(ValidationError) -> ExportFormat {
        if let kind = kinds.first { return kind }
        let name = file.split(separator: "/").last ?? ""
        // If the only dot of a name is its first character, the file is hidden and has no extension.
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return .csv }
        switch name[name.index(after: dot)...].lowercased() {
        case "csv": return .csv
        case "json": return .json
        case "ndjson", "jsonl": return .ndjson
        default:
            throw ValidationError(
                "The extension of \(file.visible) names no format: use .csv, .json, .ndjson or .jsonl, or give --as FORMAT."
            )
        }
    }
}

extension ExportFormat: ExpressibleByArgument {}
