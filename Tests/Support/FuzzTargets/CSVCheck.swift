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
        choices.limitHashing(of: bytes)
    }

    func run() async throws {
        try await ImportCheck(choices: choices, bytes: bytes).run(reading: rows, mayRefuse: mayRefuse)
        if isInferred { try await InferenceCheck(bytes: bytes, options: choices.options).run() }
    }

    /// Whether the header gives a reason for a refusal, or the bytes may be no text.
    private func mayRefuse(_ error: ImportError) -> Bool {
        switch error {
        case .looksLike, .damagedCompression, .ended(.damagedCompression, _): return true
        case .noHeader, .unreadableHeader, .columnTwice, .columnMismatch, .otherDelimiter, .mappedColumnMissing:
            return !hasPlainHeader
        default: return false
        }
    }

    /// Whether the first line certainly has the name of the key, and nothing else than names of fields.
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
        let records = ReferenceSplitter(bytes: text, delimiter: delimiter).rows(from: start, line: line)
        try require(!records.isEmpty, "an import without a header")
        let fields = try fields(of: records[0].cells)
        let hasKey = fields.contains("username")
        return records.dropFirst().map { record in
            row(record, header: records[0].cells, fields, isNumbered: !hasKey && choices.options.key == .rowNumber)
        }
    }

    /// Returns the field of each column.
    private func fields(of header: [[UInt8]]) throws -> [String?] {
        let uses = ColumnUses(choices.schema, choices.options)
        return try header.map { cell in
            let title = String(decoding: ReferenceStore.trimmed(cell), as: UTF8.self)
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
        } else if record.cells.count != header.count || isHeader(record.cells, header) {
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
