internal import ProfileCore

/// The lengths and characters of a column's values.
struct TextEvidence: Sendable {
    /// In user-perceived characters.
    private(set) var shortest = Int.max
    /// The least `maxLength` that lets every value in: in user-perceived characters, or in bytes by the rule that bounds
    /// these (S5).
    private(set) var longest = 0
    private(set) var ascii = SeenASCII()
    private(set) var isASCII = true

    /// Takes a value in, unless it holds a control character that no text may hold.
    ///
    /// - Returns: Whether it was taken.
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

    /// The characters of codes and names of things, as a schema's `characters` lists them; nil where there are others.
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

    /// What a value may have in bytes, however few characters it may have (``ProfileCore/FieldRules/longestByteCount``).
    private static let bytesOfAnyLength = 1_024
}

extension Span<UInt8> {
    fileprivate var characterCount: Int { String(self).count }
}
