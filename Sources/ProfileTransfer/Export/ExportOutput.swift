internal import CSVStream
internal import ProfileCore
internal import ProfileStore
internal import Threads

/// The columns of an export.
struct ExportColumns: Sendable {
    let fields: [FieldRules]
    /// Whether the last column of the export contains the password hashes.
    let includesHashes: Bool
    let names: [String]
    /// The layout of the original file. Nil if the export has the default layout, which an import reads without
    /// settings.
    let original: ImportSettings?

    /// - Throws: `invalidQuery` if a column of the form does not exist or is secret.
    init(_ schema: ProfileSchema, as form: ExportForm) throws(ProfileStoreError) {
        original = form.isOriginal ? schema.importSettings : nil
        // If imports compute the primary key, the original file has no column for the key.
        let hasKey = schema.importSettings.key == .column || !form.isOriginal
        fields =
            try form.columns.map { names throws(ProfileStoreError) in try schema.columns(names) }
            ?? schema.openFields.filter { hasKey || !$0.isPrimaryKey }
        includesHashes = form.includesHashes && schema.hasPassword
        let headers = fields.map { form.isOriginal ? $0.originalHeader : $0.name.text }
        let hashHeader = form.isOriginal ? schema[.password]?.hashColumns.first : nil
        names = headers + (includesHashes ? [hashHeader ?? ProfileDraft.hashName] : [])
    }

    /// Whether a column is a fact. The rows of a scan have no cells for facts. ``RowSelection`` adds these cells.
    var hasFacts: Bool { fields.contains { $0.column.fact != nil } }

    /// The scan that reads the values of the columns.
    var scan: StoreScan {
        StoreScan(fields: fields, includesHashes: includesHashes, mostRows: .max, mostBytes: Self.pageBytes)
    }

    static let pageBytes = 1 << 18

    /// For each field: whether the notation of the file may differ from the stored form. The export converts such values.
    var rewritten: [Bool] {
        fields.map { original == nil ? !$0.isTypedAsStored : ![.string, .year].contains($0.type) }
    }

    /// The texts for missing values, by column.
    var missing: [String] { fields.map { original == nil ? "" : $0.writtenMissing ?? "" } }

    /// Returns a stored value in the notation of the file.
    func form(of stored: String, column: Int) -> String {
        original == nil ? fields[column].typedForm(of: stored) : fields[column].originalForm(of: stored)
    }
}

extension ExportForm {
    /// Creates the output that writes profiles in this form.
    func output(_ columns: ExportColumns, to sink: ByteSink) throws(ByteStreamError) -> any ExportOutput {
        switch format {
        case .csv: try CSVExport(columns, to: sink, delimiter: nil, spreadsheetSafe: isSpreadsheetSafe)
        case .tsv: try CSVExport(columns, to: sink, delimiter: .tab, spreadsheetSafe: isSpreadsheetSafe)
        case .markdown: MarkdownExport(columns, to: sink)
        case .json: JSONExport(columns, to: sink, isArray: true)
        case .ndjson: JSONExport(columns, to: sink, isArray: false)
        }
    }
}

/// Writes profiles to a file. Only one thread at a time may call the methods. Writing may block.
protocol ExportOutput: Sendable {
    func write(_ rows: StoredRows) throws(ByteStreamError)

    /// Writes the remaining bytes and ends the file.
    func finish() throws(ByteStreamError)
}

/// Writes a header and one record per profile. Cells are copied from the store's bytes to the file without an
/// intermediate String.
final class CSVExport: ExportOutput {
    private let columns: ExportColumns
    /// See ``ExportColumns/rewritten``.
    private let rewritten: [Bool]
    /// The texts for missing values, by field.
    private let missing: [String]
    /// Nil after the end of the export.
    private let writer: Locked<CSVWriter?>

    /// Writes the header, if the file has one. If `delimiter` is nil, uses the delimiter of the original file, or
    /// else a comma.
    init(
        _ columns: ExportColumns, to sink: ByteSink, delimiter: CSVDelimiter?, spreadsheetSafe: Bool
    ) throws(ByteStreamError) {
        self.columns = columns
        rewritten = columns.rewritten
        missing = columns.missing
        var writer = CSVWriter(
            to: sink, delimiter: delimiter ?? columns.original?.delimiter.flatMap(CSVDelimiter.init) ?? .comma,
            spreadsheetSafe: spreadsheetSafe, containsSecrets: columns.includesHashes)
        if columns.original?.layout.hasHeader ?? true { try writer.record(columns.names) }
        self.writer = Locked(writer)
    }

