internal import CSVStream
internal import ProfileCore

/// Reads JSON objects, either one per line or the elements of an array. Puts their members into the columns of the
/// schema's fields.
///
/// A missing member becomes an absent cell, and null becomes an empty cell. Blank lines are ignored. The column name of
/// a nested member is the object's name, a point and the member's name: `address.city`. The elements of a list become
/// one cell.
///
/// If an object has errors, its record has one more cell than there are columns. This cell has the values that are in no
/// other cell, as JSON. Secrets are left out, and so are values that the schema does not describe, unless the options keep
/// ignored columns.
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
    private let secretColumns: Set<Int>
    /// Whether a text that is no object may be written to the file of rejected rows. Such a text may contain the value
    /// of any member, for example a password.
    private let keepsText: Bool

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
        secretColumns = columns.secretColumns
        keepsText = secretColumns.isEmpty && (columns.takesAllMembers || options.keepsIgnoredColumns)
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
        let computed = keys?.keys(of: records, faults) ?? []
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
                let value = try JSONValue(parsing: elements.bytes(of: element))
                if case .object(let members) = value { return append(members, to: &records) }
                problem = .badRow(.notAnObject)
            } catch {
                problem =
                    error.reason == .badEncoding
                    ? .badEncoding : .badRow(.notJSON(error.reason, line: element.line + error.line - 1))
            }
        }
        appendCells([:], to: &records)
        if keepsText { records.appendCell(elements.bytes(of: element)) } else { records.appendAbsentCell() }
        var fault = ReadFault(unreadColumns: Set(columns.header.indices))
        fault.add(problem)
        return fault
    }

    /// Appends the cells of one object.
    ///
    /// - Returns: The errors of the object, if any.
    private mutating func append(_ members: [JSONMember], to records: inout RecordBatch) -> ReadFault {
        var cells: [Int: String] = [:]
        var fault = ReadFault()
        var refused: [JSONMember] = []
        take(members, within: "", &cells, &fault, &refused)
        appendCells(cells, to: &records)
        if fault.isThere { records.appendCell((refused.isEmpty ? [] : JSONValue.object(refused).utf8()).span) }
        return fault
    }

    /// Takes the cells of the members of an object.
    ///
    /// - Parameters:
    ///   - members: The members.
    ///   - prefix: The text before the name of each member. Empty for the outer object.
    ///   - cells: The cells by their column.
    ///   - fault: The errors of the element.
    ///   - refused: The members that have no cell and may be written to the file of rejected rows.
    private mutating func take(
        _ members: [JSONMember], within prefix: String, _ cells: inout [Int: String], _ fault: inout ReadFault,
        _ refused: inout [JSONMember]
    ) {
        for member in members {
            let name = prefix.isEmpty ? member.name : prefix + member.name
            if ImportColumns.rejectColumns.contains(name) { continue }
            let use = use(of: name)
            if case .object(let nested) = member.value, columns.isOpened(name, use) {
                take(nested, within: name + ".", &cells, &fault, &refused)
                continue
            }
            guard let column = columns.column(use) else {
                if use == .unknown, !options.ignoresUnknownColumns,
                    member.value != .null || !columns.isParent(name)
                {
                    fault.add(.unknownField(String(name.unicodeScalars.prefix(Self.longestName))))
                    if options.keepsIgnoredColumns { refused.append(JSONMember(name, member.value)) }
                }
                continue
            }
            if case .array = member.value { hasList = true }
            let problem: ValidationIssue.RowFault
            switch columns.cellText(of: member.value, column: column) {
            case nil: problem = .nestedValue(String(name.unicodeScalars.prefix(Self.longestName)))
            case let text? where text.utf8.contains(0): problem = .nul
            case .some where cells[column] != nil: problem = .columnTwice(columns.header[column])
            case let text?:
                cells[column] = text
                continue
            }
            fault.add(.badRow(problem))
            if !secretColumns.contains(column) { refused.append(JSONMember(name, member.value)) }
            fault.unreadColumns.insert(column)
        }
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
