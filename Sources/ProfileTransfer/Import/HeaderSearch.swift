package import CSVStream
internal import ProfileCore

/// Looks for the header of a table that does not begin in the first line: titles and notes may stand above it (I2).
package struct HeaderSearch: Sendable {
    /// A record below the one that was taken for the header.
    private struct Row: Sendable {
        let line: Int
        let cells: [String]

        /// In the first cell.
        func count(of byte: UInt8) -> Int { cells[0].utf8.count { $0 == byte } }
    }

    private let rows: [Row]

    private static let mostRows = 20

    /// Takes the records that come next.
    package init(in records: borrowing RecordBatch) {
        var rows: [Row] = []
        for record in records.records.prefix(Self.mostRows) where record.fault == nil {
            rows.append(Row(line: record.line, cells: record.cells.map { String(records.cell($0)).trimmed }))
        }
        self.rows = rows
    }

    /// The line of the first record of which most cells, and two at least, are names that are known.
    ///
    /// What separates the cells may have been mistaken because of what stands above.
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

    /// The line of the header by its shape alone: where the first record names half of the columns at the most, the first
    /// row as wide as most are that says more, and says it in words.
    ///
    /// - Parameter header: The first record.
    /// - Returns: The line; nil where the first record is the header, or no other is it for sure.
    package func line(below header: [String]) -> Int? {
        if let line = lineOfSplitRows(below: header) { return line }
        let named = header.count { !$0.trimmed.isEmpty }
        guard let width = rows.last?.cells.count, width >= header.count, named * 2 <= width,
            let start = rows.firstIndex(where: { $0.cells.count == width })
        else { return nil }
        let run = rows[start...].count { $0.cells.count == width }
        let first = rows[start]
        let filled = first.cells.count { !$0.isEmpty }
        guard run > 1, run * 2 > rows.count - start, filled > named, filled * 2 > width,
            first.cells.allSatisfy({ !$0.isNumeral })
        else { return nil }
        // Rows of the first record's own width further down speak for it.
        let isAlone = header.count == width || !rows[start...].contains { $0.cells.count == header.count }
        return isAlone && start < run ? first.line : nil
    }

    /// Titles without the delimiter hide it: each row is one cell then, and most of them, down to the last, have as many
    /// of that character in it.
    private func lineOfSplitRows(below header: [String]) -> Int? {
        guard header.count == 1, let last = rows.last, rows.allSatisfy({ $0.cells.count == 1 }) else { return nil }
        for byte in [UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|")] where !header[0].utf8.contains(byte) {
            let count = last.count(of: byte)
            guard count > 1 else { continue }
            let table = rows.reversed().prefix { $0.count(of: byte) == count }
            if table.count > 2, table.count * 2 > rows.count { return table.last?.line }
        }
        return nil
    }

    /// What separates the cells of rows that were read as one cell each: it is there twice or more, and as often in each.
    ///
    /// - Parameter header: The first record.
    /// - Returns: The character; nil where there is none.
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

    /// Digits and signs, no letter.
    fileprivate var isNumeral: Bool {
        let shape = CellShape(of: utf8Span.span)
        return shape.contains(.digit) && !shape.contains(.letter)
    }
}
