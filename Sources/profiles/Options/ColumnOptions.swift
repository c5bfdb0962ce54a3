internal import ArgumentParser
internal import ProfileTransfer

/// Which columns of a file go to which fields.
struct ColumnOptions: ParsableArguments {
    @Option(
        name: .customLong("map"),
        help: ArgumentHelp(
            "Take a column for a field whose name it does not have; may be repeated.", valueName: "header=field"),
        completion: CompletedWords.columns)
    var mappings: [ColumnMapping] = []

    @Option(
        name: .customLong("ignore"),
        help: ArgumentHelp("Pass over a column, whatever its name means; may be repeated.", valueName: "header"))
    var ignored: [String] = []

    @Flag(help: "Pass over columns that are no field.")
    var ignoreUnknown = false

    /// Makes an import take its columns so.
    func adapt(_ options: inout ImportOptions) {
        options.columns = Dictionary(mappings.map { ($0.header, $0.field) }) { _, last in last }
        options.ignoredColumns = Set(ignored)
        options.ignoresUnknownColumns = ignoreUnknown
    }
}

/// `Mobile=phone`: the header may hold the sign itself, so that the last one counts.
struct ColumnMapping: ExpressibleByArgument {
    let header: String
    let field: String

    init?(argument: String) {
        guard let equals = argument.lastIndex(of: "="), equals > argument.startIndex else { return nil }
        header = String(argument[..<equals])
        field = String(argument[argument.index(after: equals)...])
        if field.isEmpty { return nil }
    }
}
