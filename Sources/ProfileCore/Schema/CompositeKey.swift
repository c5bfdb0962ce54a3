/// A key of several texts. `/` separates the texts, and `\` precedes each `/` and `\` of a text. So two different lists
/// of the same length have different keys. The key of one text is the text itself, without `\`.
package struct CompositeKey {
    private var bytes: [UInt8] = []
    private var parts = 0
    /// The first part, without escapes.
    private var first: [UInt8] = []

    package init() {}

    package mutating func append(_ part: Span<UInt8>) {
        if parts > 0 { bytes.append(Self.separator) }
        for index in part.indices {
            if part[index] == Self.separator || part[index] == Self.escape { bytes.append(Self.escape) }
            bytes.append(part[index])
        }
        if parts == 0 { first = part.withUnsafeBufferPointer { Array($0) } }
        parts += 1
    }

    /// The UTF-8 of the key.
    package var utf8: [UInt8] { parts == 1 ? first : bytes }

    package var text: String { String(decoding: utf8, as: UTF8.self) }

    /// Whether two keys are equal, apart from the case of ASCII letters.
    package static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.lazy.map(\.asciiFolded).elementsEqual(other.utf8.lazy.map(\.asciiFolded))
    }

    private static let separator = UInt8(ascii: "/")
    private static let escape = UInt8(ascii: "\\")
}
