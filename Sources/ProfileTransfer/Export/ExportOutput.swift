internal import CSVStream
internal import ProfileCore
internal import ProfileStore
internal import Synchronization

/// What is exported of each profile.
struct ExportColumns: Sendable {
    let fields: [FieldRules]
    /// Whether the hash follows the fields.
    let includesHashes: Bool
    let names: [String]

    init(_ schema: ProfileSchema, includingHashes: Bool) {
        fields = schema.openFields
        includesHashes = includingHashes && schema.hasPassword
        names = fields.map(\.name.text) + (includesHashes ? [ProfileDraft.hashName] : [])
    }
}

extension ExportForm {
    /// What writes profiles in this form.
    func output(_ columns: ExportColumns, to sink: ByteSink) throws(ByteStreamError) -> any ExportOutput {
        switch format {
        case .csv: try CSVExport(columns, to: sink, spreadsheetSafe: isSpreadsheetSafe)
        case .json: JSONExport(columns, to: sink, isArray: true)
        case .ndjson: JSONExport(columns, to: sink, isArray: false)
        }
    }
}

/// Writes profiles to a file; one thread at a time does. Writing may block.
protocol ExportOutput: Sendable {
    func write(_ rows: StoredRows) throws(ByteStreamError)

    /// Writes what is left; there is no more.
    func finish() throws(ByteStreamError)
}

/// A header and a record a profile. Cells go from the store's bytes to the file's without a String between.
final class CSVExport: ExportOutput {
    private let columns: ExportColumns
    /// Fields whose stored form the schema would not take back.
    private let rewritten: [Bool]
    /// Nil once it has ended.
    private let writer: Mutex<CSVWriter?>

    init(_ columns: ExportColumns, to sink: ByteSink, spreadsheetSafe: Bool) throws(ByteStreamError) {
        self.columns = columns
        rewritten = columns.fields.map { !$0.isTypedAsStored }
        var writer = CSVWriter(to: sink, spreadsheetSafe: spreadsheetSafe, containsSecrets: columns.includesHashes)
        try writer.record(columns.names)
        self.writer = Mutex(writer)
    }

    func write(_ rows: StoredRows) throws(ByteStreamError) {
        try writer.withLock { writer throws(ByteStreamError) in
            // Rules and rows are not copied for each cell: there are many cells.
            for row in rows.rows.indices {
                for column in rewritten.indices {
                    if rewritten[column] {
                        let typed = columns.fields[column].typedForm(of: String(rows.cell(row, column)))
                        writer?.cell(typed.utf8.span)
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

/// An object a line, in an array or not.
final class JSONExport: ExportOutput {
    private struct State {
        /// What is not yet in the file.
        var text: [UInt8] = []
        var isFirst = true
    }

    private let columns: ExportColumns
    private let isArray: Bool
    private let sink: ByteSink
    private let state = Mutex(State())

    init(_ columns: ExportColumns, to sink: ByteSink, isArray: Bool) {
        self.columns = columns
        self.isArray = isArray
        self.sink = sink
    }

    func write(_ rows: StoredRows) throws(ByteStreamError) {
        try state.withLock { state throws(ByteStreamError) in
            for (row, profile) in rows.rows.enumerated() {
                if isArray { state.text += (state.isFirst ? "[\n" : ",\n").utf8 }
                JSONValue.object(members(row, profile, rows)).write(to: &state.text)
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

    private func members(_ row: Int, _ profile: StoredRows.Row, _ rows: StoredRows) -> [JSONMember] {
        var members: [JSONMember] = []
        members.reserveCapacity(columns.names.count)
        for (column, rules) in columns.fields.enumerated() {
            let stored = rows.isAbsent(row, column) ? nil : String(rows.cell(row, column))
            members.append(JSONMember(columns.names[column], rules.typedJSON(of: stored)))
        }
        if columns.includesHashes {
            let hash = profile.hash.map { JSONValue.string(String($0.bytes)) }
            members.append(JSONMember(ProfileDraft.hashName, hash ?? .null))
        }
        return members
    }

    private func flush(_ state: inout State) throws(ByteStreamError) {
        // What cannot be written is not tried again.
        defer { state.text.removeAll(keepingCapacity: true) }
        try sink.write(state.text)
    }
}

extension ByteSink {
    /// Writes a text, which is UTF-8 already.
    func write(_ text: [UInt8]) throws(ByteStreamError) {
        try text.span.bytes.withUnsafeBytes { bytes throws(ByteStreamError) in try write(bytes) }
    }
}
