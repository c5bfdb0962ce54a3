internal import ProfileCore

/// A text in the shape of a mask: its characters fill the mask's digit places, with the literals between them.
///
/// The literals are never part of the text itself. A literal appears as soon as a character follows it, or when the
/// last digit place is filled. Typed literals are ignored.
struct MaskedText {
    /// The shown text, valid UTF-8.
    private(set) var bytes: [UInt8] = []
    /// The positions between characters in order: the offset in the text and the offset in the shown text, both in
    /// bytes.
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

    /// Converts an offset in the shown text to an offset in the text. For an offset inside literals the result is the
    /// position before them.
    func offset(ofShown shown: Int) -> Int {
        places.last { $0.shown <= shown }?.offset ?? 0
    }
}

extension Mask {
    /// Whether a character is one of the mask's literals, which the user does not have to type.
    func hasLiteral(_ character: Character) -> Bool {
        character.asciiValue.map { $0 != Mask.digit && bytes.contains($0) } ?? false
    }
}
