public import ProfileCore
internal import TextLayout

/// A warning about unusual content of an input. The reader accepted this content. The stored values may differ from the
/// values that the author of the input intended.
public enum InputWarning: Hashable, Sendable, JSONEncodable {
    /// The input is not UTF-8, and no encoding was named. The reader guessed this encoding from the bytes.
    case guessedEncoding(String)
    /// The header is in this line. The lines above it were skipped.
    case linesAboveHeader(line: Int)
    /// Some rows have a quote inside a cell that is not enclosed in quotes. The quote was read as a part of the value.
    /// `line` is the first line of the first such row.
    case strayQuotes(rows: Int, line: Int)
    /// Blank lines between rows. `line` is the first blank line. The lines after a blank line may be another table.
    case blankLines(count: Int, line: Int)
    /// Some cells of an integer field have leading zeros. The stored integers do not have these zeros. `line` is the
    /// line of the first such cell.
    case leadingZeros(field: String, cells: Int, line: Int)
    /// Some rows have a password that looks like a password hash. The hash was read as a password. `line` is the line
    /// of the first such row.
    case hashesAsPasswords(rows: Int, line: Int)
    /// Some columns have quotes that CSV does not recognize, such as apostrophes. In the first rows, all cells of these
    /// columns are enclosed in such quotes. The quotes were read as a part of the values. `line` is the first line of
    /// the first row.
    case otherQuotes(columns: Int, line: Int)
    /// The first rows differ from the later rows in at least half of the columns. `line` is the line of the first row.
    /// The header may consist of several lines.
    case unlikeFirstRows(rows: Int, line: Int)
    /// The last rows differ from the earlier rows in at least half of the columns. `line` is the line of the first of
    /// these rows that was examined. The last rows may be a total or another table.
    case unlikeLastRows(line: Int)
    /// One of the last rows has a word such as `Total`, and its other cells are empty or numbers. `line` is the line of
    /// this row. The reader accepted it like any other row.
    case totals(line: Int)
    /// Some rows have fewer cells than there are columns. An import counts only rows that would be valid with empty
    /// cells at their end. `line` is the line of the first such row. To accept such rows, set
    /// ``/ProfileCore/TableLayout/padsShortRows``.
    case shortRows(rows: Int, line: Int)
    /// Some columns have the header of an earlier column, so each of them got a number at the end of its name. `name` is
    /// the new name of the first column that got a number.
    case repeatedHeaders(columns: Int, name: String)
    /// Some JSON objects have lists of texts, numbers and booleans. The elements of a list were joined to one value.
    /// `line` is the line of the first such object.
    case joinedLists(rows: Int, line: Int)
    /// The row that was read as the header looks like the rows that follow.
    case headerLikeRows
    /// The workbook has other visible sheets, which were not read. The array contains their names.
    case otherSheets([String])
    /// Some cells of the sheet are merged. Only the first cell of a merged range has a value. `line` is the first row
    /// of the first range.
    case mergedCells(ranges: Int, line: Int)
    /// Some rows of the sheet are hidden, for example by a filter. They were read. `line` is the first hidden row.
    case hiddenRows(count: Int, line: Int)
    /// Some columns of the sheet are hidden. They were read.
    case hiddenColumns(count: Int)
    /// Some cells of the sheet contain an error, such as `#N/A`. The text of the error was read as the value. `line` is
    /// the row of the first such cell.
    case errorCells(count: Int, line: Int)
    /// Some cells of the sheet contain a formula whose result is not stored. They were read as empty. `line` is the row
    /// of the first such cell.
    case formulasWithoutValue(cells: Int, line: Int)
}

