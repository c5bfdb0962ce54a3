internal import ProfileCore

/// A token that people write for a missing value. Whether a token means a missing value in a column depends on the
/// other values of the column.
package struct MissingToken: Hashable, Sendable {
    package let bytes: [UInt8]

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the token consists only of letters. Such a token can also be a name. A token with other characters
    /// cannot be a name.
    package var isWord: Bool { bytes.allSatisfy(\.isASCIILetter) }

    /// All tokens. The most usual tokens come first.
    package static let all = [
        "NA", "N/A", "n/a", "na", "null", "NULL", "-", "--", "---", "None", "none", "NaN", "nan", "Null", "nil", "#N/A",
        "#NA", "<NA>", "(null)", "n.a.", "\\N", "?", ".", "0000-00-00", "0000-00-00 00:00:00", "#REF!", "#VALUE!",
        "#DIV/0!", "#NAME?", "#NUM!", "#NULL!",
    ].map { MissingToken(bytes: Array($0.utf8)) }

    private static let beginsToken = (UInt8.min...UInt8.max).map { byte in all.contains { $0.bytes.first == byte } }
    private static let longest = all.map(\.bytes.count).max() ?? 0

    /// Returns the position of a value in ``all``, or nil if the value is not a token.
    @inline(__always)
    package static func index(of value: Span<UInt8>) -> Int? {
        guard let first = value.first, value.count <= longest, beginsToken[Int(first)] else {
            return nil
        }
        return search(value)
    }

    /// Whether a value is a token for a missing value and cannot be a name. Such a value is never a key.
    package static func isSign(_ value: Span<UInt8>) -> Bool { index(of: value).map { !all[$0].isWord } ?? false }

    private static func search(_ value: Span<UInt8>) -> Int? {
        all.firstIndex { token in
            guard token.bytes.count == value.count else { return false }
            for index in value.indices where value[index] != token.bytes[index] { return false }
            return true
        }
    }
}
