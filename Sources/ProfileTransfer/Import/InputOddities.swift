package import CSVStream
internal import ProfileCore

/// The unusual features that were found in an input so far. The import accepts these features.
package struct InputOddities: Sendable {
    /// Rows with a quote inside a cell that is not quoted.
    package var strayQuotes = Occurrences()
    /// Blank lines between rows.
    package var blankLines = Occurrences()
    /// Rows that have fewer cells than there are columns. An import counts only rows that are valid with empty cells at
    /// their end.
    package var shortRows = Occurrences()
    /// JSON objects with lists whose elements were joined.
    package var joinedLists = Occurrences()
    /// Cells with leading zeros in integer fields. The key is the position of the field in the schema. A stored integer
    /// has no leading zeros.
    private(set) var leadingZeros: [Int: Occurrences] = [:]
    /// Rows whose password looks like a password hash.
    private(set) var hashesAsPasswords = Occurrences()
    /// The shape of the first and last rows of a CSV input. Empty for JSON.
    package var shape = TableShape()

    package init() {}

    /// Takes the unusual features that the CSV reader counted in a batch.
    package init(of records: borrowing RecordBatch) {
        strayQuotes = records.strayQuotes
        blankLines = records.blankLines
    }

    /// Counts the unusual features in the cells of a record.
    mutating func lookAt(_ record: RecordBatch.Record, of records: borrowing RecordBatch, _ columns: ImportColumns) {
        for (field, column) in columns.integers {
            guard records.cell(record.cells.lowerBound + column).hasLeadingZeros else { continue }
            leadingZeros[field, default: Occurrences()].add(line: record.line)
        }
        if let column = columns.columnOfPasswords {
            let cell = records.cell(record.cells.lowerBound + column)
            if cell.first == UInt8(ascii: "$"), PasswordHash.check(cell.trimmed()) == nil {
                hashesAsPasswords.add(line: record.line)
            }
        }
    }

    /// Adds the unusual features of a later part of the input.
    package static func += (earlier: inout InputOddities, later: InputOddities) {
        earlier.strayQuotes += later.strayQuotes
        earlier.blankLines += later.blankLines
        earlier.shortRows += later.shortRows
        earlier.joinedLists += later.joinedLists
        earlier.hashesAsPasswords += later.hashesAsPasswords
        earlier.shape += later.shape
        for (field, zeros) in later.leadingZeros { earlier.leadingZeros[field, default: Occurrences()] += zeros }
    }

    /// Returns the warnings for the report.
    func warnings(by schema: ProfileSchema) -> [InputWarning] {
        let hashes = hashesAsPasswords
        return warningsOfRows + warningsOfZeros(schema)
            + (hashes.count > 0 ? [.hashesAsPasswords(rows: hashes.count, line: hashes.firstLine)] : [])
    }

    /// The warnings that do not depend on the schema.
    package var warningsOfRows: [InputWarning] {
        var warnings: [InputWarning] = []
        if strayQuotes.count > 0 { warnings.append(.strayQuotes(rows: strayQuotes.count, line: strayQuotes.firstLine)) }
        if blankLines.count > 0 { warnings.append(.blankLines(count: blankLines.count, line: blankLines.firstLine)) }
        // A single short row may be damaged, for example because the file was cut off. The warning suggests padding,
        // which would hide the damage.
        if shortRows.count > 1 { warnings.append(.shortRows(rows: shortRows.count, line: shortRows.firstLine)) }
        if joinedLists.count > 0 {
            warnings.append(.joinedLists(rows: joinedLists.count, line: joinedLists.firstLine))
        }
        return warnings + shape.warnings
    }

    private func warningsOfZeros(_ schema: ProfileSchema) -> [InputWarning] {
        leadingZeros.sorted { $0.key < $1.key }.map { field, zeros in
            .leadingZeros(field: schema.fields[field].name.text, cells: zeros.count, line: zeros.firstLine)
        }
    }
}

extension Span<UInt8> {
    /// Whether the text is a number with leading zeros, such as `007` or `-01`.
    fileprivate var hasLeadingZeros: Bool {
        // Fast path: nearly every number starts with a digit from 1 to 9. In ASCII, these digits are greater than `0`,
        // the signs and white space.
        guard count > 1, self[0] <= UInt8(ascii: "0") else { return false }
        var offset = 0
        while offset < count, self[offset] == 0x20 || 0x09...0x0D ~= self[offset] { offset += 1 }
        if offset < count, self[offset] == UInt8(ascii: "-") || self[offset] == UInt8(ascii: "+") { offset += 1 }
        return offset + 1 < count && self[offset] == UInt8(ascii: "0") && 0x30...0x39 ~= self[offset + 1]
    }
}
