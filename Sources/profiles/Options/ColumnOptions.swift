internal import ArgumentParser
internal import ProfileTransfer
internal import TextLayout

/// The options that assign columns of a file to fields.
struct ColumnOptions: ParsableArguments {
    @Option(
        name: .customLong("map"),
        help: ArgumentHelp(
            "Assign a column to a field of another name; may be repeated.", valueName: "header=field"),
        completion: CompletedWords.columns)
    var mappings: [ColumnMapping] = []

    @Option(
        name: .customLong("ignore"),
        help: ArgumentHelp("Ignore a column, even if a field has its name; may be repeated.", valueName: "header"))
    var ignored: [String] = []

    @Flag(help: "Ignore columns that match no field.")
    var ignoreUnknown = false

    func validate() throws { try mappings.map(\.header).requireOnce("--map") }

    /// Copies these options into the options of an import.
    func adapt(_ options: inout ImportOptions) {
        options.columns = Dictionary(uniqueKeysWithValues: mappings.map { ($0.header, $0.field) })
        options.ignoredColumns = Set(ignored)
        options.ignoresUnknownColumns = ignoreUnknown
    }
}

extension [String] {
    /// Requires that an option names each of these headers only once.
    func requireOnce(_ option: String) throws(ValidationError) {
        var named: Set<String> = []
        guard let twice = first(where: { !named.insert($0).inserted }) else { return }
        throw ValidationError("\(option) names \(twice.quoted(longest: 64)) twice.")
    }
}

/// A mapping such as `Mobile=phone`. The header may contain `=`, so the last `=` separates header and field.
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
