internal import CSVStream
internal import ProfileCore

/// What is exported of each profile.
struct ExportColumns: Sendable {
    /// Nil for the hash, which follows the fields.
    let rules: [FieldRules?]
    let names: [String]
    /// See ``ProfileTable/selectForExport(includingHashes:)``.
    let selection: String

    init(_ table: ProfileTable, includingHashes: Bool) {
        let hash: [FieldRules?] = includingHashes && table.schema.hasPassword ? [nil] : []
        rules = table.schema.openFields + hash
        names = rules.map { $0?.name.text ?? ProfileDraft.hashName }
        selection = table.selectForExport(includingHashes: !hash.isEmpty)
    }

    var includesHashes: Bool { rules.contains { $0 == nil } }
}

/// Writes profiles, which arrive as cells by the columns.
protocol ExportOutput: ~Copyable {
    var columns: ExportColumns { get }

    mutating func write(_ record: RecordBatch.Record, of page: borrowing RecordBatch) throws(ByteStreamError)

    consuming func finish() throws(ByteStreamError)
}

/// A header and a record a profile. Cells go from the store's bytes to the file's without a String between.
struct CSVExport: ExportOutput, ~Copyable {
    let columns: ExportColumns
    /// Dates whose stored form the schema would not take back.
    private let rewritten: [Bool]
    private var writer: CSVWriter

    init(_ columns: ExportColumns, to sink: ByteSink, spreadsheetSafe: Bool) throws(ExportError) {
        self.columns = columns
        rewritten = columns.rules.map { $0?.isRewrittenForExport ?? false }
        writer = CSVWriter(to: sink, spreadsheetSafe: spreadsheetSafe, containsSecrets: columns.includesHashes)
        do throws(ByteStreamError) { try writer.record(columns.names) } catch { throw .writing(code: error.code) }
    }

    mutating func write(_ record: RecordBatch.Record, of page: borrowing RecordBatch) throws(ByteStreamError) {
        for (column, index) in record.cells.enumerated() {
            if rewritten[column], let rules = columns.rules[column] {
                writer.cell(rules.typedForm(of: String(page.cell(index))).utf8.span)
            } else {
                writer.cell(page.cell(index))
            }
        }
        try writer.endRecord()
    }

    consuming func finish() throws(ByteStreamError) { try writer.finish() }
}

/// An object a line, in an array or not.
struct JSONExport: ExportOutput, ~Copyable {
    let columns: ExportColumns
    private let isArray: Bool
    private let sink: ByteSink
    private var text = ""
    private var isFirst = true

    init(_ columns: ExportColumns, to sink: ByteSink, isArray: Bool) {
        self.columns = columns
        self.isArray = isArray
        self.sink = sink
    }

    mutating func write(_ record: RecordBatch.Record, of page: borrowing RecordBatch) throws(ByteStreamError) {
        var members: [JSONMember] = []
        members.reserveCapacity(columns.names.count)
        for (column, index) in record.cells.enumerated() {
            let stored = page.isAbsent(index) ? nil : String(page.cell(index))
            let value = columns.rules[column].map { rules in rules.json(of: stored.map(rules.typedForm)) }
            members.append(JSONMember(columns.names[column], value ?? stored.map(JSONValue.string) ?? .null))
        }
        if isArray { text += isFirst ? "[\n" : ",\n" }
        text += JSONValue.object(members).text()
        if !isArray { text += "\n" }
        isFirst = false
        if text.utf8.count >= 1 << 16 { try flush() }
    }

    consuming func finish() throws(ByteStreamError) {
        if isArray { text += isFirst ? "[]\n" : "\n]\n" }
        try flush()
    }

    private mutating func flush() throws(ByteStreamError) {
        var output = text
        text = ""
        var failure: ByteStreamError?
        output.withUTF8 { bytes in
            do throws(ByteStreamError) { try sink.write(UnsafeRawBufferPointer(bytes)) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

extension FieldRules {
    /// Whether the stored form of some value is not the form in which it can be typed again.
    fileprivate var isRewrittenForExport: Bool { type == .date && !formats.contains(.iso) }
}