    func write(_ rows: StoredRows) throws(ByteStreamError) {
        try writer.withLock { writer throws(ByteStreamError) in
            // These loops run for every cell of the export. Therefore they do not copy rules or rows.
            for row in rows.rows.indices {
                for column in rewritten.indices {
                    if rewritten[column] || !missing[column].isEmpty, rows.isAbsent(row, column) {
                        writer?.cell(missing[column].utf8.span)
                    } else if rewritten[column] {
                        writer?.cell(columns.form(of: String(rows.cell(row, column)), column: column).utf8.span)
                    } else {
                        writer?.cell(rows.cell(row, column))
                    }
                }
                if columns.includesHashes {
                    if let hash = rows.rows[row].hash { writer?.cell(hash.bytes) } else { writer?.cell(Span()) }
                }
                try writer?.endRecord()
            }
        }
    }

    func finish() throws(ByteStreamError) {
        try writer.withLock { writer throws(ByteStreamError) in try writer.take()?.finish() }
    }
}

/// Writes one JSON object per line. In the format JSON, the objects are the elements of an array. In the format NDJSON,
/// there is no array. Most cells are copied from the store's bytes to the file without an intermediate String.
final class JSONExport: ExportOutput {
    private struct State {
        /// Text not yet written to the file.
        var text: [UInt8] = []
        var isFirst = true
    }

    private let columns: ExportColumns
    /// The name of each column as a JSON string, with the colon after it and the comma before it.
    private let names: [[UInt8]]
    /// For each field: whether each value is written as a JSON string of the stored form.
    private let copied: [Bool]
    /// For each column: whether its cells are JSON already.
    private let isJSON: [Bool]
    private let isArray: Bool
    private let sink: ByteSink
    private let state = Locked(State())

    init(_ columns: ExportColumns, to sink: ByteSink, isArray: Bool) {
        self.columns = columns
        names = columns.names.enumerated().map { index, name in
            Array((index == 0 ? "" : ",").utf8) + JSONValue.string(name).utf8() + Array(":".utf8)
        }
        copied = zip(columns.fields, columns.rewritten).map { field, isRewritten in
            !isRewritten && ![.integer, .number, .boolean].contains(field.type)
        }
        isJSON = columns.fields.map { $0.column.fact == .issues }
        self.isArray = isArray
        self.sink = sink
    }

    func write(_ rows: StoredRows) throws(ByteStreamError) {
        try state.withLock { state throws(ByteStreamError) in
            for row in rows.rows.indices {
                if isArray { state.text += (state.isFirst ? "[\n" : ",\n").utf8 }
                write(row, of: rows, to: &state.text)
                if !isArray { state.text.append(UInt8(ascii: "\n")) }
                state.isFirst = false
                if state.text.count >= 1 << 16 { try flush(&state) }
            }
        }
    }

    func finish() throws(ByteStreamError) {
        try state.withLock { state throws(ByteStreamError) in
            if isArray { state.text += (state.isFirst ? "[]\n" : "\n]\n").utf8 }
            try flush(&state)
        }
    }

    private func write(_ row: Int, of rows: StoredRows, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "{"))
        // This loop runs for every cell of the export. Therefore it does not copy rules or rows.
        for column in copied.indices {
            text += names[column]
            if isJSON[column] {
                let cell = rows.cell(row, column)
                if rows.isAbsent(row, column) { text += "[]".utf8 } else { cell.withUnsafeBufferPointer { text += $0 } }
            } else if rows.isAbsent(row, column) {
                JSONValue.null.write(to: &text)
            } else if copied[column] {
                JSONValue.write(string: rows.cell(row, column), to: &text)
            } else {
                value(of: String(rows.cell(row, column)), column: column).write(to: &text)
            }
        }
        if columns.includesHashes {
            text += names[copied.count]
            if let hash = rows.rows[row].hash {
                JSONValue.write(string: hash.bytes, to: &text)
            } else {
                JSONValue.null.write(to: &text)
            }
        }
        text.append(UInt8(ascii: "}"))
    }

    private func value(of stored: String, column: Int) -> JSONValue {
        let value = columns.fields[column].json(of: stored)
        guard case .string(let text) = value else { return value }
        return .string(columns.form(of: text, column: column))
    }

    private func flush(_ state: inout State) throws(ByteStreamError) {
        // The text is removed even if writing fails, because it must not be written again.
        defer { state.text.removeAll(keepingCapacity: true) }
        try sink.write(state.text)
    }
}

extension ByteSink {
    /// Writes a text in UTF-8.
    func write(_ text: [UInt8]) throws(ByteStreamError) {
        try text.span.bytes.withUnsafeBytes { bytes throws(ByteStreamError) in try write(bytes) }
    }
}
