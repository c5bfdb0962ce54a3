internal import ProfileCore

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
}

extension InputWarning {
    /// As a report says it.
    var text: String {
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
        }
    }

    private static func count(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count.grouped) \(count == 1 ? one : many)"
    }

    private static func first(_ count: Int, _ line: Int) -> String {
        count == 1 ? "in line \(line)" : "the first in line \(line)"
    }

    /// As a program reads it.
    var json: JSONValue {
        switch self {
        case .guessedEncoding(let name): ["code": "guessed_encoding", "encoding": .string(name)]
        case .strayQuotes(let rows, let line):
            ["code": "stray_quotes", "count": .number(rows), "line": .number(line)]
        case .blankLines(let count, let line):
            ["code": "blank_lines", "count": .number(count), "line": .number(line)]
        case .leadingZeros(let field, let cells, let line):
            ["code": "leading_zeros", "field": .string(field), "count": .number(cells), "line": .number(line)]
        }
    }
}
