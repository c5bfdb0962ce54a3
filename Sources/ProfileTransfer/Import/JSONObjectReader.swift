internal import CSVStream
internal import ProfileCore

/// Reads JSON objects, either one per line or the elements of an array. Puts their members into the columns of the
/// schema's fields.
///
/// A missing member becomes an absent cell, and null becomes an empty cell. Blank lines are ignored. A member of a nested
/// object has the names of both, separated by a point: `address.city`. The elements of a list become one cell.
struct JSONObjectReader: ~Copyable, Sendable {
    private var elements: JSONElementReader
    private let columns: ImportColumns
    private let options: ImportOptions
    private var keys: ComputedKeys?
    /// A cache of the uses of member names. The key is the name. The number and the length of the cached names are
    /// limited, because an input may contain different names on each line.
    private var known: [String: ColumnUse] = [:]
    private var record = 0
    /// The objects of the current batch that have lists in columns of fields.
    private var lists = Occurrences()
    private var hasList = false

    private static let bytesPerBatch = 1 << 20
    private static let mostKnown = 1_000
    /// The maximum length of a cached name in bytes. It is twice the maximum length of a field name, so every usual
    /// spelling of a field name fits.
    private static let longestKnown = 2 * FieldName.longestLength
    /// The maximum length, in Unicode scalars, of an unknown member name in a report.
    private static let longestName = 100

    init(_ elements: consuming JSONElementReader, columns: ImportColumns, options: ImportOptions) {
        self.elements = elements
        self.columns = columns
        self.options = options
        keys = ComputedKeys(of: columns)
    }

    /// Returns the next records, or nil at the end of the input.
    mutating func next() throws(ByteStreamError) -> ReadBatch? {
        var records = RecordBatch(containsSecrets: columns.hasPasswords)
        var faults: [Int: ReadFault] = [:]
        lists = Occurrences()
        while records.records.count < ImportSource.recordsPerBatch, records.byteCount < Self.bytesPerBatch {
            guard let element = try elements.next() else { break }
            guard element.fault != nil || !elements.bytes(of: element).trimmed().isEmpty else { continue }
            record += 1
            records.beginRecord(line: element.line, number: record)
            if element.fault == .tooLong {
                records.endRecord(fault: .tooLong)
                continue
            }
            hasList = false
            let fault = read(element, into: &records)
            if hasList { lists.add(line: element.line) }
            if fault.isThere { faults[records.records.count] = fault }
            records.endRecord()
        }
        guard !records.records.isEmpty else { return nil }
        let computed = keys?.keys(of: records) ?? []
        return ReadBatch(
            records, keys: computed, faults: faults, joinedLists: lists, bytesRead: elements.bytesRead)
    }

    /// Appends the cells of an element. The element may be a JSON value that is not an object.
    ///
    /// - Returns: The errors of the element, if any.
    private mutating func read(_ element: JSONElementReader.Element, into records: inout RecordBatch) -> ReadFault {
        let problem: ValidationIssue.Problem
        switch element.fault {
        case .outsideArray: problem = .badRow(.outsideArray)
        case .unclosedArray: problem = .badRow(.unclosedArray)
        default:
            do throws(JSONError) {
                return append(try JSONValue(parsing: elements.bytes(of: element)), to: &records)
            } catch {
                problem = error.reason == .badEncoding ? .badEncoding : .badRow(.notAnObject)
            }
        }
        appendCells([:], to: &records)
        return unread(problem)
    }

    /// Appends the cells of one object.
    ///
    /// - Returns: The errors of the element, if any.
    private mutating func append(_ value: JSONValue, to records: inout RecordBatch) -> ReadFault {
        var cells: [Int: String] = [:]
        var fault = ReadFault()
        defer { appendCells(cells, to: &records) }
        guard case .object(let members) = value else { return unread(.badRow(.notAnObject)) }
        take(members, within: "", &cells, &fault)
        return fault
    }

    /// Takes the cells of the members of an object.
    ///
    /// - Parameters:
    ///   - members: The members.
    ///   - prefix: The beginning of their names. Empty for the outer object.
    ///   - cells: The cells by their column.
    ///   - fault: The errors of the element.
    private mutating func take(
        _ members: [JSONMember], within prefix: String, _ cells: inout [Int: String], _ fault: inout ReadFault
    ) {
        for member in members {
            let name = prefix.isEmpty ? member.name : prefix + member.name
            if ImportColumns.rejectColumns.contains(name) { continue }
            let use = use(of: name)
            if case .object(let nested) = member.value, columns.isOpened(name, use) {
                take(nested, within: name + ".", &cells, &fault)
                continue
            }
            guard let column = columns.column(use) else {
                if use == .unknown, !options.ignoresUnknownColumns,
                    member.value != .null || !columns.isParent(name)
                {
                    fault.add(.unknownField(String(name.unicodeScalars.prefix(Self.longestName))))
                }
                continue
            }
            if case .array = member.value { hasList = true }
            var problems: [ValidationIssue.RowFault] = []
            if let text = columns.cellText(of: member.value, column: column) {
                if text.utf8.contains(0) { problems.append(.nul) }
                if cells.updateValue(text, forKey: column) != nil {
                    problems.append(.columnTwice(columns.header[column]))
                }
            } else {
                problems.append(.notAnObject)
            }
            guard !problems.isEmpty else { continue }
            for problem in problems { fault.add(.badRow(problem)) }
            fault.unreadColumns.insert(column)
        }
    }

    /// Returns the errors of an element that has no readable cells.
    private func unread(_ problem: ValidationIssue.Problem) -> ReadFault {
        var fault = ReadFault(unreadColumns: Set(columns.header.indices))
        fault.add(problem)
        return fault
    }

    private mutating func use(of name: String) -> ColumnUse {
        if let use = known[name] { return use }
        let use = columns.use(ofMember: name)
        if known.count < Self.mostKnown, name.utf8.count <= Self.longestKnown { known[name] = use }
        return use
    }

    private func appendCells(_ cells: [Int: String], to records: inout RecordBatch) {
        for column in columns.header.indices {
            if let text = cells[column] {
                records.appendCell(text.utf8Span.span)
            } else {
                records.appendAbsentCell()
            }
        }
    }
}
