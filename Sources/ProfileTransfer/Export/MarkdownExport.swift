internal import CSVStream
internal import ProfileCore
internal import ProfileStore
internal import Threads

/// Writes a Markdown table, as GitHub shows it (GitHub Flavored Markdown, section 4.10). Characters with a meaning in
/// Markdown are escaped, so a reader sees the values unchanged.
final class MarkdownExport: ExportOutput {
    private let columns: ExportColumns
    /// See ``ExportColumns/rewritten``.
    private let rewritten: [Bool]
    private let sink: ByteSink
    /// Text that is not yet written.
    private let text: Locked<[UInt8]>

    init(_ columns: ExportColumns, to sink: ByteSink) {
        self.columns = columns
        rewritten = columns.rewritten
        self.sink = sink
        var text: [UInt8] = []
        for name in columns.names { Self.append(cell: name.utf8.span, to: &text) }
        text += "|\n".utf8
        let isNumber = columns.fields.map { $0.type == .integer || $0.type == .number }
        for index in columns.names.indices {
            text += (index < isNumber.count && isNumber[index] ? "| ---: " : "| --- ").utf8
        }
        text += "|\n".utf8
        self.text = Locked(text)
    }

    func write(_ rows: StoredRows) throws(ByteStreamError) {
        try text.withLock { text throws(ByteStreamError) in
            for row in rows.rows.indices {
                for column in rewritten.indices {
                    if rewritten[column], !rows.isAbsent(row, column) {
                        let form = columns.form(of: String(rows.cell(row, column)), column: column)
                        Self.append(cell: form.utf8.span, to: &text)
                    } else {
                        Self.append(cell: rows.cell(row, column), to: &text)
                    }
                }
                if columns.includesHashes {
                    if let hash = rows.rows[row].hash {
                        Self.append(cell: hash.bytes, to: &text)
                    } else {
                        Self.append(cell: Span(), to: &text)
                    }
                }
                text += "|\n".utf8
                if text.count >= 1 << 16 { try flush(&text) }
            }
        }
    }

    func finish() throws(ByteStreamError) {
        try text.withLock { text throws(ByteStreamError) in try flush(&text) }
    }

    private func flush(_ text: inout [UInt8]) throws(ByteStreamError) {
        defer { text.removeAll(keepingCapacity: true) }
        try sink.write(text)
    }

    private static func append(cell: Span<UInt8>, to text: inout [UInt8]) {
        text += "| ".utf8
        for index in cell.indices {
            let byte = cell[index]
            switch byte {
            case UInt8(ascii: "\n"):
                // A row of a table is one line.
                text += "<br>".utf8
            case UInt8(ascii: "\r"):
                if index + 1 == cell.count || cell[index + 1] != UInt8(ascii: "\n") { text += "<br>".utf8 }
            case UInt8(ascii: "_"):
                // Within a word an underscore has no meaning.
                let isWithin =
                    index > 0 && index + 1 < cell.count && isWord(cell[index - 1]) && isWord(cell[index + 1])
                if !isWithin { text.append(UInt8(ascii: "\\")) }
                text.append(byte)
            case UInt8(ascii: "\\"), UInt8(ascii: "|"), UInt8(ascii: "*"), UInt8(ascii: "`"), UInt8(ascii: "<"),
                UInt8(ascii: ">"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "&"), UInt8(ascii: "~"),
                UInt8(ascii: "$"):
                text.append(UInt8(ascii: "\\"))
                text.append(byte)
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: " "))
    }

    private static func isWord(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte.isASCIIDigit || byte >= 0x80 }
}
