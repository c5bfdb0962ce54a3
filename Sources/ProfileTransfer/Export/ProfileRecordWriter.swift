internal import CSVStream
package import ProfileCore
package import ProfileStore

/// Writes selected columns of selected profiles in the format of an export. An import accepts the written values.
package struct ProfileRecordWriter: ~Copyable {
    /// The format of the records.
    package enum Format: Sendable {
        /// A header, then one record per profile, with commas or tabs between cells. An absent value is an empty cell.
        case csv, tsv
        /// One object per line. An absent value is null.
        case ndjson
    }

    private let columns: [ProfileColumn]
    private let sink: ByteSink
    /// Nil for NDJSON.
    private var table: CSVWriter?
    /// Lines of NDJSON that are not written yet.
    private var lines: [UInt8] = []

    /// Starts the output and writes the header, if the format has one.
    ///
    /// - Parameters:
    ///   - columns: The columns of each record.
    ///   - format: The format of the records.
    ///   - spreadsheetSafe: Whether to prefix a cell with `'` if a spreadsheet would run it as a formula.
    ///   - descriptor: A descriptor open for writing, which the caller closes. Writing may block.
    /// - Throws: `writing` if writing fails.
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
    ///   - profile: The profile. Its schema must contain the fields of the columns.
    ///   - members: Additional members of the profile's JSON object. They are used only for NDJSON.
    /// - Throws: `writing` if writing fails.
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

    /// Writes the remaining records and ends the output.
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
