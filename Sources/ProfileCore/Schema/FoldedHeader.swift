/// A column name in the form that is compared (I2): `postal code`, `Postal-Code`, `postalCode` and `postal_code` are
/// equal.
package struct FoldedHeader: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ text: String) {
        bytes = text.utf8.filter { $0 != 0x20 && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
            .map(\.asciiFolded)
    }

    /// The text that is compared: without spaces, hyphens and underscores, and with ASCII letters in lower case.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the name consists only of spaces, hyphens and underscores, or is empty.
    package var isEmpty: Bool { bytes.isEmpty }
}
