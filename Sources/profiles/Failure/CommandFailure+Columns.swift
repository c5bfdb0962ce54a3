internal import ProfileTransfer
internal import TextLayout

// Columns that do not match the fields.
extension CommandFailure {
    /// Makes the failure for columns that do not match the fields. The message says what is wrong, which fields exist,
    /// and what to do.
    init(_ mismatch: ColumnMismatch, _ attempt: ImportAttempt) {
        let unknown = mismatch.unknownColumns
        let missing = mismatch.missingFields
        let withoutColumn =
            "The required field\(missing.count == 1 ? "" : "s") \(Self.list(missing)) "
            + "\(missing.count == 1 ? "has" : "have") no column"
        var faults: [String] = []
        // An input without a header has no line that may be data.
        let line = mismatch.lineRead ?? 1
        if mismatch.mayBeData {
            faults.append("\(line == 1 ? "The first row" : "Line \(line)") names no field")
        } else if !unknown.isEmpty {
            let list = Self.list(unknown.map { $0.quoted(longest: 64) }, most: 20)
            faults.append("No field has the name of the column\(unknown.count == 1 ? "" : "s") \(list)")
        }
        if !missing.isEmpty { faults.append(withoutColumn) }
        var lines = [faults.removeFirst() + attempt.nothingDone] + faults
        if let found = mismatch.headerLine {
            let isUnread = mismatch.lineRead == nil
            lines.append(
                isUnread
                    ? "Line \(found) looks like the header: use --header-line \(found) instead of --no-header"
                    : Self.advice(headerIn: found, attempt))
        }
        lines.append("The fields are: " + Self.list(mismatch.fields))
        // If a column name cannot be shown unchanged, the user cannot type it.
        let maps = mismatch.suggestions.filter { $0.column.visible(upTo: 64) == $0.column }
            .map { "--map " + "\($0.column)=\($0.field)".quotedForShell }
        if !maps.isEmpty {
            lines.append("Did you mean \(Self.list(maps, most: 20, separator: " "))?")
        } else if mismatch.mayBeData || !unknown.isEmpty {
            lines.append("Map a column with --map 'COLUMN=FIELD'")
        }
        if mismatch.mayBeData {
            let remedy = "name its line with --header-line, or use --skip and --no-header"
            lines += [
                line == 1
                    ? "If the first row is not a header, use --no-header"
                    : "If line \(line) is not the header, \(remedy)",
                "If another character separates the cells, name it with --delimiter",
            ]
        }
        if !unknown.isEmpty { lines.append("Ignore columns that match no field with --ignore-unknown") }
        if attempt == .importing {
            lines.append("Or make a new store with the fields of the file: profiles import FILE --infer --database NEW")
        }
        self.init(.badInput, lines: lines)
    }

    /// Returns the advice for an input with lines above the header.
    static func advice(headerIn line: Int, _ attempt: ImportAttempt) -> String {
        let isMissing = attempt.missingOptions.contains("--header-line")
        return "Line \(line) looks like the header: "
            + (isMissing ? "remove the lines above it" : "skip the lines above it with --header-line \(line)")
    }
}
