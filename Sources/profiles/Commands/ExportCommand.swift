public import ArgumentParser
internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

struct ExportCommand: AsynchronousCommand, ConditionUsing {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "export",
            abstract: "Write profiles as CSV, TSV, JSON, NDJSON or a Markdown table.",
            discussion: """
                Writes every profile that meets the conditions; without conditions, every profile. CSV, TSV and NDJSON \
                with --include-hashes can be imported again. The file is readable by its owner only. It gets its name \
                when it is complete, and replaces an existing file only with --force. With --original, the file has the \
                headers, the order and the notations of the file from which the schema was inferred. If a column has \
                several notations, all its values have the most frequent one.

                  profiles export people.csv
                  profiles export --as ndjson --include-hashes backup.ndjson
                  profiles export --original sorted.csv
                  profiles export young.tsv --where 'birthday>=2000-01-01' --sort birthday
                  profiles export --as markdown --columns username,phone --sort phone
                  profiles export - --as json | jq length
                  profiles export --into exports --keep 7 --quiet

                \(CompletedWords.fieldList)
                """)
    }

    @Argument(
        help: "The file; - is standard output.",
        completion: .file(extensions: ["csv", "tsv", "json", "ndjson", "jsonl", "md"]))
    var file = "-"

    @Option(
        name: [.customLong("as"), .customLong("format")],
        help: ArgumentHelp(
            "Write csv, tsv, json, ndjson or markdown. (default: by the file's extension; csv without one)",
            valueName: "format"))
    var kinds: [ExportFormat] = []

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var order: OrderOptions

    @Option(
        help: ArgumentHelp(
            "Write these columns only, in this order, separated by commas: names, titles or headers of fields, "
                + "\(ProfileFact.allCases.map(\.name).joined(separator: ", ")).",
            valueName: "name,…"),
        completion: CompletedWords.columnLists)
    var columns: ColumnList?

    @Flag(help: "Replace an existing file.")
    var force = false

    @Flag(help: "Also write the hashes of passwords.")
    var includeHashes = false

    @Flag(help: "Put a ' before cells that a spreadsheet would run as formulas.")
    var spreadsheetSafe = false

    @Flag(help: "With csv and tsv: write the headers and notations of the file from which the schema was inferred.")
    var original = false

    @OptionGroup var folder: FolderOptions
    @OptionGroup var store: StoreOptions

    func validate() throws {
        guard folder.folder == nil || file == "-" else { throw ValidationError("Give the file or --into, not both.") }
        guard Set(kinds).count <= 1 else {
            throw ValidationError(
                "--as and --format are the same option, and have different values; give one of them.")
        }
        let format = try format()
        guard !original || [.csv, .tsv].contains(format) else {
            throw ValidationError("--original is for csv and tsv.")
        }
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
            // With `replacing: true`, it is no error if another run takes the name meanwhile. No file is replaced,
            // because the commit chooses a free name itself.
            let output = try store.outputFile(files.freePath(), replacing: true)
            try await export(repository, as: format, to: output.descriptor)
            return try output.commit(toFirstFree: files.freePaths())
        }
        let removed = try folder.removeOlder(of: files, than: path)
        if !store.quiet { try Output.standard.print(("Exported to \(path)" + removed.andRemoved("file")).visible) }
    }

    private func export(
        _ repository: ProfileRepository, as format: ExportFormat, to descriptor: Int32
    ) async throws {
        let schema = repository.schema
        let columns = try self.columns.map { columns throws(CommandFailure) in
            try schema.columns(told: columns.headers).map(\.fieldName)
        }
        try await repository.export(
            matching: try query(in: schema), columns: columns, as: format, includingHashes: includeHashes,
            spreadsheetSafe: spreadsheetSafe, original: original,
            temporaryFolder: Environment["TMPDIR"] ?? "/var/tmp", to: descriptor)
    }

    /// Returns the query that the options describe. Nil if all profiles are exported in the order of their ids.
    private func query(in schema: ProfileSchema) throws(CommandFailure) -> ProfileQuery? {
        let order = try order.order(in: schema)
        guard order != nil || !conditions.isEmpty else { return nil }
        return ProfileQuery(
            try notedConditions(in: schema), joinsByOr: conditions.joinsByOr, status: conditions.status, order: order)
    }

    private func format() throws(ValidationError) -> ExportFormat {
        if let kind = kinds.first { return kind }
        if let format = ExportFormat(ofFile: file) { return format }
        throw ValidationError("\(ExportFormat.unknown(ofFile: file)), or give --as FORMAT.")
    }
}

extension ExportFormat {
    /// The format that the extension of a file names. A file without an extension is CSV. Nil if the extension names no
    /// format.
    init?(ofFile path: String) {
        let name = path.split(separator: "/").last ?? ""
        // If the only dot of a name is its first character, the file is hidden and has no extension.
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            self = .csv
            return
        }
        switch name[name.index(after: dot)...].lowercased() {
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        case "json": self = .json
        case "ndjson", "jsonl": self = .ndjson
        case "md", "markdown": self = .markdown
        default: return nil
        }
    }

    /// The message about a file whose extension names no format, without a full stop.
    static func unknown(ofFile path: String) -> String {
        "The extension of \(path.visible) names no format: use .csv, .tsv, .json, .ndjson, .jsonl or .md"
    }
}

extension ExportFormat: ExpressibleByArgument {}
