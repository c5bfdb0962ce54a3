internal import ProfileStore
internal import ProfileTransfer
internal import SpreadsheetReading
internal import TextLayout

/// The purpose for which rows are read.
enum ImportAttempt {
    case importing
    /// An import with `--infer`. If the store does not exist, it is created with the rules that are inferred from the
    /// file.
    case inferring
    /// A dry run or a validation, which stores nothing.
    case judging
    case mending
    /// A comparison with a store or another file.
    case comparing
    /// An inference that only proposes a schema.
    case proposing

    /// Options that hints name, but that the command does not have.
    var missingOptions: [String] {
        let layout = ["--encoding", "--header-line", "--no-header", "--sheet"]
        return switch self {
        case .importing, .inferring, .judging: []
        case .mending: layout
        case .comparing: layout + ["--delimiter", "--columns"]
        case .proposing: ["--map", "--ignore"]
        }
    }

    /// The end of a message about an import that stored nothing. Empty if no import was intended.
    var nothingDone: String { self == .importing || self == .inferring ? "; nothing was imported" : "" }
}

// Errors of reading, importing and writing files.
extension CommandFailure {
    init(_ error: ImportError) { self.init(error, attempting: .importing) }

    init(_ error: ImportError, attempting attempt: ImportAttempt) {
        self = CommandFailure(error, withAllHints: attempt).hinting(for: attempt)
    }

    /// Returns the failure without the hints that name an option which the command does not have. Each line after the
    /// first is a hint.
    func hinting(for attempt: ImportAttempt) -> CommandFailure {
        let missing = attempt.missingOptions
        let kept = lines.enumerated().filter { index, line in index == 0 || !missing.contains { line.contains($0) } }
        return CommandFailure(status, lines: kept.map(\.element))
    }

    private init(_ error: ImportError, withAllHints attempt: ImportAttempt) {
        let nothingDone = attempt.nothingDone
        switch error {
        case .noHeader:
            self.init(
                .badInput, "The input is empty, or all its lines are skipped: a row should name the columns")
        case .noHeaderInLine(let line):
            self.init(
                .badInput,
                "Line \(line) does not name the columns: it is blank, a comment, or after the end\(nothingDone)",
                "Choose another line with --header-line")
        case .unreadableHeader(let line):
            self.init(
                .badInput, "The header in line \(line) cannot be read",
                "If it is not UTF-8, name its encoding with --encoding")
        case .tooManyColumns(let count, let most):
            self.init(
                .badInput, "The input has \(count) columns, and at most \(most) can be read\(nothingDone)",
                "If another character separates the cells, name it with --delimiter")
        case .columnMismatch(let mismatch): self.init(mismatch, attempt)
        case .otherDelimiter(let byte):
            let name = byte == 9 ? "tab" : "\"\(Character(Unicode.Scalar(byte)))\""
            self.init(
                .badInput, "The cells of the header seem to be separated by \(name)\(nothingDone)",
                "Set it with --delimiter \(name)")
        case .columnTwice(let name, let columns):
            let list = Self.list(columns.map { $0.quoted(longest: 64) }, separator: " and ")
            self.init(
                .badInput, "The columns \(list) go to the field \"\(name)\"\(nothingDone)",
                "Ignore one of them with --ignore COLUMN, or map it to another field with --map 'COLUMN=FIELD'",
                "If a header occurs again, the later column has a number at the end of its name")
        case .mappedColumnMissing(let name):
            self.init(.usage, "--map names the column \"\(name)\", which the input does not have")
        case .ignoredColumnMissing(let name):
            self.init(.usage, "--ignore names the column \(name.quoted(longest: 64)), which the input does not have")
        case .keyColumnMissing(let name):
            self.init(
                .badInput,
                "The key is made of the column \(name.quoted(longest: 64)), which the input does not have\(nothingDone)",
                "If the column has another name in the input, map it with --map 'COLUMN=FIELD'")
        case .keyColumnWithoutField(let name):
            self.init(
                .usage,
                "The key is made of the column \(name.quoted(longest: 64)), which an option leaves "
                    + "out, or which has no field that can be part of a key\(nothingDone)",
                "Import a file that has the columns of the key, or name other columns with --key for a new store")
        case .unknownField(let name, let fields):
            self.init(
                .usage,
                "--map names the field \(name.quoted(longest: 64)), which the schema does not have"
                    + name.suggestion(in: fields),
                "The fields are: \(Self.list(fields))")
        case .looksLike(let kind): self.init(kind, attempt)
        case .unknownEncoding(let name):
            self.init(
                .usage, "The encoding \(name.quoted(longest: 64)) is not known", "iconv --list shows the known ones")
        case .damagedCompression:
            self.init(.badInput, "The compressed input is damaged or cut off", "gzip --test FILE shows details")
        case .opening(let code), .reading(let code):
            self.init(.inputOutput, "The input cannot be read: \(Self.systemText(code))")
        case .copyingInput(let code) where attempt == .mending:
            self.init(
                .inputOutput, "No copy of the file can be kept while its rows are mended: \(Self.systemText(code))",
                "Name a folder with more space in TMPDIR")
        case .copyingInput(let code):
            self.init(
                .inputOutput,
                "The input from the pipe cannot be kept beside the store until its passwords are hashed: "
                    + Self.systemText(code))
        case .inputChanged:
            self.init(.inputOutput, "The input was changed while it was read\(nothingDone)", "Import it again")
        case .notRejectedRows(let fault): self.init(fault)
        case .readingStream(let failure):
            switch failure.error {
            case let error as SpreadsheetError: self.init(error, attempt)
            case let error as ImportError: self.init(error, attempting: attempt)
            default: self.init(.inputOutput, "The input cannot be read: \(failure)")
            }
        // This error cannot occur here, because the command passes a file for the rejected rows, and never a sink.
        case .writingToSink(let failure):
            self.init(.inputOutput, "The rejected rows cannot be written: \(failure)")
        case .writingRejects(let code): self = .cannotWrite("The file of rejected rows", code)
        case .ended(let error, after: _): self.init(error, attempting: attempt)
        case .store(let error): self.init(error)
        }
    }

