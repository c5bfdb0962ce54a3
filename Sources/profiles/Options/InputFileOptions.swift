internal import ArgumentParser
internal import ProfileCore
internal import ProfileTransfer
internal import SchemaInference
internal import SpreadsheetReading

/// An input file of profiles, and its format.
struct InputFileOptions: ParsableArguments {
    @Argument(
        help: "The file; - is standard input.",
        completion: .file(extensions: ["csv", "tsv", "txt", "ndjson", "jsonl", "json", "gz", "xlsx", "ods"]))
    var file: String

    @Option(
        name: .customLong("as"),
        help: "Read the input as csv, json or ndjson. (default: by the file's extension, else detected)")
    var kind: Kind?

    // These options are not in an `OptionGroup`: parsing time doubles for each level of nested groups.
    @Option(help: Delimiter.help)
    var delimiter: Delimiter?

    @Option(
        help: ArgumentHelp(
            "Read text in this encoding, by its name in iconv: latin1, windows-1252, ... (default: UTF-8, or detected)",
            valueName: "name"))
    var encoding: String?

    @Option(
        help: ArgumentHelp("Read this sheet of a workbook. (default: the first that is not hidden)", valueName: "name"))
    var sheet: String?

    @Flag(help: "Read the first row as data, and name the columns column_1, column_2, ...")
    var noHeader = false

    // A negative number is read as the value, so that the error says which numbers are allowed.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Skip this number of lines at the start of the file, whatever is in them.", valueName: "n"))
    var skip = 0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Read the header from this line, and skip the lines above it.", valueName: "n"))
    var headerLine: Int?

    @Option(help: ArgumentHelp("Skip lines that begin with this ASCII character, such as #.", valueName: "c"))
    var comment: CommentCharacter?

    @Flag(help: "Read a row with too few cells as if empty cells followed.")
    var pad = false

    @Option(
        help: ArgumentHelp("Use this column as the key, or several columns together.", valueName: "header,…"))
    var key: ColumnList?

    @Flag(help: "Use the row number as the key if no column is the key. With inferred rules, use it always.")
    var keyByRow = false

    @Flag(help: "Use a hash of the row's cells as the key, if the file has no key and later versions of it follow.")
    var keyByContent = false

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case csv, json, ndjson
    }

    func validate() throws {
        guard [key != nil, keyByRow, keyByContent].count(where: \.self) < 2 else {
            throw ValidationError("--key, --key-by-row and --key-by-content exclude each other.")
        }
        if let headers = key?.headers, Set(headers).count < headers.count {
            throw ValidationError("--key names a column twice.")
        }
        if delimiter != nil, isJSON { throw ValidationError("--delimiter is for CSV.") }
        try validateLayout()
        if isJSON, let option = layout.words.first { throw ValidationError("\(option) is for CSV.") }
        if let comment, comment.byte == delimiter?.byte {
            throw ValidationError("--comment and --delimiter name the same character.")
        }
        if sheet != nil, kind != nil || delimiter != nil || encoding != nil {
            throw ValidationError("--sheet is for workbooks, and excludes --as, --delimiter and --encoding.")
        }
    }

    /// Returns the input for an open file. A workbook is read as the rows of a sheet. `usual` is the layout with which the
    /// store reads files.
    func input(
        _ opened: borrowing InputFile, usual: TableLayout = TableLayout()
    ) throws(ImportError) -> ImportInput {
        let input = ImportInput(descriptor: opened.descriptor, name: opened.path, byteCount: opened.byteCount)
        return try input.readingSheet(
            named: sheet, usual: usual.sheet, headerRow: headerLine ?? usual.headerLine,
            keptIn: Environment["TMPDIR"] ?? "/var/tmp")
    }

    var format: InputFormat {
        if isJSON { return .json }
        if kind == nil, delimiter == nil, layout.words.isEmpty { return .automatic }
        return .csv(delimiter: delimiter?.byte)
    }

    /// Whether the input is JSON. The format is the value of `--as`. If `--as` is not given, the file's extension
    /// decides.
    var isJSON: Bool {
        switch kind {
        case .csv: return false
        case .json, .ndjson: return true
        case nil:
            let name = file.hasSuffix(".gz") ? file.dropLast(3) : file[...]
            return [".json", ".ndjson", ".jsonl"].contains { name.hasSuffix($0) }
        }
    }

    /// The source of the key; nil if no option chooses it.
    var keySource: KeySource? {
        key.map { .columns($0.headers) } ?? (keyByRow ? .rowNumber : keyByContent ? .content : nil)
    }

    /// The import options that these options describe.
    var importing: ImportOptions {
        var options = ImportOptions()
        if let folder = Environment["TMPDIR"] { options.temporaryFolder = folder }
        options.format = format
        options.encoding = encoding
        options.layout = layout
        options.key = keySource ?? .column
        return options
    }

    /// The inference options that these options describe.
    var inference: InferenceOptions {
        var options = InferenceOptions()
        // The file's name without its extensions.
        let name = file.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? ""
        if !name.isEmpty, file != "-" { options.name = String(name.prefix(64)) }
        options.format = format
        options.encoding = encoding
        options.layout = layout
        options.key = keySource
        if let folder = Environment["TMPDIR"] { options.temporaryFolder = folder }
        return options
    }
}
