/// A column name in a form for comparisons (I2). `postal code`, `Postal-Code`, `postalCode` and `postal_code` are
/// equal.
package struct FoldedHeader: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ text: String) {
        bytes = text.utf8.filter { $0 != 0x20 && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
            .map(\.asciiFolded)
    }

    /// The text for comparisons. It has no spaces, hyphens or underscores, and its ASCII letters are lower-case.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the name is empty or consists only of spaces, hyphens and underscores.
    package var isEmpty: Bool { bytes.isEmpty }
}
