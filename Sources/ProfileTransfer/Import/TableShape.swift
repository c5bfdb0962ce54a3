package import CSVStream

/// What the first and the last rows of a table look like, by which a row is known that is none of it: a second line of the
/// header, a total, the rows of another table (I1).
///
/// No other row is looked at: two tables in one file end with the second.
package struct TableShape: Sendable {
    /// A row that has a cell for each column.
    private struct Row: Sendable {
        let line: Int
        let cells: [CellShape]
    }

    private var first: [Row] = []
    /// None of `first`.
    private var last: [Row] = []

    /// Records from the beginning of the input.
    private static let mostFirst = 64
    private static let mostLast = 3
    /// Records at the end of a batch among which the last rows are looked for.
    private static let mostTail = 32
    /// A schema has no more fields.
    private static let mostColumns = 100
    /// A header has two lines more at the most.
    private static let mostHeaderLines = 2

    /// Looks at the records of a batch of CSV.
    ///
    /// - Parameters:
    ///   - records: The batch.
    ///   - header: The names of the columns.
    ///   - firstLength: The bytes of the first name.
    package mutating func look(at records: borrowing RecordBatch, header: [String], firstLength: Int?) {
        for record in records.records.prefix(Self.mostFirst) where record.number <= Self.mostFirst {
            if let row = Self.row(record, of: records, header, firstLength) { first.append(row) }
        }
        for record in records.records.suffix(Self.mostTail).reversed() where record.number > Self.mostFirst {
            if last.count == Self.mostLast { break }
            if let row = Self.row(record, of: records, header, firstLength) { last.insert(row, at: 0) }
        }
    }

    private static func row(
        _ record: RecordBatch.Record, of records: borrowing RecordBatch, _ header: [String], _ firstLength: Int?
    ) -> Row? {
        guard record.fault == nil, record.cells.count == header.count,
            !records.isHeader(record, header, firstLength: firstLength)
        else { return nil }
        return Row(line: record.line, cells: record.cells.prefix(mostColumns).map { CellShape(of: records.cell($0)) })
    }

    /// Adds what was met further on in the input.
    package static func += (earlier: inout TableShape, later: TableShape) {
        earlier.first += later.first
        earlier.last = Array((earlier.last + later.last).suffix(mostLast))
    }

    // MARK: What is odd

    /// What a report says of it.
    package var warnings: [InputWarning] { [otherQuotes, unlikeFirstRows, unlikeLastRows].compactMap(\.self) }

    /// Rows that show what the table looks like: neither those that may be a header's nor, where all rows are at hand, those
    /// that may be another table's.
    private var body: ArraySlice<Row> {
        first.prefix(last.isEmpty ? first.count / 2 + 1 : first.count).dropFirst(Self.mostHeaderLines)
    }

    private var unlikeFirstRows: InputWarning? {
        guard let columns = ColumnShapes(of: body.map(\.cells)) else { return nil }
        let odd = first.prefix(Self.mostHeaderLines).prefix { columns.areUnlike($0.cells, fewestClashes: 1) }
        // A first row of which little is known is nothing to wonder at.
        guard odd.contains(where: { columns.areUnlike($0.cells, fewestClashes: 2) }) else { return nil }
        return odd.first.map { .unlikeFirstRows(rows: odd.count, line: $0.line) }
    }

    private var unlikeLastRows: InputWarning? {
        guard let columns = ColumnShapes(of: body.map(\.cells)) else { return nil }
        let rows = first[body.endIndex...] + last
        let odd = rows.reversed().prefix { columns.areUnlike($0.cells, fewestClashes: 1) }
        return odd.last.map { .unlikeLastRows(line: $0.line) }
    }

    private var otherQuotes: InputWarning? {
        let columns = (first.first?.cells ?? []).indices.filter { column in
            let filled = first.map { $0.cells[column] }.filter { !$0.isEmpty }
            return !filled.isEmpty && filled.allSatisfy { $0.contains(.inOtherQuotes) }
        }
        guard columns.count > 1 || columns.count == 1 && first.count > 1, let line = first.first?.line else {
            return nil
        }
        return .otherQuotes(columns: columns.count, line: line)
    }

    /// Whether what was taken for the header looks like the rows: it has digits wherever they all have some, and a sign
    /// where they have it, as dates and addresses do.
    package func isLikeRows(header: [String]) -> Bool {
        guard let columns = ColumnShapes(of: first.map(\.cells)) else { return false }
        return columns.holdsValues(header.prefix(Self.mostColumns).map { CellShape(of: $0.utf8Span.span) })
    }
}

/// What the rows of a table have in common, column by column.
private struct ColumnShapes {
    private struct Column {
        /// What every cell has that is not empty.
        var all = CellShape(rawValue: .max)
        /// What any cell has.
        var any: CellShape = []
        var filled = 0
        var hasGaps = false

        /// Text where all else is numbers, digits where there are none without letters, a date without its signs.
        func clashes(with cell: CellShape) -> Bool {
            let isOfLetters = any.contains(.letter)
            let needed = all.intersection(isOfLetters ? [.letter, .digit] : [.letter, .digit, .signs])
            return !cell.isSuperset(of: needed) || cell.contains(.letter) && !isOfLetters
        }
    }

    private var columns: [Column]

    /// Fewer show nothing.
    private static let fewestRows = 4

    /// - Returns: Nil for less rows than show anything.
    init?(of rows: [[CellShape]]) {
        guard rows.count >= Self.fewestRows, let first = rows.first else { return nil }
        columns = Array(repeating: Column(), count: first.count)
        for row in rows {
            for (column, cell) in row.enumerated() {
                guard !cell.isEmpty else {
                    columns[column].hasGaps = true
                    continue
                }
                columns[column].all.formIntersection(cell)
                columns[column].any.formUnion(cell)
                columns[column].filled += 1
            }
        }
    }

    /// Whether a row is another kind of row: in half of the columns, two at least, it has no cell where all others have one,
    /// or a cell of another type, and the latter so often at least.
    func areUnlike(_ row: [CellShape], fewestClashes: Int) -> Bool {
        var clashes = 0
        var gaps = 0
        for (column, cell) in zip(columns, row) where column.filled >= Self.fewestRows {
            if cell.isEmpty {
                if !column.hasGaps { gaps += 1 }
            } else if column.clashes(with: cell) {
                clashes += 1
            }
        }
        let used = columns.count { $0.filled >= Self.fewestRows }
        return clashes >= fewestClashes && clashes + gaps >= 2 && (clashes + gaps) * 2 >= used
    }

    func holdsValues(_ row: [CellShape]) -> Bool {
        let numerals = zip(columns, row).filter { $0.0.filled >= Self.fewestRows && $0.0.all.contains(.digit) }
        return numerals.allSatisfy { column, cell in cell.contains(.digit) && !column.clashes(with: cell) }
            && numerals.contains { !$0.0.all.isDisjoint(with: .signs) }
    }
}
