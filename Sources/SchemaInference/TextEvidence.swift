internal import ProfileCore

/// The lengths and characters of a column's values.
struct TextEvidence: Sendable {
    /// The length of the shortest value in user-perceived characters.
    private(set) var shortest = Int.max
    /// The smallest `maxLength` that accepts every value. It is counted in user-perceived characters. Values with many
    /// bytes need a higher `maxLength`, because it also limits the bytes (S5).
    private(set) var longest = 0
    private(set) var ascii = SeenASCII()
    private(set) var isASCII = true

    /// Adds a value, unless it has a control character that no text may hold.
    ///
    /// - Returns: Whether the value was added.
    @inline(__always)
    mutating func add(_ value: Span<UInt8>) -> Bool {
        var seen = SeenASCII()
        for index in value.indices { seen.insert(value[index]) }
        guard !seen.hasForbiddenControl else { return false }
        if seen.isBeyondASCII { return addBeyondASCII(value, seen) }
        note(seen.contains(0x0D) ? value.characterCount : value.count, bytes: value.count)
        ascii.formUnion(seen)
        return true
    }

    /// The character classes of the values, as a schema's `characters` lists them; nil if there are characters other
    /// than ASCII letters, digits and `-_.`.
    var characters: [String]? {
        guard isASCII else { return nil }
        let signs = ascii.members.filter { !$0.isASCIILetter && !$0.isASCIIDigit }
        guard signs.allSatisfy({ "-_.".utf8.contains($0) }) else { return nil }
        return (ascii.hasLetters ? ["ascii-letters"] : []) + (ascii.hasDigits ? ["ascii-digits"] : [])
            + (signs.isEmpty ? [] : [String(decoding: signs, as: UTF8.self)])
    }

    private mutating func addBeyondASCII(_ value: Span<UInt8>, _ seen: SeenASCII) -> Bool {
        let text = String(value)
        guard !text.unicodeScalars.contains(where: { 0x80...0x9F ~= $0.value }) else { return false }
        note(text.count, bytes: value.count)
        ascii.formUnion(seen)
        isASCII = false
        return true
    }

    @inline(__always)
    private mutating func note(_ characters: Int, bytes: Int) {
        shortest = min(shortest, characters)
        longest = max(longest, characters)
        if bytes > Self.bytesOfAnyLength { longest = max(longest, (bytes + 3) / 4) }
    }

    mutating func merge(_ other: TextEvidence) {
        shortest = min(shortest, other.shortest)
        longest = max(longest, other.longest)
        ascii.formUnion(other.ascii)
        isASCII = isASCII && other.isASCII
    }

    /// The number of bytes that every value may have, even if `maxLength` is small
    /// (``ProfileCore/FieldRules/longestByteCount``).
    private static let bytesOfAnyLength = 1_024
}

extension Span<UInt8> {
    fileprivate var characterCount: Int { String(self).count }
}
