/// A condition as people write it: `age>=30`. The name of the field is not looked up in a schema, because users of the
/// command-line program can write the title of the field instead of its name.
package struct WrittenCondition: Sendable {
    /// The name or the title of the field, as it was written. `init(comparing:)` removes the spaces around it, and
    /// replaces several spaces between two words with one space.
    package let field: String
    /// The comparison and its value.
    package let comparison: ProfileQuery.Comparison

    /// The reason that a text is not a comparison.
    package enum Fault: Error {
        /// No operator follows the name of a field.
        case noOperator
        /// The operator is `<`, `<=`, `>` or `>=`, and its value is missing.
        case noValue
    }

    /// Longer operators come first, because `<=` begins with `<`, and `>=` with `>`. `==` means `=`.
    private enum Operator: String, CaseIterable {
        case equalsTwice = "=="
        case differs = "!="
        case isAtMost = "<="
        case isAtLeast = ">="
        case equals = "="
        case isLess = "<"
        case isGreater = ">"
    }

    /// Reads `FIELD=VALUE`, or another operator in place of `=`. `FIELD=` finds the profiles without a value in the
    /// field, and `FIELD!=` finds the profiles with a value.
    package init(comparing text: String) throws(Fault) {
        guard let place = text.firstIndex(where: "=!<>".contains) else { throw .noOperator }
        field = text[..<place].split(separator: " ").joined(separator: " ")
        guard !field.isEmpty, let sign = Operator.allCases.first(where: { text[place...].hasPrefix($0.rawValue) })
        else { throw .noOperator }
        let value = String(text[place...].dropFirst(sign.rawValue.count))
        switch sign {
        case .equals, .equalsTwice: comparison = value.isEmpty ? .isAbsent : .equals(value)
        case .differs: comparison = value.isEmpty ? .isPresent : .differs(from: value)
        case _ where value.isEmpty: throw .noValue
        case .isLess: comparison = .isLess(than: value)
        case .isAtMost: comparison = .isAtMost(value)
        case .isGreater: comparison = .isGreater(than: value)
        case .isAtLeast: comparison = .isAtLeast(value)
        }
    }

    /// Reads `FIELD=TEXT`: the field contains the text. Returns nil for any other text.
    package init?(containing text: String) {
        guard let (field, value) = Self.parts(of: text) else { return nil }
        self.field = field
        comparison = .contains(value)
    }

    /// Reads `FIELD=A,B`: the field has one of the values. Within a value, `\,` stands for a comma, and `\\` stands for a
    /// backslash. Returns nil for any other text, and if a value is empty.
    package init?(choosing text: String) {
        guard let (field, list) = Self.parts(of: text) else { return nil }
        self.field = field
        var values = [""]
        var isEscaped = false
        for character in list {
            if isEscaped {
                if character != ",", character != "\\" { values[values.count - 1].append("\\") }
                values[values.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "," {
                values.append("")
            } else {
                values[values.count - 1].append(character)
            }
        }
        if isEscaped { values[values.count - 1].append("\\") }
        guard !values.contains("") else { return nil }
        comparison = .isAny(of: values)
    }

    private static func parts(of text: String) -> (field: String, value: String)? {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return nil }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }
}

/// A sort field as people write it: `age`, `age:asc` or `age:desc`.
package struct WrittenSort: Sendable {
    /// The name of the field.
    package let field: String
    /// Whether the greatest values come first; nil if the text does not name a direction.
    package let isDescending: Bool?

    /// Reads the text. Accepts every text, because the name of the field is looked up later.
    package init(_ text: String) {
        for (ending, isDescending) in [(":asc", false), (":desc", true)] where text.hasSuffix(ending) {
            field = String(text.dropLast(ending.count))
            self.isDescending = isDescending
            return
        }
        field = text
        isDescending = nil
    }
}
