package import ProfileCore
internal import TextLayout

/// What is odd about an input that was read all the same: what was stored may not be what its author meant.
public enum InputWarning: Hashable, Sendable {
    /// The characters are not UTF-8 and nobody said what they are; they were read as what they look like.
    case guessedEncoding(String)
    /// Rows with a quote inside a cell that is not quoted: it was read as it stands. The first begins in this line.
    case strayQuotes(rows: Int, line: Int)
    /// Blank lines between rows, the first of them in this line: what follows may be another table.
    case blankLines(count: Int, line: Int)
    /// Cells of an integer field that begin with zeros, which an integer does not keep; the first is in this line.
    case leadingZeros(field: String, cells: Int, line: Int)
    /// Rows whose password is what the hash of one looks like: it was taken for a password. The first is in this line.
    case hashesAsPasswords(rows: Int, line: Int)
    /// Columns in which every cell of the first rows stands between quotes that are none in CSV, such as apostrophes; they
    /// were read as a part of the value. The first row begins in this line.
    case otherQuotes(columns: Int, line: Int)
    /// The first rows, from this line on, are unlike those that follow in most columns: the header may have more lines.
    case unlikeFirstRows(rows: Int, line: Int)
    /// The last rows, as in this line, are unlike those before them in most columns: a total or another table may stand
    /// there.
    case unlikeLastRows(line: Int)
    /// The row that was taken for the header looks like those that follow.
    case headerLikeRows
}

extension InputWarning {
    /// As a report says it, in English.
    package var text: String {
        switch self {
        case .guessedEncoding(let name):
            "The input is not UTF-8. It was read as \(name), which is a guess: --encoding says what it is."
        case .strayQuotes(let rows, let line):
            "\(Self.count(rows, "row has", "rows have")) a quote inside a cell that is not quoted, \(Self.first(rows, line)); "
                + "it was read as it stands. A separator may be missing there."
        case .blankLines(let count, let line):
            "\(Self.count(count, "blank line stands", "blank lines stand")) between rows, \(Self.first(count, line)); what "
                + "follows was read as rows of the same table."
        case .leadingZeros(let field, let cells, let line):
            "\(Self.count(cells, "cell of \(field) begins", "cells of \(field) begin")) with zeros, \(Self.first(cells, line)); "
                + "an integer does not keep them. Where they matter the field should be a string."
        case .hashesAsPasswords(let rows, let line):
            "\(Self.count(rows, "row has", "rows have")) the hash of a password where a password should be, "
                + "\(Self.first(rows, line)); it was taken for a password. --map COLUMN=password_hash takes it for a hash."
        case .otherQuotes(let columns, let line):
            "The cells of \(Self.count(columns, "column stand", "columns stand")) between apostrophes or the like, as in line "
                + "\(line); they were read as a part of the values, since CSV quotes by \"."
        case .unlikeFirstRows(let rows, let line):
            "\(Self.count(rows, "row", "rows")) below the header, in line \(line), \(rows == 1 ? "is" : "are") unlike those "
                + "that follow and may be a part of the header; \(rows == 1 ? "it was read as a row" : "they were read as rows")."
        case .unlikeLastRows(let line):
            "The last rows are unlike those above them, as in line \(line): they may be a total or another table, and were "
                + "read as rows of the same one."
        case .headerLikeRows:
            "The row that was taken for the header looks like those that follow: the names of the columns may be missing."
        }
    }

    private static func count(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count.grouped) \(count == 1 ? one : many)"
    }

    private static func first(_ count: Int, _ line: Int) -> String {
        count == 1 ? "in line \(line)" : "the first in line \(line)"
    }

    /// As a program reads it.
    package var json: JSONValue {
        switch self {
        case .guessedEncoding(let name): ["code": "guessed_encoding", "encoding": .string(name)]
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
        case .headerLikeRows: ["code": "header_like_rows"]
        }
    }
}
