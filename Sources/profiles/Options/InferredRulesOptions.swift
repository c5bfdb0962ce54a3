internal import ArgumentParser
internal import ProfileCore
internal import SchemaInference
internal import TextLayout

/// The options that choose how rules are inferred from a file.
struct InferredRulesOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Infer fields from these columns only, separated by commas.", valueName: "header,…"))
    var columns: ColumnList?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp("Infer this type for a column, and reject rows that do not fit.", valueName: "header=type"))
    var types: [ColumnType] = []

    @Flag(help: "Infer the tightest rules that the file satisfies, even if the next file may break them.")
    var strict = false

    @Option(
        name: .customLong("tighten"),
        help: ArgumentHelp(
            "Infer the tightest rules for this column, as --strict does for all; may be repeated.", valueName: "header")
    )
    var tightened: [String] = []

    @Option(
        name: .customLong("relax"),
        help: ArgumentHelp("Infer only the type of this column, and no limits; may be repeated.", valueName: "header"))
    var relaxed: [String] = []

    @Option(
        name: .customLong("rename"),
        help: ArgumentHelp("Give the field of a column this name; may be repeated.", valueName: "header=field"))
    var renamed: [ColumnMapping] = []

    @Option(
        name: .customLong("omit"),
        help: ArgumentHelp("Infer no field from this column; may be repeated.", valueName: "header"))
    var omitted: [String] = []

    @Option(
        name: .customLong("keep"),
        help: ArgumentHelp(
            "Give this column a field in a store that exists, even if the store leaves the column out; may be repeated.",
            valueName: "header"))
    var kept: [String] = []

    /// The name of an option that was given; nil if there is none.
    var given: String? {
        let options = [
            ("--columns", columns != nil), ("--type", !types.isEmpty), ("--strict", strict),
            ("--tighten", !tightened.isEmpty), ("--relax", !relaxed.isEmpty), ("--rename", !renamed.isEmpty),
            ("--omit", !omitted.isEmpty), ("--keep", !kept.isEmpty),
        ]
        return options.first { $0.1 }?.0
    }

    func validate() throws {
        try types.map(\.header).requireOnce("--type")
        try renamed.map(\.header).requireOnce("--rename")
        if let header = omitted.first(where: kept.contains) {
            throw ValidationError("--omit and --keep both name \(header.quoted(longest: 64)).")
        }
        if let header = relaxed.first(where: tightened.contains) {
            throw ValidationError("--relax and --tighten both name \(header.quoted(longest: 64)).")
        }
    }

    /// Returns the options for an inference from this input.
    func inference(from source: InputFileOptions) -> InferenceOptions {
        var options = source.inference
        options.columns = columns?.headers ?? []
        options.types = Dictionary(uniqueKeysWithValues: types.map { ($0.header, $0.type) })
        options.isStrict = strict
        options.strictColumns = Set(tightened)
        options.looseColumns = Set(relaxed)
        options.names = Dictionary(uniqueKeysWithValues: renamed.map { ($0.header, $0.field) })
        options.omittedColumns = Set(omitted)
        return options
    }
}

extension InferenceOptions {
    /// Returns the arguments of this process with the options that describe this inference.
    ///
    /// - Parameter flag: A flag to add. With this flag, the command asks nothing.
    /// - Returns: The arguments.
    func arguments(unasked flag: String) -> [String] {
        CommandArguments.replacing(
            CommandLine.arguments, options: ["--key", "--type", "--rename", "--omit", "--tighten", "--relax"],
            flags: ["--key-by-row", "--key-by-content", flag], by: [flag] + words)
    }

    /// The options for the columns, as a user types them.
    private var words: [String] {
        var words: [String] = []
        switch key {
        case .columns(let headers): words += ["--key", headers.joined(separator: ",")]
        case .rowNumber: words.append("--key-by-row")
        case .content: words.append("--key-by-content")
        case .column, nil: break
        }
        for (header, type) in types.sorted(by: { $0.key < $1.key }) {
            words += ["--type", "\(header)=\(type.rawValue)"]
        }
        for (header, name) in names.sorted(by: { $0.key < $1.key }) { words += ["--rename", "\(header)=\(name)"] }
        for header in omittedColumns.sorted() { words += ["--omit", header] }
        for header in strictColumns.sorted() { words += ["--tighten", header] }
        for header in looseColumns.sorted() { words += ["--relax", header] }
        return words
    }
}

/// The type of a column, such as `age=integer`.
struct ColumnType: ExpressibleByArgument {
    let header: String
    let type: FieldType

    init?(argument: String) {
        // A header may have an equals sign, and a type has none.
        guard let sign = argument.lastIndex(of: "="), sign > argument.startIndex,
            let type = FieldType(rawValue: String(argument[argument.index(after: sign)...]))
        else { return nil }
        header = String(argument[..<sign])
        self.type = type
    }

    static let allValueStrings = FieldType.allCases.map { "header=\($0.rawValue)" }
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
