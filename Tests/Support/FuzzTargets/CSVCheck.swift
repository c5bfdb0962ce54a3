internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer

/// Imports CSV, and compares each row with what ``ReferenceSplitter`` reads.
struct CSVCheck {
    private var choices: ImportChoices
    private let bytes: [UInt8]
    /// Whether a schema is inferred from the file as well.
    private let isInferred: Bool

    init(_ input: [UInt8]) {
        var first = Choices(input)
        let dialect = first.byte()
        choices = ImportChoices(&first)
        let formats: [InputFormat] = [
            .automatic, .csv(delimiter: UInt8(ascii: ",")), .csv(delimiter: nil), .csv(delimiter: UInt8(ascii: ";")),
            .csv(delimiter: UInt8(ascii: ",")), .csv(delimiter: UInt8(ascii: "\t")),
            .csv(delimiter: UInt8(ascii: "|")), .csv(delimiter: UInt8(ascii: "a")),
        ]
        choices.options.format = formats[Int(dialect) & 7]
        choices.options.encoding = [nil, nil, "UTF-8", "windows-1252"][Int(dialect) >> 3 & 3]
        isInferred = dialect & 0xE0 == 0xE0
        bytes = first.rest
        let top = isInferred ? bytes.count & 7 : Int(dialect) >> 5
        choices.options.layout.hasHeader = top != 1 && top != 6
        choices.options.layout.comment = top == 2 || top == 6 ? UInt8(ascii: "#") : nil
        choices.options.layout.skippedLines = top == 3 ? 1 : 0
        choices.options.layout.headerLine = top == 4 ? 2 : nil
        choices.options.layout.padsShortRows = top == 5 || top == 6
        choices.limitHashing(of: bytes)
    }

    private var layout: TableLayout { choices.options.layout }

    /// Whether no line is skipped, and the first record is the header.
    private var isUsual: Bool {
        layout.hasHeader && layout.comment == nil && layout.skippedLines == 0 && layout.headerLine == nil
    }

    func run() async throws {
        try await ImportCheck(choices: choices, bytes: bytes).run(reading: rows, mayRefuse: mayRefuse)
        if isInferred { try await InferenceCheck(bytes: bytes, options: choices.options).run() }
    }

    /// Whether the import may throw this error for the header, the layout or the bytes of the input.
    private func mayRefuse(_ error: ImportError) -> Bool {
        switch error {
        case .looksLike, .damagedCompression, .ended(.damagedCompression, _): return true
        case .noHeader, .unreadableHeader, .columnTwice, .columnMismatch, .otherDelimiter, .mappedColumnMissing:
            return !hasPlainHeader || !isUsual
        case .ignoredColumnMissing(let name): return choices.options.ignoredColumns.contains(name)
        case .noHeaderInLine(let line): return line == layout.headerLine
        default: return false
        }
    }

