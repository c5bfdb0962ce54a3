/// A name of a column as names are compared (I2): `postal code`, `Postal-Code`, `postalCode` and `postal_code` are one.
package struct FoldedHeader: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ text: String) {
        bytes = text.utf8.filter { $0 != 0x20 && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
            .map(\.asciiFolded)
    }

    /// What is left to compare.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether nothing is left to compare.
    package var isEmpty: Bool { bytes.isEmpty }
}
