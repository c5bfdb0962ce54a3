package import CSVStream

/// A record as the reference reads it.
package struct ReferenceRecord: Equatable, Sendable {
    /// The first physical line, from 1.
    package let line: Int
    /// The number of the record. A header has the number 0, and the first record of data has the number 1.
    package let number: Int
    /// The bytes of each cell. Empty if the quotes of the record are wrong. Then the record is only its first line.
    package var cells: [[UInt8]]
    package let fault: RecordFault?
}

/// The rules of the CSV reader in the plainest form, for comparison. The whole input is in memory, and is read byte by
/// byte. For every unclosed quote, the splitter reads to the end of the input, even if this takes quadratic time.
package struct ReferenceSplitter {
    let bytes: [UInt8]
    let delimiter: UInt8
    let skippedLines: Int
    let comment: UInt8?
    let hasHeader: Bool

    package init(
        bytes: [UInt8], delimiter: UInt8, skippedLines: Int = 0, comment: UInt8? = nil, hasHeader: Bool = true
    ) {
        self.bytes = bytes
        self.delimiter = delimiter
        self.skippedLines = skippedLines
        self.comment = comment
        self.hasHeader = hasHeader
    }

    /// Returns all records.
    ///
    /// - Parameters:
    ///   - start: The position of the first line to read.
    ///   - firstLine: The number of that line.
    /// - Returns: The records, beginning with the header.
    package func rows(from start: Int = 0, line firstLine: Int = 1) -> [ReferenceRecord] {
        var rows: [ReferenceRecord] = []
        var position = start
        var line = firstLine
        while position < bytes.count {
            if let after = lineBreak(at: position) {
                position = after
                line += 1
                continue
            }
            if line <= skippedLines || bytes[position] == comment {
                while position < bytes.count, lineBreak(at: position) == nil { position += 1 }
                if position == bytes.count { break }
                continue
            }
            let (row, next, lines) = record(
                from: position, line: line, number: rows.count + (hasHeader ? 0 : 1))
            rows.append(row)
            position = next
            line += lines
        }
        return rows
    }

    private func record(
        from start: Int, line: Int, number: Int
    ) -> (row: ReferenceRecord, next: Int, lines: Int) {
        var cells: [[UInt8]] = []
        var position = start
        var lines = 0
        while true {
            var cell: [UInt8] = []
            if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
                position += 1
                while true {
                    guard position < bytes.count else {
                        return firstLine(from: start, line: line, number: number, fault: .unclosedQuote)
                    }
                    if bytes[position] == UInt8(ascii: "\"") {
                        position += 1
                        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { break }
                        cell.append(UInt8(ascii: "\""))
                        position += 1
                    } else if let after = lineBreak(at: position) {
                        cell += bytes[position..<after]
                        lines += 1
                        position = after
                    } else {
                        cell.append(bytes[position])
                        position += 1
                    }
                }
            } else {
                while position < bytes.count, bytes[position] != delimiter, lineBreak(at: position) == nil {
                    cell.append(bytes[position])
                    position += 1
                }
            }
            cells.append(cell)
            if position < bytes.count, bytes[position] == delimiter {
                position += 1
                continue
            }
            let after = position < bytes.count ? lineBreak(at: position) : position
            guard let after else { return firstLine(from: start, line: line, number: number, fault: .textAfterQuote) }
            let record = bytes[start..<position]
            var fault: RecordFault?
            if String(validating: record, as: UTF8.self) == nil {
                fault = .badEncoding
            } else if record.contains(0) {
                fault = .nul
            }
            return (ReferenceRecord(line: line, number: number, cells: cells, fault: fault), after, lines + 1)
        }
    }

    private func firstLine(
        from start: Int, line: Int, number: Int, fault: RecordFault
    ) -> (row: ReferenceRecord, next: Int, lines: Int) {
        var end = start
        while end < bytes.count, lineBreak(at: end) == nil { end += 1 }
        let next = end < bytes.count ? lineBreak(at: end) ?? end : end
        return (ReferenceRecord(line: line, number: number, cells: [], fault: fault), next, 1)
    }

    /// The position after the line break at a position, if there is one.
    private func lineBreak(at position: Int) -> Int? {
        switch bytes[position] {
        case UInt8(ascii: "\n"): return position + 1
        case UInt8(ascii: "\r"):
            let isPair = position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "\n")
            return position + (isPair ? 2 : 1)
        default: return nil
        }
    }
}
