internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer

/// Reads JSON objects into columns: one column for each member name that has occurred so far and is chosen.
///
/// The column of a member of a nested object is named after both members, separated by a point: `address.city`. If a
/// member is an object in one record and a value in another record, neither the member nor the members of the object
/// become fields.
struct MemberReader: ~Copyable, Sendable {
    private var elements: JSONElementReader
    private let choice: ColumnChoice
    private let types: [String: FieldType]
    private let mostFields: Int
    private var positions: [String: Int] = [:]
    /// The number of columns that are not left out.
    private var fieldCount = 0
    /// The names of the members that are objects in at least one record.
    private var objects: Set<String> = []
    /// The names of the members that have a value in at least one record.
    private var valued: Set<String> = []
    private var record = 0

    private static let bytesPerBatch = 1 << 20
    /// The maximum number of cells in a batch. The limit is needed because a record with few members can have many
    /// cells: all columns before the last used column have an absent cell.
    private static let cellsPerBatch = 1 << 19

    /// Begins to read. `omittedCount` is the number of columns that the options leave out. Only the end of the input
    /// shows which columns they are, so until then the file may have so many columns more.
    init(
        _ elements: consuming JSONElementReader, choice: ColumnChoice, types: [String: FieldType], omittedCount: Int
    ) {
        self.elements = elements
        self.choice = choice
        self.types = types
        mostFields = ProfileSchema.mostFields + omittedCount
    }

    /// Returns the next records; nil at the end of the input, or if there are more columns than a schema or an import
    /// can have.
    mutating func next(_ columns: inout [InferenceColumn]) throws(ByteStreamError) -> InferenceBatch? {
        var records = RecordBatch(containsSecrets: true)
        var faults: [Int: RowRefusal] = [:]
        while records.records.count < ImportSource.recordsPerBatch, records.byteCount < Self.bytesPerBatch,
            records.cellCount < Self.cellsPerBatch, fieldCount <= mostFields,
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
        if let fault = element.fault { return fault == .tooLong ? .tooLong : .notJSON }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: elements.bytes(of: element))
        } catch {
            switch error.reason {
            case .badEncoding: return .badEncoding
            case .duplicateName: return .repeatedMember
            default: return .notJSON
            }
        }
        guard case .object(let members) = value else { return .notAnObject }
        var cells: [Int: String] = [:]
        if let refusal = take(members, within: "", &cells, &columns) { return refusal }
        guard let last = cells.keys.max() else { return nil }
        for column in 0...last {
            if let text = cells[column] { records.appendCell(text.utf8Span.span) } else { records.appendAbsentCell() }
        }
        return nil
    }

    /// Adds the cells of an object's members to `cells`. The name of a column is `prefix` and the name of the member.
    ///
    /// - Returns: The reason why the record is refused; nil if it is not.
    private mutating func take(
        _ members: [JSONMember], within prefix: String, _ cells: inout [Int: String],
        _ columns: inout [InferenceColumn]
    ) -> RowRefusal? {
        for member in members {
            let name = prefix.isEmpty ? member.name : prefix + member.name
            if ImportColumns.rejectColumns.contains(name) { continue }
            if case .object(let nested) = member.value, !choice.isNamed(name) {
                guard name.utf8.count <= InferenceColumn.longestName else {
                    if choice.isOfAll { return .notAnObject }
                    continue
                }
                if objects.count < ImportColumns.mostColumns, objects.insert(name).inserted {
                    if valued.contains(name) {
                        leaveOutObject(name, &columns)
                    } else if let column = positions[name] {
                        leaveOut(column, &columns)
                    }
                }
                if let refusal = take(nested, within: name + ".", &cells, &columns) { return refusal }
                continue
            }
            guard choice.mayMean(name) else { continue }
            // No field has such a long name, and one object could have a million such names.
            guard name.utf8.count <= InferenceColumn.longestName else { return .notAnObject }
            let column = position(of: name, &columns)
            if member.value != .null, valued.insert(name).inserted, objects.contains(name) {
                leaveOutObject(name, &columns)
            }
            let list = member.value.listForm(in: nil)
            if list != nil { columns[column].holdsJoinedLists = true }
            // Nested lists are common and their rows are not wrong, so only the column is left out. The same holds for a
            // name that occurs twice, as in {"a": {"b": 1}, "a.b": 2}.
            guard let text = list ?? member.value.typedForm(in: nil), cells[column] == nil else {
                leaveOut(column, &columns)
                continue
            }
            cells[column] = text
        }
        return nil
    }

    private mutating func leaveOut(_ column: Int, _ columns: inout [InferenceColumn]) {
        if columns[column].omission == nil { fieldCount -= 1 }
        columns[column].omission = .holdsLists
    }

    /// Leaves out the columns of a member that is an object in one record and a value in another.
    private mutating func leaveOutObject(_ name: String, _ columns: inout [InferenceColumn]) {
        for (member, column) in positions where member == name || member.hasPrefix(name + ".") {
            leaveOut(column, &columns)
        }
    }

    private mutating func position(of name: String, _ columns: inout [InferenceColumn]) -> Int {
        if let position = positions[name] { return position }
        positions[name] = columns.count
        columns.append(InferenceColumn(name, at: columns.count, types: types))
        if columns[columns.count - 1].omission == nil { fieldCount += 1 }
        let mixed = objects.isEmpty ? [] : objects.intersection(valued)
        let isBelowValue = !mixed.isEmpty && mixed.contains { name.hasPrefix($0 + ".") }
        if isBelowValue || objects.contains(name) { leaveOut(columns.count - 1, &columns) }
        return columns.count - 1
    }

    /// Returns the positions of columns that have no value because their member is null or an object. The members of the
    /// object are columns of their own.
    func objectColumns() -> Set<Int> {
        let names = Array(positions.keys)
        var found: Set<Int> = []
        for name in objects where !valued.contains(name) {
            guard let column = positions[name] else { continue }
            if names.contains(where: { $0.hasPrefix(name + ".") }) { found.insert(column) }
        }
        return found
    }
}
