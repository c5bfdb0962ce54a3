package import CSVStream
internal import ProfileCore

/// The kinds of characters in the first and last rows of a table. The reader compares these rows to find rows that do
/// not belong to the table: a second header line, a total, or the rows of another table (I1).
///
/// Only the first rows and the last rows are examined. If a file contains two tables, its last rows belong to the
/// second table.
package struct TableShape: Sendable {
    /// A row that has one cell for each column.
    private struct Row: Sendable {
        let line: Int
        let cells: [CellShape]
        /// The number in each cell; nil if the cell is no number.
        let numbers: [Double?]
        /// Whether one cell of the row has a word such as `Total`, and the other cells are empty or numbers.
        let hasTotalWord: Bool
    }

    private var first: [Row] = []
    /// The last rows of the table, without the rows that are already in `first`.
    private var last: [Row] = []

    /// The number of records to examine at the start of the input.
    private static let mostFirst = 64
    private static let mostLast = 3
    /// The last rows are searched among this number of records at the end of a batch.
    private static let mostTail = 32
    /// The maximum number of columns to examine, which is the maximum number of fields in a schema.
    private static let mostColumns = 100
    /// The maximum number of additional header lines.
    private static let mostHeaderLines = 2

    /// Examines the records of a CSV batch.
    ///
    /// - Parameters:
    ///   - records: The batch.
    ///   - header: The header of the table.
    package mutating func look(at records: borrowing RecordBatch, header: TableHeader) {
        for record in records.records.prefix(Self.mostFirst) where record.number <= Self.mostFirst {
            if let row = Self.row(record, of: records, header) { first.append(row) }
        }
        for record in records.records.suffix(Self.mostTail).reversed() where record.number > Self.mostFirst {
            if last.count == Self.mostLast { break }
            if let row = Self.row(record, of: records, header) { last.insert(row, at: 0) }
        }
    }

    private static func row(
        _ record: RecordBatch.Record, of records: borrowing RecordBatch, _ header: TableHeader
    ) -> Row? {
        guard record.fault == nil, record.cells.count == header.cells.count,
            !records.isHeader(record, header.cells, firstLength: header.firstLength)
        else { return nil }
        let cells = record.cells.prefix(mostColumns)
        let shapes = cells.map { CellShape(of: records.cell($0)) }
        let areNumbers = zip(cells, shapes).map { cell, shape in
            shape.isOfNumber || shape.contains([.digit, .letter]) && KnownUnit.isAmount(records.cell(cell))
        }
        let words = shapes.indices.filter { shapes[$0].contains(.letter) && !areNumbers[$0] }.map {
            cells[cells.startIndex + $0]
        }
        return Row(
            line: record.line, cells: shapes,
            numbers: zip(cells, areNumbers).map { $1 ? records.cell($0).number : nil },
            hasTotalWord: words.count == 1 && words.allSatisfy { records.cell($0).trimmed().beginsWithTotal })
    }

    /// Adds the rows of a later part of the input.
    package static func += (earlier: inout TableShape, later: TableShape) {
        earlier.first += later.first
        earlier.last = Array((earlier.last + later.last).suffix(mostLast))
    }

    // MARK: Oddities

    /// The warnings for the report.
    package var warnings: [InputWarning] {
        [otherQuotes, unlikeFirstRows, totals ?? unlikeLastRows].compactMap(\.self)
    }

    /// The typical rows of the table. Rows that may be header lines are left out. If the table is short, its second
    /// half is also left out, because the second half may belong to another table.
    private var body: ArraySlice<Row> {
        first.prefix(last.isEmpty ? first.count / 2 + 1 : first.count).dropFirst(Self.mostHeaderLines)
    }

    private var unlikeFirstRows: InputWarning? {
        guard let columns = ColumnShapes(of: body.map(\.cells)) else { return nil }
        let odd = first.prefix(Self.mostHeaderLines).prefix { columns.areUnlike($0.cells, fewestClashes: 1) }
        // The warning is given only if at least two cells of one row do not have the type of their columns.
        guard odd.contains(where: { columns.areUnlike($0.cells, fewestClashes: 2) }) else { return nil }
        return odd.first.map { .unlikeFirstRows(rows: odd.count, line: $0.line) }
    }

    /// A row of totals is one of the last rows and has a word such as `Total`. It also meets one of two conditions.
    /// Either one of its numbers has the greatest absolute value in its column. Or it has a number, and it has an empty
    /// cell in a column in which all other rows have a value. The sum of all rows is not computed, because that would
    /// slow down the reading of large files.
    private var totals: InputWarning? {
        let rows = first + last
        let others = rows.filter { !$0.hasTotalWord }
        let found = rows.suffix(Self.mostLast).first { row in
            guard row.hasTotalWord, others.count > 1 else { return false }
            return row.numbers.indices.contains { column in
                guard let total = row.numbers[column] else { return false }
                let values = others.compactMap { $0.numbers[column] }
                return values.count > 1 && values.allSatisfy { abs($0) <= abs(total) }
            }
                || row.numbers.contains { $0 != nil }
                    && row.cells.indices.contains { column in
                        row.cells[column].isEmpty && others.allSatisfy { !$0.cells[column].isEmpty }
                    }
        }
        return found.map { .totals(line: $0.line) }
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

    /// Whether the first line, which was read as the header, looks like the other rows. If all rows have digits in a
    /// column, the first line must also have digits in this column. At least one of these columns must also have signs,
    /// as in dates and times.
    package func isLikeRows(header: [String]) -> Bool {
        guard let columns = ColumnShapes(of: first.map(\.cells)) else { return false }
        return columns.holdsValues(header.prefix(Self.mostColumns).map { CellShape(of: $0.utf8Span.span) })
    }
}

/// The words with which a row of totals begins, in several languages.
private enum TotalWords {
    static let all = [
        "grand total", "subtotal", "totals", "totale", "totaal", "total", "gesamtsumme", "zwischensumme", "summe",
        "gesamt", "insgesamt", "somme", "suma", "soma", "sum",
    ].map { Array($0.utf8) }
}

extension CellShape {
    /// Whether the cell has digits, but no letter, colon, slash or at sign.
    fileprivate var isOfNumber: Bool { contains(.digit) && isDisjoint(with: [.letter, .colon, .slash, .at]) }
}

extension Span<UInt8> {
    /// Whether a text begins with a word for totals. If the text continues after the word, the next character must be
    /// ASCII and not a letter, as in `Total:`.
    fileprivate var beginsWithTotal: Bool {
        TotalWords.all.contains { word in
            count >= word.count && word.indices.allSatisfy { self[$0].asciiFolded == word[$0] }
                && (count == word.count || !self[word.count].isASCIILetter && self[word.count] < 0x80)
        }
    }

    /// The number in a cell. The last comma or point is the decimal sign, unless three digits follow it. Other signs are
    /// ignored. So the number may be wrong, but numbers of one notation can be compared.
    fileprivate var number: Double? {
        let isSign = { (byte: UInt8) in byte == UInt8(ascii: ",") || byte == UInt8(ascii: ".") }
        let sign = indices.last { isSign(self[$0]) }
        let digits = indices.filter { self[$0].isASCIIDigit }
        let fraction = sign.map { sign in digits.count { $0 > sign } } ?? 0
        guard digits.count <= Self.mostDigits else { return nil }
        var number = 0.0
        for index in digits { number = number * 10 + Double(self[index] - UInt8(ascii: "0")) }
        if fraction != 3 { for _ in 0..<fraction { number /= 10 } }
        return number
    }

    private static var mostDigits: Int { 30 }
}

/// For each column of a table, the features that its cells have in common.
private struct ColumnShapes {
    private struct Column {
        /// The features that all nonempty cells have.
        var all = CellShape(rawValue: .max)
        /// The features that at least one cell has.
        var any: CellShape = []
        var filled = 0
        var hasGaps = false

        /// Whether the type of a cell differs from the type of the column. For example, the cell is a text in a column
        /// of numbers, a number in a column where all cells have letters, or a date without its signs.
        func clashes(with cell: CellShape) -> Bool {
            let isOfLetters = any.contains(.letter)
            let needed = all.intersection(isOfLetters ? [.letter, .digit] : [.letter, .digit, .signs])
            return !cell.isSuperset(of: needed) || cell.contains(.letter) && !isOfLetters
        }
    }

    private var columns: [Column]

    /// The types of the columns are determined only if there are at least this number of rows.
    private static let fewestRows = 4

    /// - Returns: Nil if there are too few rows to determine the types.
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

    /// Whether a row does not fit the table. A row does not fit if it differs in at least two columns and in at least
    /// half of all columns. Columns with too few nonempty cells do not count. A row differs in a column if the type of
    /// its cell differs from the type of the column. A row also differs in a column if its cell is empty but the column
    /// has no other empty cell. The type must differ in at least `fewestClashes` cells.
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
