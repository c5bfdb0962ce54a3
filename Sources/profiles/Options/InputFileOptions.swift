internal import ArgumentParser
internal import ProfileCore
internal import ProfileTransfer
internal import SchemaInference

/// An input file of profiles, and its format.
struct InputFileOptions: ParsableArguments {
    @Argument(
        help: "The file; - is standard input.",
        completion: .file(extensions: ["csv", "tsv", "txt", "ndjson", "jsonl", "json", "gz"]))
    var file: String

    @Option(
        name: .customLong("as"),
        help: "Read the input as csv, json or ndjson. (default: by the file's extension, else detected)")
    var kind: Kind?

    @OptionGroup var delimiter: DelimiterOption

    @Option(
        help: ArgumentHelp(
            "Read text in this encoding, by its name in iconv: latin1, windows-1252, ... (default: UTF-8, or detected)",
            valueName: "name"))
    var encoding: String?

    @OptionGroup var lines: TableLayoutOptions

    @Flag(
        help: "Use the row number as the username if no column is the username; when rules are inferred, in any case.")
    var keyByRow = false

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case csv, json, ndjson
    }

    func validate() throws {
        if delimiter.isGiven, isJSON { throw ValidationError("--delimiter is for CSV.") }
        if isJSON, let option = lines.layout.words.first { throw ValidationError("\(option) is for CSV.") }
        if let comment = lines.comment, comment.byte == delimiter.byte {
            throw ValidationError("--comment and --delimiter name the same character.")
        }
    }

    var format: InputFormat {
        if isJSON { return .json }
        if kind == nil, !delimiter.isGiven, lines.layout == TableLayout() { return .automatic }
        return .csv(delimiter: delimiter.byte)
    }

    /// Whether the input is JSON. The format is the value of `--as`. If `--as` is not given, the file's extension
    /// decides.
    var isJSON: Bool {
        switch kind {
        case .csv: return false
        case .json, .ndjson: return true
        case nil:
            let name = file.hasSuffix(".gz") ? file.dropLast(3) : file[...]
            return [".json", ".ndjson", ".jsonl"].contains { name.hasSuffix($0) }
        }
    }

    /// The inference options that these options describe.
    var inference: InferenceOptions {
        var options = InferenceOptions()
        // The file's name without its extensions.
        let name = file.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? ""
        if !name.isEmpty, file != "-" { options.name = String(name.prefix(64)) }
        options.format = format
        options.encoding = encoding
        options.layout = lines.layout
        options.keysByRow = keyByRow
        if let folder = Environment["TMPDIR"] { options.temporaryFolder = folder }
        return options
    }
}
