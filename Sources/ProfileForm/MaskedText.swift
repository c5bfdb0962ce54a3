internal import ProfileCore

/// A text that is shown in a mask. The characters of the text fill the mask's digit places, and the mask's literals are
/// shown between them.
///
/// The literals are never part of the text itself. A literal is shown if a character of the text follows the literal,
/// or if all digit places are filled. Typed literals are ignored.
struct MaskedText {
    /// The shown text, valid UTF-8.
    private(set) var bytes: [UInt8] = []
    /// All character boundaries, in order. Each entry contains two byte offsets of a boundary: the offset in the text
    /// and the offset in the shown text.
    private var places: [(offset: Int, shown: Int)] = []

    init(_ text: Span<UInt8>, _ mask: Mask) {
        var rest = mask.bytes[...]
        var offset = 0
        while offset < text.count {
            while let literal = rest.first, literal != Mask.digit {
                bytes.append(literal)
                rest.removeFirst()
            }
            if places.isEmpty { places.append((0, bytes.count)) }
            rest = rest.dropFirst()
            let end = text.characterBoundary(atOrAfter: offset + 1)
            for index in offset..<end { bytes.append(text[index]) }
            offset = end
            places.append((end, bytes.count))
        }
        if places.isEmpty { places.append((0, 0)) }
        if !bytes.isEmpty, !rest.contains(Mask.digit) { bytes += rest }
    }

    /// Converts an offset in the text to an offset in the shown text.
    func shownOffset(of offset: Int) -> Int {
        places.last { $0.offset <= offset }?.shown ?? 0
    }

    /// Converts an offset in the shown text to an offset in the text. If the offset is inside a run of literals,
    /// returns the position before this run.
    func offset(ofShown shown: Int) -> Int {
        places.last { $0.shown <= shown }?.offset ?? 0
    }
}

extension Mask {
    /// Whether a character is one of the mask's literals. The user does not have to type literals.
    func hasLiteral(_ character: Character) -> Bool {
        character.asciiValue.map { $0 != Mask.digit && bytes.contains($0) } ?? false
    }
}
