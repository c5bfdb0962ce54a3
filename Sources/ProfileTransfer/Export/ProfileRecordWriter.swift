internal import CSVStream
package import ProfileCore
package import ProfileStore

/// Writes some of the profiles of a store, with some columns, as an export writes them all: values in the way in which an
/// import takes them.
package struct ProfileRecordWriter: ~Copyable {
    /// How records are written.
    package enum Format: Sendable {
        /// A header and a record a profile, with commas or tabs between cells; absent is empty.
        case csv, tsv
        /// An object a line; absent is null.
        case ndjson
    }

    private let columns: [ProfileColumn]
    private let sink: ByteSink
    /// Nil for NDJSON.
    private var table: CSVWriter?
    /// Lines of NDJSON that are not yet written.
    private var lines: [UInt8] = []

    /// Begins the records, a header included.
    ///
    /// - Parameters:
    ///   - columns: What each record has.
    ///   - format: How they are written.
    ///   - spreadsheetSafe: Whether a cell that a spreadsheet would run is prefixed with `'`.
    ///   - descriptor: Open for writing; it stays the caller's to close. Writing may block.
    /// - Throws: `writing`.
    package init(
        _ columns: [ProfileColumn], as format: Format, spreadsheetSafe: Bool, to descriptor: Int32
    ) throws(ExportError) {
        self.columns = columns
        sink = .descriptor(descriptor)
        guard format != .ndjson else { return }
        table = CSVWriter(to: sink, delimiter: format == .tsv ? .tab : .comma, spreadsheetSafe: spreadsheetSafe)
        for column in columns { table?.cell(column.name.utf8.span) }
        try endRecord()
    }

    /// Writes a profile.
    ///
    /// - Parameters:
    ///   - profile: One of the schema whose fields are columns.
    ///   - members: What an object of NDJSON has besides.
    /// - Throws: `writing`.
    package mutating func write(_ profile: Profile, with members: [JSONMember] = []) throws(ExportError) {
        guard table != nil else {
            let own = columns.map { JSONMember($0.name, $0.typedJSON(of: profile)) }
            JSONValue.object(own + members).write(to: &lines)
            lines.append(UInt8(ascii: "\n"))
            if lines.count >= 1 << 16 { try flushLines() }
            return
        }
        for column in columns { table?.cell((column.typedForm(of: profile) ?? "").utf8.span) }
        try endRecord()
    }

    /// Writes what is left; there is no more.
    package consuming func finish() throws(ExportError) {
        try flushLines()
        do throws(ByteStreamError) { try table.take()?.finish() } catch { throw .writing(code: error.code) }
    }

    private mutating func endRecord() throws(ExportError) {
        do throws(ByteStreamError) { try table?.endRecord() } catch { throw .writing(code: error.code) }
    }

    private mutating func flushLines() throws(ExportError) {
        guard !lines.isEmpty else { return }
        do throws(ByteStreamError) { try sink.write(lines) } catch { throw .writing(code: error.code) }
        lines.removeAll(keepingCapacity: true)
    }
}