    /// Whether the first line is known to contain only names of fields, each once, and the name of the key. False if
    /// the delimiter is not known.
    private var hasPlainHeader: Bool {
        guard case .csv(let delimiter?) = choices.options.format, choices.options.columns.isEmpty else { return false }
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        let names = line.split(separator: delimiter, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let known = choices.schema.fields.map(\.name.text)
        return names.contains("username") && names.allSatisfy(known.contains) && Set(names).count == names.count
    }

    private func rows(_ report: ImportReport) throws -> [ReferenceRow]? {
        guard case .csv(let delimiter?) = report.format, !bytes.starts(with: [0x1F, 0x8B]) else { return nil }
        // The reference does not search for the header.
        if report.warnings.contains(where: { if case .linesAboveHeader = $0 { true } else { false } }) { return nil }
        let isGuessed = report.warnings.contains {
            if case .guessedEncoding(let name) = $0 { name == "windows-1252" } else { false }
        }
        let isWindows1252 = isGuessed || choices.options.encoding == "windows-1252"
        guard let text = ReferenceText.utf8(bytes, isWindows1252: isWindows1252) else { return nil }
        // A first line such as `sep=;` is no record.
        var (start, line) = (0, 1)
        if text.starts(with: "sep=".utf8), text.count > 5, [0x0A, 0x0D].contains(text[5]),
            CSVDelimiter(text[4]) != nil
        {
            start = text.count > 6 && text[5] == 0x0D && text[6] == 0x0A ? 7 : 6
            line = 2
        }
        // A file of rejected rows has another layout than the options give. The reference does not detect it.
        if !isUsual, text.firstRange(of: Array("_issues".utf8)) != nil { return nil }
        let splitter = ReferenceSplitter(
            bytes: text, delimiter: delimiter, skippedLines: layout.headerLine.map { $0 - 1 } ?? layout.skippedLines,
            comment: layout.comment, hasHeader: layout.hasHeader)
        let records = splitter.rows(from: start, line: line)
        try require(!records.isEmpty, "an import without a header")
        if let line = layout.headerLine { try require(records[0].line, is: line, "the line of the header") }
        let header = layout.hasHeader ? records[0].cells : numbers(of: records)
        let fields = try fields(of: header)
        let hasKey = fields.contains("username")
        return records.dropFirst(layout.hasHeader ? 1 : 0).map { record in
            row(record, header: header, fields, isNumbered: !hasKey && choices.options.key == .rowNumber)
        }
    }

    /// Returns the names of the columns of a file without a header.
    private func numbers(of records: [ReferenceRecord]) -> [[UInt8]] {
        let widths = records.prefix(500).filter { $0.fault == nil }.map(\.cells.count)
        let counts = Dictionary(grouping: widths) { $0 }.mapValues(\.count)
        var width = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
        if layout.padsShortRows, let widest = counts.filter({ $0.value > 1 }).keys.max() { width = widest }
        return (0..<width).map { Array("column_\($0 + 1)".utf8) }
    }

    /// Returns the name of each column. A repeated header gets the first number that makes a new name.
    private func names(of header: [[UInt8]]) -> [String] {
        var names = header.map { String(decoding: ReferenceStore.trimmed($0), as: UTF8.self) }
        var taken = Set(names.map(FoldedHeader.init))
        for index in names.indices where names[..<index].contains(names[index]) {
            let name = names[index]
            if name.isEmpty || ["_line", "_issues"].contains(name) { continue }
            var number = 2
            while taken.contains(FoldedHeader("\(name)_\(number)")) { number += 1 }
            names[index] = "\(name)_\(number)"
            taken.insert(FoldedHeader(names[index]))
        }
        return names
    }

    /// Returns the field of each column.
    private func fields(of header: [[UInt8]]) throws -> [String?] {
        let titles = names(of: header)
        let uses = ColumnUses(choices.schema, choices.options, header: Set(titles))
        return try titles.map { title in
            let use = uses.use(of: title)
            if use == .hash { return ProfileDraft.hashName }
            guard case .field(let index) = use else {
                let isName = choices.schema.fields.contains { $0.name.text == title }
                try require(!isName || choices.options.ignoredColumns.contains(title), "\(title) is no field")
                return nil
            }
            return choices.schema.fields[index].name.text
        }
    }

    private func row(
        _ record: ReferenceRecord, header: [[UInt8]], _ fields: [String?], isNumbered: Bool
    ) -> ReferenceRow {
        var row = ReferenceRow(line: record.line, number: record.number)
        if let fault = record.fault {
            row.codes = [fault.code]
            return row
        }
        var record = record
        if layout.padsShortRows {
            record.cells += Array(repeating: [], count: max(0, header.count - record.cells.count))
        }
        if record.cells.count != header.count || layout.hasHeader && isHeader(record.cells, header) {
            row.codes = ["bad_row"]
        } else {
            var cells: [String: String] = isNumbered ? ["username": "\(record.number)"] : [:]
            for (field, cell) in zip(fields, record.cells) {
                if let field { cells[field] = String(decoding: cell, as: UTF8.self) }
            }
            row.cells = cells
        }
        return row
    }

    /// Whether a record repeats the header. A byte order mark may come first.
    private func isHeader(_ cells: [[UInt8]], _ header: [[UInt8]]) -> Bool {
        var cells = cells
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if cells[0].count == header[0].count + mark.count, cells[0].starts(with: mark) { cells[0].removeFirst(3) }
        return cells.map(ReferenceStore.folded) == header.map(ReferenceStore.folded)
    }
}

extension RecordFault {
    fileprivate var code: String {
        switch self {
        case .badEncoding: "bad_encoding"
        case .unclosedQuote: "unclosed_quote"
        case .textAfterQuote, .nul, .tooLong: "bad_row"
        }
    }
}
