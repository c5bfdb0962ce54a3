internal import ArgumentParser
internal import SchemaInference

/// The options that choose how rules are inferred from a file.
struct InferredRulesOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Infer fields from these columns only, separated by commas.", valueName: "header,…"))
    var columns: ColumnList?

    @Option(help: ArgumentHelp("Infer the rules with this column as the username.", valueName: "header"))
    var key: String?

    @Flag(help: "Infer the tightest rules that the file satisfies, even if the next file may break them.")
    var strict = false

    @Option(
        name: .customLong("tighten"),
        help: ArgumentHelp(
            "Infer the tightest rules for this column, as --strict does for all; may be repeated.", valueName: "header")
    )
    var tightened: [String] = []

    @Option(
        name: .customLong("loosen"),
        help: ArgumentHelp("Infer only the type of this column, and no limits; may be repeated.", valueName: "header"))
    var loosened: [String] = []

    @Option(
        name: .customLong("rename"),
        help: ArgumentHelp("Give the field of a column this name; may be repeated.", valueName: "header=field"))
    var renamed: [ColumnMapping] = []

    @Option(
        name: .customLong("omit"),
        help: ArgumentHelp("Infer no field from this column; may be repeated.", valueName: "header"))
    var omitted: [String] = []

    /// The name of an option that was given; nil if there is none.
    var given: String? {
        let options = [
            ("--columns", columns != nil), ("--key", key != nil), ("--strict", strict),
            ("--tighten", !tightened.isEmpty), ("--loosen", !loosened.isEmpty), ("--rename", !renamed.isEmpty),
            ("--omit", !omitted.isEmpty),
        ]
        return options.first { $0.1 }?.0
    }

    /// - Throws: A `ValidationError` if the row number is the key as well.
    func validate(with source: InputFileOptions) throws {
        if key != nil, source.keyByRow { throw ValidationError("--key and --key-by-row exclude each other.") }
    }

    /// Returns the options for an inference from this input.
    func inference(from source: InputFileOptions) -> InferenceOptions {
        var options = source.inference
        options.columns = columns?.headers ?? []
        options.key = key
        options.isStrict = strict
        options.strictColumns = Set(tightened)
        options.looseColumns = Set(loosened)
        options.names = Dictionary(renamed.map { ($0.header, $0.field) }) { _, last in last }
        options.omittedColumns = Set(omitted)
        return options
    }
}

extension InferenceOptions {
    /// Returns the arguments of this process, with the options that describe this inference.
    ///
    /// - Parameter flag: A flag with which the command asks nothing.
    func arguments(asking flag: String) -> [String] {
        CommandArguments.replacing(
            CommandLine.arguments, options: ["--key", "--rename", "--omit", "--tighten", "--loosen"],
            flags: ["--key-by-row", flag], by: [flag] + words)
    }

    /// The options for the columns, as a user types them.
    private var words: [String] {
        var words: [String] = []
        if let key { words += ["--key", key] }
        if keysByRow { words.append("--key-by-row") }
        for (header, name) in names.sorted(by: { $0.key < $1.key }) { words += ["--rename", "\(header)=\(name)"] }
        for header in omittedColumns.sorted() { words += ["--omit", header] }
        for header in strictColumns.sorted() { words += ["--tighten", header] }
        for header in looseColumns.sorted() { words += ["--loosen", header] }
        return words
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
