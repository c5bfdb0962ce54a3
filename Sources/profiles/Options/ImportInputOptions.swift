internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer

/// The input of an import or a validation, its format, and the outputs for rejected rows and the report.
struct ImportInputOptions: ParsableArguments {
    @OptionGroup var source: InputFileOptions
    @OptionGroup var columns: ColumnOptions

    @Flag(help: "Also write ignored columns to the rejected rows; they may contain secrets.")
    var keepIgnored = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Stop after this number of rejected rows, or this percentage of all rows.", valueName: "n|n%"))
    var maxRejects: RejectLimit?

    @Option(
        help: ArgumentHelp("Write rejected rows to a CSV file, to be corrected and imported again.", valueName: "file"),
        completion: .file(extensions: ["csv"]))
    var rejects: String?

    @Option(
        help: ArgumentHelp("Write the whole report to a file: .json, .csv, .html or .txt.", valueName: "file"),
        completion: ReportFile.completion)
    var report: String?

    @Flag(help: "Replace existing files of --rejects and --report.")
    var force = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("List at most this many issues in the report; all are counted.", valueName: "n"))
    var maxIssues = 10_000

    func validate() throws {
        guard maxIssues >= 0 else { throw ValidationError("--max-issues takes 0 or more.") }
        try ReportFile.validate(report)
        if keepIgnored, !columns.ignoreUnknown { throw ValidationError("--keep-ignored requires --ignore-unknown.") }
        if keepIgnored, source.isJSON { throw ValidationError("--keep-ignored is for CSV.") }
        if let rejects, let report, rejects == report || FilePlaces([rejects]).contains(report) {
            throw ValidationError("--rejects and --report name the same file.")
        }
    }

    var file: String { source.file }

    /// Throws if an output file would replace the input or a file of the store. Also throws if an output file exists
    /// and `--force` is not given. A command calls this method before it reads the input.
    func requireOutputs(_ global: GlobalOptions) throws(CommandFailure) {
        var spared = FilePlaces()
        if file != "-" { spared.insert(file) }
        for path in [rejects, report].compactMap(\.self) {
            try global.requireOutput(path, replacing: force, sparing: spared)
        }
    }

    /// The import options that these options describe.
    var options: ImportOptions {
        var options = source.importing
        options.rejectLimit = maxRejects?.limit
        options.mostIssues = maxIssues
        columns.adapt(&options)
        options.keepsIgnoredColumns = keepIgnored
        options.source = file
        return options
    }

    /// Returns the options that `mend` needs to read the rejected rows of an input in this format.
    func wordsForRejects(of format: InputFormat) -> [String] {
        // If the input is JSON, the columns of the rejected rows have the names of fields. So no option is needed.
        if format == .json { return [] }
        var words: [String] = []
        if let byte = source.delimiter?.byte {
            words += ["--delimiter", byte == 9 ? "tab" : String(Unicode.Scalar(byte))]
        }
        for column in columns.mappings { words += ["--map", "\(column.header)=\(column.field)"] }
        if keepIgnored { for header in columns.ignored { words += ["--ignore", header] } }
        return words + (keepIgnored ? ["--ignore-unknown"] : [])
    }
}

/// A limit such as `100` or `2.5%`.
struct RejectLimit: ExpressibleByArgument {
    let limit: ImportOptions.RejectLimit

    init?(argument: String) {
        if argument.hasSuffix("%") {
            guard let percent = Double(argument.dropLast()), 0...100 ~= percent else { return nil }
            limit = .percent(percent)
        } else {
            guard let count = Int(argument), count >= 0 else { return nil }
            limit = .count(count)
        }
    }
}

/// The file for the whole report.
enum ReportFile {
    static let completion = CompletionKind.file(extensions: ReportFormat.allCases.map(\.rawValue))

    static func validate(_ path: String?) throws(ValidationError) {
        guard let path, ReportFormat(fileName: path) == nil else { return }
        throw ValidationError("--report takes a file that ends in .json, .csv, .html or .txt.")
    }

    /// The report format that belongs to the file's extension. If the extension is unknown, the format is text.
    static func format(_ path: String) -> ReportFormat { ReportFormat(fileName: path) ?? .text }
}
