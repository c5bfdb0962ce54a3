internal import ProfileCore

/// A text as it is shown in the shape of a mask: its characters in the places of the digits, the literals between.
///
/// The literals are never part of the text itself: they stand by themselves as soon as a character follows them, or
/// when the last digit's place is filled, and are ignored when they are typed.
struct MaskedText {
    /// Valid UTF-8.
    private(set) var bytes: [UInt8] = []
    /// The places between characters, from the first to the last: where each is in the text and where it is shown.
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

    /// Where a place between two characters of the text is shown.
    func shownOffset(of offset: Int) -> Int {
        places.last { $0.offset <= offset }?.shown ?? 0
    }

    /// The place in the text that is shown at an offset, or before it where a literal is there.
    func offset(ofShown shown: Int) -> Int {
        places.last { $0.shown <= shown }?.offset ?? 0
    }
}

extension Mask {
    /// Whether a character stands by itself in the mask, so that nobody has to type it.
    func hasLiteral(_ character: Character) -> Bool {
        character.asciiValue.map { $0 != Mask.digit && bytes.contains($0) } ?? false
    }
}
