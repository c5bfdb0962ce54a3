/// A set of characters that a schema allows in a field. The schema gives the name of the set or a list of characters.
public enum AllowedCharacters: Hashable, Sendable {
    /// A–Z and a–z.
    case asciiLetters
    /// 0–9.
    case asciiDigits
    /// Unicode letters and the marks that combine with them (general categories L and M).
    case letters
    /// Unicode decimal digits (general category Nd).
    case digits
    /// U+0020. Two spaces in a row are refused.
    case spaces
    /// Printable ASCII characters except letters, digits and the space.
    case special
    /// Exactly these characters.
    case list(String)

    static let named: [(name: String, value: AllowedCharacters)] = [
        ("ascii-letters", .asciiLetters), ("ascii-digits", .asciiDigits), ("letters", .letters), ("digits", .digits),
        ("spaces", .spaces), ("special", .special),
    ]

    /// Parses the name of a set, or a list of characters.
    ///
    /// Returns nil if the text consists of more than three lower-case letters and hyphens, and is not the name of a
    /// set. Such a text is probably a misspelled name and not a list. Also returns nil if the text contains a control
    /// character other than tab, LF and CR. Values must not contain these characters.
    init?(_ text: String) {
        if let known = Self.named.first(where: { $0.name == text }) {
            self = known.value
        } else if text.isEmpty
            || text.unicodeScalars.contains(where: \.isForbiddenControl)
            || text.utf8.count > 3 && text.utf8.allSatisfy({ $0.isASCIILowercase || $0 == UInt8(ascii: "-") })
        {
            return nil
        } else {
            self = .list(text)
        }
    }

    /// The set as a schema file writes it.
    package var text: String {
        if case .list(let characters) = self { return characters }
        return Self.named.first { $0.value == self }?.name ?? ""
    }

    /// The names of these characters, as parts of a list in a message.
    fileprivate var titles: [String] {
        switch self {
        case .asciiLetters: ["letters A–Z", "a–z"]
        case .asciiDigits: ["digits 0–9"]
        case .letters: ["letters"]
        case .digits: ["digits"]
        case .spaces: ["single spaces"]
        case .special: ["special characters"]
        case .list(let characters): Self.titles(of: characters)
        }
    }

    /// The maximum number of different characters that a message lists. If there are more, the message contains only
    /// their number.
    private static let mostTitled = 32

    /// Returns one text for each letter or digit, and one text for three or more consecutive letters or digits, such as
    /// `a–f`. If the list contains other characters, the last text lists these, as in `the signs # +`.
    private static func titles(of list: String) -> [String] {
        var seen: Set<Unicode.Scalar> = []
        let scalars = list.unicodeScalars.filter { seen.insert($0).inserted }
        guard scalars.count <= mostTitled else { return ["\(scalars.count) listed characters"] }
        let words = scalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil }.runs
        let signs = scalars.filter { !$0.properties.isAlphabetic && $0.properties.numericType == nil }
            .map { Character($0).nameInMessage }
        guard !signs.isEmpty else { return words }
        return words + ["the sign\(signs.count == 1 ? "" : "s") " + signs.joined(separator: " ")]
    }
}

extension [AllowedCharacters] {
    /// The name of these characters in a message: `letters A–Z, a–z and digits 0–9`.
    package var title: String { flatMap(\.titles).listed("and") }
}

extension [Unicode.Scalar] {
    /// The characters as texts. Three or more consecutive characters are written as a range, such as `a–f`.
    fileprivate var runs: [String] {
        var runs: [ArraySlice<Unicode.Scalar>] = []
        for index in indices {
            if let last = runs.last?.last, last.value + 1 == self[index].value {
                runs[runs.count - 1] = self[runs[runs.count - 1].startIndex...index]
            } else {
                runs.append(self[index...index])
            }
        }
        return runs.flatMap { run in
            guard let first = run.first, let last = run.last, run.count > 2 else {
                return run.map { Character($0).nameInMessage }
            }
            return [Character(first).nameInMessage + "–" + Character(last).nameInMessage]
        }
    }
}

/// A kind of character that a value must contain at least once.
public enum Requirement: String, Hashable, Sendable, CaseIterable {
    /// One of A–Z.
    case uppercase
    /// One of a–z.
    case lowercase
    /// One of 0–9.
    case digit
    /// A printable ASCII character that is not a letter, a digit or the space.
    case special

    /// The name of a character of this kind in a message, without "a" or "an".
    package var noun: String {
        switch self {
        case .uppercase: "uppercase letter"
        case .lowercase: "lowercase letter"
        case .digit: "decimal digit"
        case .special: "special character"
        }
    }

    /// Whether a value contains a character of this kind. The value need not be valid UTF-8.
    package func isMet(by value: Span<UInt8>) -> Bool { ASCIISet(self).containsAny(of: value) }
}

extension Unicode.Scalar {
    /// Whether this is a control character (Cc). False for tab, LF and CR.
    var isForbiddenControl: Bool {
        properties.generalCategory == .control && self != "\t" && self != "\n" && self != "\r"
    }
}
