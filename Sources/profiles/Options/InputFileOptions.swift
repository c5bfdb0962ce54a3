internal import ArgumentParser
internal import ProfileTransfer

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

    @Option(
        help: ArgumentHelp(
            "What separates the cells: one ASCII character, or tab. (default: , ; tab or |, found out)", valueName: "c")
    )
    var delimiter: Delimiter?

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
        if delimiter != nil, isJSON { throw ValidationError("--delimiter is for CSV.") }
    }

    var format: InputFormat {
        if isJSON { return .json }
        if kind == nil, delimiter == nil { return .automatic }
        return .csv(delimiter: delimiter.flatMap(\.byte))
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

/// `;`, `tab`, `\t`, or `auto`.
struct Delimiter: ExpressibleByArgument {
    /// Nil for `auto`.
    let byte: UInt8?

    init?(argument: String) {
        switch argument {
        case "auto": byte = nil
        case "tab", "\\t": byte = UInt8(ascii: "\t")
        default:
            guard argument.utf8.count == 1, let only = argument.utf8.first, only == 9 || 0x20...0x7E ~= only,
                only != UInt8(ascii: "\"")
            else { return nil }
            byte = only
        }
    }
}
