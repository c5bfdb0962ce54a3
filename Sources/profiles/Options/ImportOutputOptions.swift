internal import ArgumentParser
internal import ProfileStoreSQLite
internal import ProfileTransfer

/// The files for the rejected rows and for the report of an import or a validation, and their limits.
struct ImportOutputOptions: ParsableArguments {
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
        if let rejects, let report, rejects == report || FilePlaces([rejects]).contains(report) {
            throw ValidationError("--rejects and --report name the same file.")
        }
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
