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

    /// The name of an option that was given; nil if there is none.
    var given: String? { columns != nil ? "--columns" : !types.isEmpty ? "--type" : strict ? "--strict" : nil }

    func validate() throws {
        let headers = types.map(\.header)
        if let twice = headers.first(where: { header in headers.count { $0 == header } > 1 }) {
            throw ValidationError("--type names \(twice.quoted(longest: 64)) twice.")
        }
    }

    /// Returns the options for an inference from this input.
    func inference(from source: InputFileOptions) -> InferenceOptions {
        var options = source.inference
        options.columns = columns?.headers ?? []
        options.types = Dictionary(uniqueKeysWithValues: types.map { ($0.header, $0.type) })
        options.isStrict = strict
        return options
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