    /// Makes the failure for an input that is not a text with records.
    private init(_ kind: FileKind, _ attempt: ImportAttempt) {
        var (what, advice) = kind.text
        if kind == .spreadsheet, attempt == .mending {
            (what, advice) = ("a spreadsheet (.xlsx or .ods)", "Import it with \"profiles import\"")
        }
        self.init(.badInput, "The input looks like \(what)\(attempt.nothingDone)", advice)
    }

    /// Makes the failure for a file that cannot be mended row by row.
    private init(_ fault: RejectedRowFault) {
        switch fault {
        case .noIssues:
            self.init(
                .badInput, "The file does not hold rejected rows: it has no columns _line and _issues",
                "Import it with \"profiles import\"; its option --rejects writes such a file")
        case .compressed:
            self.init(
                .badInput, "The file is compressed, so the remaining rows could not be written back to it",
                "Decompress it first, with \"gunzip\"")
        case .encoding(let name):
            self.init(
                .badInput, "The file is not UTF-8 but \(name), so the remaining rows could not be written back to it",
                "Save it as UTF-8 first")
        case .unreadable(let line):
            self.init(
                .badInput, "Line \(line) of the file cannot be read, so it could not be written back unchanged",
                "Correct its quotes, or the bytes that are not text, and try again")
        }
    }

    init(_ error: ExportError) {
        switch error {
        case .writing(let code): self = .cannotWrite("The export", code)
        case .sorting(let code): self = .cannotSort(code)
        case .store(let error): self.init(error)
        }
    }

    init(_ error: ComparisonError) {
        switch error {
        case .sorting(let code): self = .cannotSort(code)
        case .store(let error, _): self.init(error)
        case .file(let error, _): self.init(error, attempting: .comparing)
        }
    }

    private static func cannotSort(_ code: Int32) -> CommandFailure {
        CommandFailure(
            .inputOutput, "The profiles cannot be sorted in a temporary file: \(systemText(code))",
            "Name a folder with more space in TMPDIR")
    }
}

extension FileKind {
    /// The name of the kind of file, and what to do with such a file.
    fileprivate var text: (what: String, advice: String) {
        func unpacked(by command: String) -> String { "Decompress it first: \(command) FILE | profiles import -" }
        switch self {
        // Commands can read a workbook directly, so only an archive that contains a workbook leads to this text. An
        // exception is `mend`, which reads no workbooks. The caller replaces this text for `mend`.
        case .spreadsheet:
            return ("an archive with a workbook (.xlsx or .ods) in it", "Take the workbook out of it first: unzip FILE")
        case .oldOffice:
            return ("an old Office file (.xls)", "Open it in a spreadsheet program, and save it as .xlsx")
        case .zip: return ("a ZIP archive", unpacked(by: "unzip -p"))
        case .tar: return ("a tar archive", "Take the file out of it first: tar -xf FILE")
        case .gzip: return ("a file that was compressed twice", unpacked(by: "gzip -dc"))
        case .zstd: return ("a file compressed with Zstandard", unpacked(by: "zstd -dc"))
        case .xz: return ("a file compressed with xz", unpacked(by: "xz -dc"))
        case .bzip2: return ("a file compressed with bzip2", unpacked(by: "bzip2 -dc"))
        case .pdf: return ("a PDF document", "Ask for the table as CSV: there are no rows in a PDF")
        case .html:
            return (
                "a page of HTML", "It may be a login page or an error page: look at it, and fetch the CSV file itself"
            )
        case .xml: return ("XML", "Ask for the table as CSV or JSON")
        case .sqlite: return ("an SQLite database", "Export it first: sqlite3 -csv -header FILE 'SELECT * FROM t'")
        case .parquet: return ("a Parquet file", "Export it as CSV first")
        case .utf16LittleEndian: return ("UTF-16 without a byte order mark", "Name it with --encoding UTF-16LE")
        case .utf16BigEndian: return ("UTF-16 without a byte order mark", "Name it with --encoding UTF-16BE")
        case .jsonObject:
            return (
                "one JSON object over several lines, not an array of objects, nor one object per line",
                "If a member of the object is the array, extract it: jq .MEMBER FILE | profiles import - --as json"
            )
        case .binary: return ("a binary file, not text", "CSV, JSON and workbooks (.xlsx, .ods) can be read")
        }
    }
}
