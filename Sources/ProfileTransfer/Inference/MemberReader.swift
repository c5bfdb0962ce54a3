internal import CSVStream
internal import ProfileCore

/// Reads JSON objects into columns, one for each name that a member has had so far.
struct MemberReader: ~Copyable, Sendable {
    private var elements: JSONElementReader
    private var positions: [String: Int] = [:]
    private var record = 0

    private static let bytesPerBatch = 1 << 20

    init(_ elements: consuming JSONElementReader) { self.elements = elements }

    /// The next records; nil at the end of the input, or where there are more names than any file has columns.
    mutating func next(_ columns: inout [ColumnName]) throws(ByteStreamError) -> InferenceBatch? {
        var records = RecordBatch(containsSecrets: true)
        var faults: [Int: RowRefusal] = [:]
        while records.records.count < ImportSource.recordsPerBatch, records.byteCount < Self.bytesPerBatch,
            columns.count <= ImportColumns.mostColumns
        {
            guard let element = try elements.next() else { break }
            guard element.fault != nil || !elements.bytes(of: element).trimmed().isEmpty else { continue }
            record += 1
            records.beginRecord(line: element.line, number: record)
            if let refusal = read(element, into: &records, &columns) { faults[records.records.count] = refusal }
            records.endRecord()
        }
        guard !records.records.isEmpty else { return nil }
        return InferenceBatch(
            records, columns: columns, header: nil, faults: faults, bytesRead: elements.bytesRead)
    }

    /// Appends the cells of an object.
    ///
    /// - Returns: Why it has none, if so.
    private mutating func read(
        _ element: JSONElementReader.Element, into records: inout RecordBatch, _ columns: inout [ColumnName]
    ) -> RowRefusal? {
        if let fault = element.fault { return fault == .tooLong ? .tooLong : .notAnObject }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: elements.bytes(of: element))
        } catch {
            return error.reason == .badEncoding ? .badEncoding : .notAnObject
        }
        guard case .object(let members) = value else { return .notAnObject }
        var cells: [Int: String] = [:]
        for member in members where !ImportColumns.rejectColumns.contains(member.name) {
            // A field whose values are written in the usual way is what is looked for.
            guard let text = member.value.typedForm(in: nil) else { return .notAnObject }
            if text.utf8.contains(0) { return .nul }
            cells[position(of: member.name, &columns)] = text
        }
        for column in columns.indices {
            if let text = cells[column] { records.appendCell(text.utf8Span.span) } else { records.appendAbsentCell() }
        }
        return nil
    }

    private mutating func position(of name: String, _ columns: inout [ColumnName]) -> Int {
        if let position = positions[name] { return position }
        positions[name] = columns.count
        columns.append(ColumnName(name))
        return columns.count - 1
    }
}
