internal import ArgumentParser
internal import ProfileCore
internal import ProfileTransfer

/// The options that control how profiles are listed.
struct ListingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Show these columns only, in this order, separated by commas: names, titles or headers of fields, "
                + "\(ProfileFact.allCases.map(\.name).joined(separator: ", ")).",
            valueName: "name,…"),
        completion: CompletedWords.columnLists)
    var columns: ColumnList?

    @Flag(help: "Show only the number of profiles on all pages.")
    var count = false

    @Option(help: "Write results in this format.")
    var format = ListingFormat.text

    @Flag(help: "Show each profile as a block, with one field per line.")
    var expanded = false

    @Flag(help: "With csv and tsv: put a ' before cells that a spreadsheet would run as formulas.")
    var spreadsheetSafe = false

    @Flag(help: "Do not use a pager on a terminal.")
    var noPager = false

    @Flag(help: "Show only which index the query uses, or that it reads all profiles.")
    var explain = false

    func validate() throws {
        guard !count || !explain else { throw ValidationError("Give --count or --explain, not both.") }
        guard !count || ![.csv, .tsv].contains(format) else {
            throw ValidationError("--count supports text, json and ndjson only.")
        }
        guard !expanded || format == .text else { throw ValidationError("--expanded requires --format text.") }
    }
}

/// The formats of listed profiles.
enum ListingFormat: String, ExpressibleByArgument, CaseIterable {
    case text, csv, tsv, json, ndjson

    /// The format of the record writer. Nil for text and JSON.
    var records: ProfileRecordWriter.Format? {
        switch self {
        case .csv: .csv
        case .tsv: .tsv
        case .ndjson: .ndjson
        case .text, .json: nil
        }
    }
}
