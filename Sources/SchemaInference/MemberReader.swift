internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer

/// Reads JSON objects into columns: one column for each member name that has occurred so far and is chosen.
struct MemberReader: ~Copyable, Sendable {
    private var elements: JSONElementReader
    private let choice: ColumnChoice
    private var positions: [String: Int] = [:]
    /// The number of columns that are examined.
    private var fieldCount = 0
    private var record = 0

    private static let bytesPerBatch = 1 << 20
    /// The maximum number of cells in a batch. The limit is needed because a record has a cell for each column up to
    /// that of its last member.
    private static let cellsPerBatch = 1 << 19

    init(_ elements: consuming JSONElementReader, choice: ColumnChoice) {
        self.elements = elements
        self.choice = choice
    }

    /// Returns the next records; nil at the end of the input, or if there are more columns than a schema can have
    /// fields.
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

    /// Appends the cells of a JSON object.
    ///
    /// - Returns: The reason why the element has no cells; nil if it is a valid object.
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
            // No field has such a long name, and one object could have a million such names.
            guard member.name.utf8.count <= InferenceColumn.longestName else { return .notAnObject }
            let column = position(of: member.name, &columns)
            guard let text = member.value.typedForm(in: nil) else {
                // Nested values are common and their rows are not wrong, so only the column is left out.
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
