internal import ArgumentParser
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer

/// What is imported or validated, how it is written, and what becomes of its bad rows.
struct ImportInputOptions: ParsableArguments {
    @OptionGroup var source: InputFileOptions
    @OptionGroup var columns: ColumnOptions

    @Flag(help: "Write columns that are no field to the rejected rows too; what is in them is not known.")
    var keepIgnored = false

    @Option(help: ArgumentHelp("Stop after so many rejected rows, or such a part of all.", valueName: "n|n%"))
    var maxRejects: RejectLimit?

    @Option(
        help: ArgumentHelp("Write rejected rows there as CSV, ready to be mended and imported.", valueName: "file"),
        completion: .file(extensions: ["csv"]))
    var rejects: String?

    @Option(
        help: ArgumentHelp("Write the whole report there: .json, .csv, .html or .txt.", valueName: "file"),
        completion: ReportFile.completion)
    var report: String?

    @Flag(help: "Replace the files of --rejects and --report if they are there.")
    var force = false

    @Option(help: ArgumentHelp("Most issues that the report lists; all are counted.", valueName: "n"))
    var maxIssues = 10_000

    func validate() throws {
        guard maxIssues >= 0 else { throw ValidationError("--max-issues takes 0 or more.") }
        try ReportFile.validate(report)
        if keepIgnored, !columns.ignoreUnknown { throw ValidationError("--keep-ignored goes with --ignore-unknown.") }
        if keepIgnored, source.isJSON { throw ValidationError("--keep-ignored is for CSV.") }
        if let rejects, let report, rejects == report || FilePlaces([rejects]).contains(report) {
            throw ValidationError("--rejects and --report name the same file.")
        }
    }

    var file: String { source.file }

    /// Refuses outputs that would replace the input or other files, before anything is read.
    func requireOutputs(_ global: GlobalOptions) throws(CommandFailure) {
        var spared = FilePlaces()
        if file != "-" { spared.insert(file) }
        for path in [rejects, report].compactMap(\.self) {
            try global.requireOutput(path, replacing: force, sparing: spared)
        }
    }

    /// What these options say of an import.
    var options: ImportOptions {
        var options = ImportOptions()
        options.format = source.format
        options.encoding = source.encoding
        options.rejectLimit = maxRejects?.limit
        options.mostIssues = maxIssues
        options.keysByRow = source.keyByRow
        columns.adapt(&options)
        options.keepsIgnoredColumns = keepIgnored
        return options
    }

    /// The options that read the file of rejected rows as an input of this format was read.
    func wordsForRejects(of format: InputFormat) -> [String] {
        // The columns of what was JSON have the fields' own names.
        if format == .json { return [] }
        var words: [String] = []
        if let byte = source.delimiter.byte {
            words += ["--delimiter", byte == 9 ? "tab" : String(Unicode.Scalar(byte))]
        }
        for column in columns.mappings { words += ["--map", "\(column.header)=\(column.field)"] }
        if keepIgnored { for header in columns.ignored { words += ["--ignore", header] } }
        return words + (keepIgnored ? ["--ignore-unknown"] : [])
    }
}

/// `100` or `2.5%`.
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

/// The file that a whole report goes to.
enum ReportFile {
    static let completion = CompletionKind.file(extensions: ReportFormat.allCases.map(\.rawValue))

    static func validate(_ path: String?) throws(ValidationError) {
        guard let path, ReportFormat(fileName: path) == nil else { return }
        throw ValidationError("--report takes a file that ends in .json, .csv, .html or .txt.")
    }

    /// The format that the file's ending names.
    static func format(_ path: String) -> ReportFormat { ReportFormat(fileName: path) ?? .text }
}
