internal import ArgumentParser
internal import ProfileTransfer

/// The file for which a schema is looked for, and how.
struct InferenceInputOptions: ParsableArguments {
    @Argument(help: "The file; - is standard input.")
    var file: String

    @Option(
        name: .customLong("as"), help: "How the input is written: csv, json or ndjson. (default: found out)")
    var kind: ImportInputOptions.Kind?

    @Option(
        help: ArgumentHelp(
            "What separates the cells: one ASCII character, tab, or auto. (default: auto)", valueName: "c"))
    var delimiter: Delimiter?

    @Option(
        help: ArgumentHelp("How the characters are written, such as latin1. (default: found out)", valueName: "name"))
    var encoding: String?

    @Option(
        help: ArgumentHelp("The only columns that become fields, with commas between.", valueName: "header,…"))
    var columns: ColumnList?

    @Option(help: ArgumentHelp("Look at the first rows alone; the others may break the rules.", valueName: "n"))
    var sample: Int?

    @Flag(help: "Where no column can be the username, take the number of the row.")
    var keyByRow = false

    func validate() throws {
        if let sample, sample < 1 { throw ValidationError("--sample takes 1 or more.") }
        if delimiter != nil, format == .json { throw ValidationError("--delimiter is for CSV.") }
    }

    var options: InferenceOptions {
        var options = InferenceOptions()
        options.name = Self.schemaName(of: file)
        options.format = format
        options.encoding = encoding
        options.columns = columns?.headers ?? []
        options.sample = sample
        options.keysByRow = keyByRow
        if let folder = Environment["TMPDIR"] { options.temporaryFolder = folder }
        return options
    }

    private var format: InputFormat {
        switch kind {
        case .csv: .csv(delimiter: delimiter?.byte)
        case .json, .ndjson: .json
        case nil: delimiter.map { .csv(delimiter: $0.byte) } ?? .automatic
        }
    }

    /// That of the file, without its endings.
    static func schemaName(of file: String) -> String {
        let name = file.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? ""
        return name.isEmpty || file == "-" ? "custom" : String(name.prefix(64))
    }
}

/// `name,born`: headers, each without the white space around it.
struct ColumnList: ExpressibleByArgument {
    let headers: [String]

    init?(argument: String) {
        headers = argument.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }.map(String.init)
        if headers.contains("") { return nil }
    }
}

extension InferenceOptions {
    /// What is found in the input, with a bar while it is read.
    func proposal(for source: ImportInput, isQuiet: Bool) async throws -> SchemaProposal {
        let bar = ProgressBar(byteCount: source.byteCount, isQuiet: isQuiet)
        defer { bar?.end() }
        let inference = SchemaInference(options: self)
        return try await Interruption.cancelling(isQuiet: isQuiet) {
            try await inference.run(source) { bar?.update($0) }
        }
    }
}
