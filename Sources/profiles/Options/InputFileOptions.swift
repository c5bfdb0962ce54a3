internal import ArgumentParser
internal import ProfileTransfer
internal import SchemaInference

/// A file of profiles that is read, and how it is written.
struct InputFileOptions: ParsableArguments {
    @Argument(
        help: "The file; - is standard input.",
        completion: .file(extensions: ["csv", "tsv", "txt", "ndjson", "jsonl", "json", "gz"]))
    var file: String

    @Option(
        name: .customLong("as"),
        help: "How the input is written: csv, json or ndjson. (default: by the file's ending, else found out)")
    var kind: Kind?

    @OptionGroup var delimiter: DelimiterOption

    @Option(
        help: ArgumentHelp(
            "How the characters are written, as iconv names it: latin1, windows-1252, ... (default: UTF-8, or found out)",
            valueName: "name"))
    var encoding: String?

    @Flag(help: "Where no column is the username, take the number of the row.")
    var keyByRow = false

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case csv, json, ndjson
    }

    func validate() throws {
        if delimiter.isGiven, isJSON { throw ValidationError("--delimiter is for CSV.") }
    }

    var format: InputFormat {
        if isJSON { return .json }
        if kind == nil, !delimiter.isGiven { return .automatic }
        return .csv(delimiter: delimiter.byte)
    }

    /// Whether the input is said to be JSON, by its ending if by nothing else.
    var isJSON: Bool {
        switch kind {
        case .csv: return false
        case .json, .ndjson: return true
        case nil:
            let name = file.hasSuffix(".gz") ? file.dropLast(3) : file[...]
            return [".json", ".ndjson", ".jsonl"].contains { name.hasSuffix($0) }
        }
    }

    /// What these options say of an inference.
    var inference: InferenceOptions {
        var options = InferenceOptions()
        // The file's name without its endings.
        let name = file.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? ""
        if !name.isEmpty, file != "-" { options.name = String(name.prefix(64)) }
        options.format = format
        options.encoding = encoding
        options.keysByRow = keyByRow
        if let folder = Environment["TMPDIR"] { options.temporaryFolder = folder }
        return options
    }
}
