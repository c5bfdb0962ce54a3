internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer

/// Reads JSON objects into columns, one for each name that a member has had so far, of those that were asked for.
struct MemberReader: ~Copyable, Sendable {
    private var elements: JSONElementReader
    private let choice: ColumnChoice
    private var positions: [String: Int] = [:]
    /// Columns that are looked at.
    private var fieldCount = 0
    private var record = 0

    private static let bytesPerBatch = 1 << 20
    /// A record has a cell for each column up to its last member's.
    private static let cellsPerBatch = 1 << 19

    init(_ elements: consuming JSONElementReader, choice: ColumnChoice) {
        self.elements = elements
        self.choice = choice
    }

    /// The next records; nil at the end of the input, or where there are more columns than a schema has fields.
    mutating func next(_ columns: inout [InferenceColumn]) throws(ByteStreamError) -> InferenceBatch? {
        var records = RecordBatch(containsSecrets: true)
        var faults: [Int: RowRefusal] = [:]
        while records.records.count < ImportSource.recordsPerBatch, records.byteCount < Self.bytesPerBatch,
            records.cellCount < Self.cellsPerBatch, fieldCount <= ProfileSchema.mostFields,
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
        _ element: JSONElementReader.Element, into records: inout RecordBatch, _ columns: inout [InferenceColumn]
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
        for member in members where !ImportColumns.rejectColumns.contains(member.name) && choice.mayMean(member.name) {
            // Nobody calls a field so, and one object may have a million of such names.
            guard member.name.utf8.count <= InferenceColumn.longestName else { return .notAnObject }
            let column = position(of: member.name, &columns)
            guard let text = member.value.typedForm(in: nil) else {
                // Nested values are usual, and their rows are not wrong: the column is no field.
                if columns[column].omission == nil { fieldCount -= 1 }
                columns[column].omission = .holdsLists
                continue
            }
            cells[column] = text
        }
        guard let last = cells.keys.max() else { return nil }
        for column in 0...last {
            if let text = cells[column] { records.appendCell(text.utf8Span.span) } else { records.appendAbsentCell() }
        }
        return nil
    }

    private mutating func position(of name: String, _ columns: inout [InferenceColumn]) -> Int {
        if let position = positions[name] { return position }
        positions[name] = columns.count
        columns.append(InferenceColumn(name, at: columns.count))
        if columns[columns.count - 1].omission == nil { fieldCount += 1 }
        return columns.count - 1
    }
}
