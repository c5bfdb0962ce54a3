/// Writes CSV for tests, without the project's CSV writer.
package enum CSVText {
    /// Returns the records, one per line. If `quotesAll` is false, only the cells that need quotes have them.
    package static func lines(
        _ records: [[String]], separator: String = ",", lineEnd: String = "\n", quotesAll: Bool = false
    ) -> String {
        records.map { line($0, separator: separator, quotesAll: quotesAll) + lineEnd }.joined()
    }

    /// One record without a line end.
    package static func line(_ cells: [String], separator: String = ",", quotesAll: Bool = false) -> String {
        cells.map { cell in
            let needsQuotes = cell.contains { "\"\n\r".contains($0) || separator.contains($0) || $0 == "\r\n" }
            return quotesAll || needsQuotes ? "\"\(cell.replacing("\"", with: "\"\""))\"" : cell
        }.joined(separator: separator)
    }
}
