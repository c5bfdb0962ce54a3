package import CSVStream
internal import ProfileCore

/// Searches for the header of a table. Titles or notes can precede the header, so it is not always on the first line
/// (I2).
package struct HeaderSearch: Sendable {
    /// A record below the supposed header.
    private struct Row: Sendable {
        let line: Int
        let cells: [String]

        /// The number of cells that are not empty.
        var filled: Int { cells.count { !$0.isEmpty } }

        /// Whether the cells that are not empty differ, as names of columns do.
        var hasDistinctCells: Bool { Set(cells.filter { !$0.isEmpty }).count == filled }

        /// Returns the number of times that a byte occurs in the cells.
        func count(of byte: UInt8) -> Int { cells.reduce(0) { $0 + $1.utf8.count { $0 == byte } } }
    }

    private let rows: [Row]

    private static let mostRows = 20

    /// Collects the records to search: the first records below the supposed header.
    package init(in records: borrowing RecordBatch) {
        var rows: [Row] = []
        for record in records.records.prefix(Self.mostRows) where record.fault == nil {
            rows.append(Row(line: record.line, cells: record.cells.map { String(records.cell($0)).trimmed }))
        }
        self.rows = rows
    }

    /// Returns the line of the first record that looks like a header. At least two cells of a header must be known
    /// names, and more than half of its nonempty cells must be known names.
    ///
    /// If there is text above the header, the reader may detect a wrong delimiter, so a whole record becomes one cell.
    /// Therefore the search also splits such a record at each usual delimiter.
    func line(where isKnown: (String) -> Bool) -> Int? {
        rows.first { row in
            Self.splits(of: row.cells).contains { cells in
                let filled = cells.filter { !$0.isEmpty }
                let known = filled.count(where: isKnown)
                return known > 1 && known * 2 > filled.count
            }
        }?.line
    }

    private static func splits(of cells: [String]) -> [[String]] {
        guard cells.count == 1 else { return [cells] }
        let delimiters: [Character] = [",", ";", "\t", "|"]
        return [cells]
            + delimiters.map { delimiter in
                cells[0].split(separator: delimiter).map { String($0).trimmed.withoutQuotes }
            }
    }

    /// Returns the line of the header. The search uses only the number and the type of the cells.
    ///
    /// - Parameter header: The first record.
    /// - Returns: The line. Nil if the first record is the header, or if the search finds no clear header.
    package func line(below header: [String]) -> Int? {
        lineOfSplitRows(below: header) ?? lineAboveDigits(below: header) ?? lineOfMoreNames(below: header)
    }

    /// Returns the line of the header if the rows below it show that the first record is a title.
    ///
    /// In some columns, the header has a word and most rows have digits. At least one of these columns has no name in
    /// the first record. No record above the header has digits in all these columns, because such a record would be a
    /// row of the table.
    private func lineAboveDigits(below header: [String]) -> Int? {
        let widths = Dictionary(rows.map { ($0.cells.count, 1) }, uniquingKeysWith: +)
        guard let width = widths.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key, header.count <= width
        else { return nil }
        for (index, row) in rows.enumerated() where row.cells.count == width && row.filled * 2 > width {
            let body = rows[(index + 1)...].filter { $0.cells.count == width }.map(\.cells)
            guard body.count > 1, !row.cells.contains(where: \.isNumeral), row.hasDistinctCells else { continue }
            let columns = row.cells.indices.filter { column in
                guard !row.cells[column].isEmpty, !row.cells[column].hasDigit else { return false }
                let filled = body.map { $0[column] }.filter { !$0.isEmpty }
                return filled.count * 2 > body.count && filled.count(where: \.hasDigit) * 5 >= filled.count * 4
            }
            guard columns.contains(where: { $0 >= header.count || header[$0].trimmed.isEmpty }) else { continue }
            let above = rows[..<index].map(\.cells) + [header]
            let isAnyOfTable = above.contains { cells in
                columns.allSatisfy { $0 < cells.count && cells[$0].hasDigit }
            }
            if !isAnyOfTable { return row.line }
        }
        return nil
    }

    /// Returns the line of the header if the first record has names for at most half of the columns. The header is the
    /// first row that has as many cells as the last row, most of them nonempty. This row must have more nonempty cells
    /// than the first record, and no cell of this row may be a number.
    private func lineOfMoreNames(below header: [String]) -> Int? {
        let named = header.count { !$0.trimmed.isEmpty }
        guard let width = rows.last?.cells.count, width >= header.count, named * 2 <= width,
            // A spreadsheet program writes titles with as many cells as the table, most of them empty.
            let start = rows.firstIndex(where: { $0.cells.count == width && $0.filled * 2 > width })
        else { return nil }
        let run = rows[start...].count { $0.cells.count == width }
        let first = rows[start]
        guard run > 1, run * 2 > rows.count - start, first.filled > named, !first.cells.contains(where: \.isNumeral)
        else { return nil }
        // If later rows have as many cells as the first record, the first record is probably the header.
        let isAlone = header.count == width || !rows[start...].contains { $0.cells.count == header.count }
        return isAlone && start < run ? first.line : nil
    }

    /// Returns the line of the header if the titles above it do not contain the delimiter of the table. In this case,
    /// the reader cannot detect the delimiter, and splits each row at its commas, which may be decimal signs. A title
    /// may have commas too. The table consists of the rows that contain a delimiter the same number of times. More than
    /// half of all rows must belong to the table.
    private func lineOfSplitRows(below header: [String]) -> Int? {
        // If other rows have as many cells as the first record, the comma is the delimiter.
        guard header.count == 1 || !rows.contains(where: { $0.cells.count == header.count }) else { return nil }
        for byte in [UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")]
        where !header.contains(where: { $0.utf8.contains(byte) }) {
            let tables = Dictionary(grouping: rows) { $0.count(of: byte) }.filter { $0.key > 1 }.values
            guard let table = tables.max(by: { $0.count < $1.count }) else { continue }
            if table.count > 2, table.count * 2 > rows.count { return table.first?.line }
        }
        return nil
    }

    /// If each row was read as a single cell, returns the probable delimiter. Each row must contain the delimiter at
    /// least twice, and all rows must contain it equally often.
    ///
    /// - Parameter header: The first record.
    /// - Returns: The delimiter, or nil if no character qualifies.
    package func delimiter(below header: [String]) -> UInt8? {
        guard header.count == 1, rows.count > 2, rows.allSatisfy({ $0.cells.count == 1 }) else { return nil }
        return (UInt8(0x20)...0x7E).first { byte in
            let count = header[0].utf8.count { $0 == byte }
            return count > 1 && !byte.isASCIILetter && !byte.isASCIIDigit && byte != UInt8(ascii: "\"")
                && rows.allSatisfy { $0.count(of: byte) == count }
        }
    }
}

extension String {
    fileprivate var withoutQuotes: String {
        count > 1 && first == "\"" && last == "\"" ? String(dropFirst().dropLast()) : self
    }

    fileprivate var hasDigit: Bool { utf8.contains(where: \.isASCIIDigit) }

    /// Whether the text has digits and no letter.
    fileprivate var isNumeral: Bool {
        let shape = CellShape(of: utf8Span.span)
        return shape.contains(.digit) && !shape.contains(.letter)
    }
}
