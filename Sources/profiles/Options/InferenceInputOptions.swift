internal import ArgumentParser
internal import ProfileTransfer
internal import SchemaInference

/// The file from which a schema is inferred, and the options of the inference.
struct InferenceInputOptions: ParsableArguments {
    @OptionGroup var source: InputFileOptions

    @Option(
        help: ArgumentHelp("Make fields of these columns only, separated by commas.", valueName: "header,…"))
    var columns: ColumnList?

    @Option(help: ArgumentHelp("Use this column as the username.", valueName: "header"))
    var key: String?

    @Option(help: ArgumentHelp("Examine only the first rows; the other rows may break the rules.", valueName: "n"))
    var sample: Int?

    @Flag(help: "Propose the tightest rules that the file satisfies, even if the next file may break them.")
    var strict = false

    func validate() throws {
        if key != nil, source.keyByRow { throw ValidationError("--key and --key-by-row exclude each other.") }
        if let sample, sample < 1 { throw ValidationError("--sample takes 1 or more.") }
    }

    var options: InferenceOptions {
        var options = source.inference
        options.columns = columns?.headers ?? []
        options.sample = sample
        options.isStrict = strict
        options.key = key
        return options
    }
}

/// A list of headers such as `name,born`, without the spaces around each header.
struct ColumnList: ExpressibleByArgument {
    let headers: [String]

    init?(argument: String) {
        headers = argument.split(separator: ",", omittingEmptySubsequences: false)
            .map { header in
                let start = header.drop { $0 == " " }
                return start.lastIndex { $0 != " " }.map { String(start[...$0]) } ?? ""
            }
        if headers.contains("") { return nil }
    }
}

extension InferenceOptions {
    /// Returns the proposal for an input. Shows a progress bar while the input is read, unless `isQuiet`.
    func proposal(for source: ImportInput, isQuiet: Bool) async throws -> SchemaProposal {
        let bar = ProgressBar(byteCount: source.byteCount, isQuiet: isQuiet)
        defer { bar?.end() }
        let inference = SchemaInferrer(options: self)
        return try await Interruption.cancelling(isQuiet: isQuiet) {
            try await inference.run(source) { bar?.update($0) }
        }
    }
}
