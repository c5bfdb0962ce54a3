/// A column name in a form for comparisons (I2). `postal code`, `Postal-Code`, `postalCode`, `postal_code` and
/// `postal.code` are equal. The name of a member of a nested JSON object has a point: `postal.code`.
package struct FoldedHeader: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ text: String) {
        bytes = text.utf8.filter { !Self.ignored.contains($0) }.map(\.asciiFolded)
    }

    private static let ignored = Array(" -_.".utf8)

    /// The text for comparisons. It has no spaces, hyphens, underscores or points, and its ASCII letters are lower-case.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the name is empty or consists only of spaces, hyphens, underscores and points.
    package var isEmpty: Bool { bytes.isEmpty }
}
