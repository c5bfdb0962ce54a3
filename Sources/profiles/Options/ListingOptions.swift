internal import ArgumentParser
internal import ProfileTransfer

/// What is shown of profiles, and how.
struct ListingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The only columns, in this order, with commas between: fields, id, revision, created_at, updated_at, status, "
                + "issues.",
            valueName: "name,…"),
        completion: CompletedWords.columnLists)
    var columns: ColumnList?

    @Flag(help: "Only how many there are, on all pages.")
    var count = false

    @Option(help: "How results are written.")
    var format = ListingFormat.text

    @Flag(help: "One profile a block, with a field a line.")
    var expanded = false

    @Flag(help: "With csv and tsv: keep spreadsheets from running cells as formulas; such cells get a ' in front.")
    var spreadsheetSafe = false

    @Flag(help: "Write to a terminal at once, however long it is.")
    var noPager = false

    @Flag(help: "Only say which index serves, or that all profiles are read.")
    var explain = false

    func validate() throws {
        guard !count || !explain else { throw ValidationError("--count and --explain do not go together.") }
        guard !count || ![.csv, .tsv].contains(format) else {
            throw ValidationError("--count answers as text, json or ndjson.")
        }
        guard !expanded || format == .text else { throw ValidationError("--expanded goes with --format text.") }
    }
}

/// How profiles are written.
enum ListingFormat: String, ExpressibleByArgument, CaseIterable {
    case text, csv, tsv, json, ndjson

    /// Nil where it is no format of records.
    var records: ProfileRecordWriter.Format? {
        switch self {
        case .csv: .csv
        case .tsv: .tsv
        case .ndjson: .ndjson
        case .text, .json: nil
        }
    }
}
