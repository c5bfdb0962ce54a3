internal import ArgumentParser
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer

/// What is imported or validated, how it is written, and what becomes of its bad rows.
struct ImportInputOptions: ParsableArguments {
    @Argument(
        help: "The file; - is standard input.",
        completion: .file(extensions: ["csv", "tsv", "txt", "ndjson", "jsonl", "json", "gz"]))
    var file: String

    @Option(
        name: .customLong("as"),
        help: "How the input is written: csv, json or ndjson. (default: by the file's ending, else found out)")
    var kind: Kind?

    @Option(
        help: ArgumentHelp(
            "What separates the cells: one ASCII character, or tab. (default: , ; tab or |, found out)", valueName: "c")
    )
    var delimiter: Delimiter?

    @Option(
        help: ArgumentHelp(
            "How the characters are written, as iconv names it: latin1, windows-1252, ... (default: UTF-8, or found out)",
            valueName: "name"))
    var encoding: String?

    @Option(
        name: .customLong("map"),
        help: ArgumentHelp(
            "Take a column for a field whose name it does not have; may be repeated.", valueName: "header=field"),
        completion: CompletedWords.columns)
    var columns: [ColumnMapping] = []

    @Flag(help: "Take the number of the row for the username where no column holds it.")
    var keyByRow = false

    @Flag(help: "Pass over columns that are no field.")
    var ignoreUnknown = false

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

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case csv, json, ndjson
    }

    func validate() throws {
        guard maxIssues >= 0 else { throw ValidationError("--max-issues takes 0 or more.") }
        try ReportFile.validate(report)
        if delimiter != nil, isJSON { throw ValidationError("--delimiter is for CSV.") }
        if keepIgnored, !ignoreUnknown { throw ValidationError("--keep-ignored goes with --ignore-unknown.") }
        if keepIgnored, isJSON { throw ValidationError("--keep-ignored is for CSV.") }
        if let rejects, let report, rejects == report || FilePlaces([rejects]).contains(report) {
            throw ValidationError("--rejects and --report name the same file.")
        }
    }

    /// Refuses outputs that would replace the input or other files, before anything is read.
    func requireOutputs(sparing spared: FilePlaces = FilePlaces()) throws(CommandFailure) {
        var spared = spared
        if file != "-" { spared.insert(file) }
        for path in [rejects, report].compactMap(\.self) {
            try PrivateFile.requireName(path, replacing: force, sparing: spared)
        }
    }

    /// What these options say of an import.
    var options: ImportOptions {
        var options = ImportOptions()
        options.format = format
        options.encoding = encoding
        options.rejectLimit = maxRejects?.limit
        options.mostIssues = maxIssues
        options.columns = Dictionary(columns.map { ($0.header, $0.field) }) { _, last in last }
        options.keysByRow = keyByRow
        options.ignoresUnknownColumns = ignoreUnknown
        options.keepsIgnoredColumns = keepIgnored
        return options
    }

    /// What these options say of an inference for the same input.
    var inference: InferenceOptions {
        var options = InferenceOptions()
        options.name = InferenceInputOptions.schemaName(of: file)
        options.format = format
        options.encoding = encoding
        options.keysByRow = keyByRow
        if let folder = Environment["TMPDIR"] { options.temporaryFolder = folder }
        return options
    }

    /// Whether rejected rows lack columns that the input may have.
    var omitsIgnoredColumns: Bool { ignoreUnknown && !keepIgnored && !isJSON }

    /// The options that read the file of rejected rows as the input was read.
    var wordsForRejects: [String] {
        // The columns of what was JSON have the fields' own names.
        if isJSON { return [] }
        var words: [String] = []
        if let byte = delimiter?.byte {
            words += ["--delimiter", byte == 9 ? "tab" : String(Unicode.Scalar(byte))]
        }
        for column in columns { words += ["--map", "\(column.header)=\(column.field)"] }
        return words + (keepIgnored ? ["--ignore-unknown"] : [])
    }

    private var format: InputFormat {
        if isJSON { return .json }
        if kind == nil, delimiter == nil { return .automatic }
        return .csv(delimiter: delimiter.flatMap(\.byte))
    }

    /// Whether the input is said to be JSON, by its ending if by nothing else.
    private var isJSON: Bool {
        switch kind {
        case .csv: return false
        case .json, .ndjson: return true
        case nil:
            let name = file.hasSuffix(".gz") ? file.dropLast(3) : file[...]
            return [".json", ".ndjson", ".jsonl"].contains { name.hasSuffix($0) }
        }
    }
}

/// `;`, `tab`, `\t`, or `auto`.
struct Delimiter: ExpressibleByArgument {
    /// Nil for `auto`.
    let byte: UInt8?

    init?(argument: String) {
        switch argument {
        case "auto": byte = nil
        case "tab", "\\t": byte = UInt8(ascii: "\t")
        default:
            guard argument.utf8.count == 1, let only = argument.utf8.first, only == 9 || 0x20...0x7E ~= only,
                only != UInt8(ascii: "\"")
            else { return nil }
            byte = only
        }
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

    /// Writes a report in the format that the file's ending names.
    static func write(
        to path: String, replacing: Bool, sparing spared: FilePlaces, _ rendered: (ReportFormat) -> String
    ) throws(CommandFailure) {
        try PrivateFile.write(
            rendered(ReportFormat(fileName: path) ?? .text), to: path, replacing: replacing, sparing: spared)
    }
}
