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

    /// The name of an option that was given; nil if there is none.
    var given: String? { columns != nil ? "--columns" : key != nil ? "--key" : strict ? "--strict" : nil }

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