extension InputWarning {
    /// Returns the English sentence for a report.
    package var text: String {
        switch self {
        case .guessedEncoding(let name):
            "The input is not UTF-8. It was read as \(name), which is a guess. Name its encoding with --encoding."
        case .linesAboveHeader(let line):
            "The header is in line \(line); "
                + (line == 2 ? "the line above it was skipped." : "the \(line - 1) lines above it were skipped.")
        case .strayQuotes(let rows, let line):
            "\(Self.count(rows, "row has", "rows have")) a quote inside a cell that is not quoted, \(Self.first(rows, line)); "
                + "the quote was read as a part of the value. A separator may be missing there."
        case .blankLines(let count, let line):
            "\(Self.count(count, "blank line stands", "blank lines stand")) between rows, \(Self.first(count, line)); the "
                + "following lines were read as rows of the same table."
        case .leadingZeros(let field, let cells, let line):
            "\(Self.count(cells, "cell of \(field) begins", "cells of \(field) begin")) with zeros, \(Self.first(cells, line)); "
                + "an integer does not keep them. If they matter, make the field a string."
        case .hashesAsPasswords(let rows, let line):
            "\(Self.count(rows, "row has", "rows have")) the hash of a password where a password should be, "
                + "\(Self.first(rows, line)); it was read as a password. To import hashes, use --map COLUMN=password_hash."
        case .otherQuotes(let columns, let line):
            "The cells of \(Self.count(columns, "column", "columns")) are enclosed in apostrophes or similar quotes, as in "
                + "line \(line); the quotes were read as a part of the values, because CSV quotes with \"."
        case .unlikeFirstRows(let rows, let line):
            "\(Self.count(rows, "row", "rows")) below the header, in line \(line), \(rows == 1 ? "is" : "are") unlike the "
                + "rows that follow and may be a part of the header; \(rows == 1 ? "it was read as a row" : "they were read as rows")."
        case .unlikeLastRows(let line):
            "The last rows are unlike the rows above them, as in line \(line): they may be a total or another table. They "
                + "were read as rows of the same table."
        case .totals(let line):
            "Line \(line) looks like a row of totals; it was read as a row."
        case .shortRows(let rows, let line):
            "\(Self.count(rows, "row has", "rows have")) fewer cells than there are columns, \(Self.first(rows, line)). If "
                + "only empty cells at the end are missing, read such rows with --pad."
        case .repeatedHeaders(let columns, let name):
            "\(Self.count(columns, "column has", "columns have")) the name of an earlier column, and "
                + "\(columns == 1 ? "was" : "were") given a number: \(name.quoted(longest: 64))\(columns == 1 ? "" : ", …")."
        case .joinedLists(let rows, let line):
            "\(Self.count(rows, "object has", "objects have")) lists, \(Self.first(rows, line)); the elements of each list "
                + "were joined to one value, separated by commas."
        case .headerLikeRows:
            "The row that was read as the header looks like the rows that follow: the names of the columns may be missing. "
                + "If it is a row, use --no-header."
        case .otherSheets(let names):
            "Only the first sheet was read. \(Self.count(names.count, "other sheet", "other sheets")): "
                + "\(Self.list(names)). Name another sheet with --sheet."
        case .mergedCells(let ranges, let line):
            "\(Self.count(ranges, "range of cells is", "ranges of cells are")) merged, \(Self.first(ranges, line)); only "
                + "the first cell of a range has a value, the others are empty."
        case .hiddenRows(let count, let line):
            "\(Self.count(count, "row is", "rows are")) hidden, \(Self.first(count, line)); hidden rows were read too."
        case .hiddenColumns(let count):
            "\(Self.count(count, "column is", "columns are")) hidden; hidden columns were read too."
        case .errorCells(let count, let line):
            "\(Self.count(count, "cell has", "cells have")) an error such as #N/A, \(Self.first(count, line)); the text of "
                + "the error was read as the value. Correct the formulas."
        case .formulasWithoutValue(let cells, let line):
            "\(Self.count(cells, "cell has", "cells have")) a formula without a stored result, \(Self.first(cells, line)); "
                + "read as empty. Open the file in a spreadsheet program and save it again."
        }
    }

    private static func count(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count.grouped) \(count == 1 ? one : many)"
    }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(10).map { $0.visible(upTo: 64) }.joined(separator: ", ")
        return names.count > 10 ? shown + ", …" : shown
    }

    private static func first(_ count: Int, _ line: Int) -> String {
        count == 1 ? "in line \(line)" : "the first in line \(line)"
    }

    /// The warning as in a report: its `code` and its values.
    public var json: JSONValue {
        switch self {
        case .guessedEncoding(let name): ["code": "guessed_encoding", "encoding": .string(name)]
        case .linesAboveHeader(let line): ["code": "lines_above_header", "line": .number(line)]
        case .strayQuotes(let rows, let line):
            ["code": "stray_quotes", "count": .number(rows), "line": .number(line)]
        case .blankLines(let count, let line):
            ["code": "blank_lines", "count": .number(count), "line": .number(line)]
        case .leadingZeros(let field, let cells, let line):
            ["code": "leading_zeros", "field": .string(field), "count": .number(cells), "line": .number(line)]
        case .hashesAsPasswords(let rows, let line):
            ["code": "hashes_as_passwords", "count": .number(rows), "line": .number(line)]
        case .otherQuotes(let columns, let line):
            ["code": "other_quotes", "count": .number(columns), "line": .number(line)]
        case .unlikeFirstRows(let rows, let line):
            ["code": "unlike_first_rows", "count": .number(rows), "line": .number(line)]
        case .unlikeLastRows(let line): ["code": "unlike_last_rows", "line": .number(line)]
        case .totals(let line): ["code": "totals", "line": .number(line)]
        case .shortRows(let rows, let line): ["code": "short_rows", "count": .number(rows), "line": .number(line)]
        case .repeatedHeaders(let columns, let name):
            ["code": "repeated_headers", "count": .number(columns), "column": .string(name)]
        case .joinedLists(let rows, let line):
            ["code": "joined_lists", "count": .number(rows), "line": .number(line)]
        case .headerLikeRows: ["code": "header_like_rows"]
        case .otherSheets(let names): ["code": "other_sheets", "sheets": .array(names.map(JSONValue.string))]
        case .mergedCells(let ranges, let line):
            ["code": "merged_cells", "count": .number(ranges), "line": .number(line)]
        case .hiddenRows(let count, let line):
            ["code": "hidden_rows", "count": .number(count), "line": .number(line)]
        case .hiddenColumns(let count): ["code": "hidden_columns", "count": .number(count)]
        case .errorCells(let count, let line):
            ["code": "error_cells", "count": .number(count), "line": .number(line)]
        case .formulasWithoutValue(let cells, let line):
            ["code": "formulas_without_value", "count": .number(cells), "line": .number(line)]
        }
    }
}
