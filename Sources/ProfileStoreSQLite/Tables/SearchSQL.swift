internal import SQLiteAccess

/// The text of a statement, with the values for its parameters.
struct SearchSQL {
    var text: String
    private var values: [Value] = []

    private enum Value {
        case number(Int64)
        case text([UInt8])
    }

    init(_ text: String) { self.text = text }

    /// Adds conditions that must all be true.
    mutating func add(conditions: [String]) {
        guard !conditions.isEmpty else { return }
        text += " WHERE " + Self.grouped(conditions, by: " AND ")
    }

    /// Joins terms by AND or by OR. The terms are grouped, because each operator adds one level to an expression and
    /// SQLite limits the number of levels.
    static func grouped(_ terms: [String], by separator: String) -> String {
        stride(from: 0, to: terms.count, by: 20).map { start in
            "(" + terms[start..<min(start + 20, terms.count)].joined(separator: separator) + ")"
        }.joined(separator: separator)
    }

    /// Adds a value, and returns the name of its parameter in the statement, such as `?1`.
    mutating func parameter(_ number: Int64) -> String { parameter(.number(number)) }
    mutating func parameter(_ text: String) -> String { parameter(.text(Array(text.utf8))) }
    mutating func parameter(_ text: [UInt8]) -> String { parameter(.text(text)) }

    private mutating func parameter(_ value: Value) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    func bind(to statement: inout Statement) throws(SQLiteError) {
        for (index, value) in values.enumerated() {
            switch value {
            case .number(let number): try statement.bind(number, at: index + 1)
            case .text(let bytes): try statement.bind(text: bytes.span, at: index + 1)
            }
        }
    }
}
