/// CSV as tests write it, apart from the project's own writer.
package enum CSVText {
    /// Records, a line each, quoted where that is needed or everywhere.
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
