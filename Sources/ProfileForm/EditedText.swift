package import ProfileCore

/// Text under a caret, as a person edits it, character by character.
///
/// Its bytes are valid UTF-8 and are zeroed when they go, since the text may be a secret; no `String` is made of them.
package struct EditedText: Sendable {
    package private(set) var content: Secret
    /// A place between two characters, as an offset in bytes.
    package private(set) var caret: Int
    /// In user-perceived characters.
    package private(set) var count: Int

    /// How many characters are before the caret.
    package var caretCount: Int { content.bytes.characterCount(before: caret) }

    package init(_ text: String = "") {
        let content = Secret(text)
        self.init(content, caret: content.count)
    }

    private init(_ content: Secret, caret: Int) {
        self.content = content
        // What was before the caret and what is after it may have become one character.
        self.caret = content.bytes.characterBoundary(atOrAfter: caret)
        count = content.bytes.characterCount
    }

    /// The text with a range of bytes replaced and the caret after what came in.
    ///
    /// - Parameters:
    ///   - range: Within the text, from one boundary of characters to another.
    ///   - bytes: Valid UTF-8.
    /// - Returns: The changed text.
    package func replacing(_ range: Range<Int>, with bytes: Span<UInt8>) -> EditedText {
        let old = content.bytes
        let replaced = Secret(capacity: old.count - range.count + bytes.count) { output in
            for index in 0..<range.lowerBound { output.append(old[index]) }
            for index in bytes.indices { output.append(bytes[index]) }
            for index in range.upperBound..<old.count { output.append(old[index]) }
        }
        return EditedText(replaced, caret: range.lowerBound + bytes.count)
    }

    /// The character before the caret, in bytes; empty at the start.
    package var previousCharacter: Range<Int> { content.bytes.characterBoundary(before: caret)..<caret }

    /// The character after the caret, in bytes; empty at the end.
    package var nextCharacter: Range<Int> { caret..<content.bytes.characterBoundary(after: caret) }

    /// From the start of the word before the caret, with the white space between, in bytes.
    package var previousWord: Range<Int> {
        let bytes = content.bytes
        var start = caret
        while start > 0, bytes[start - 1].isASCIIWhitespace { start -= 1 }
        while start > 0, !bytes[start - 1].isASCIIWhitespace { start -= 1 }
        return bytes.characterBoundary(atOrAfter: start)..<caret
    }

    /// Moves the caret to the nearest place at or after an offset in bytes that is between two characters.
    package mutating func moveCaret(to offset: Int) {
        caret = content.bytes.characterBoundary(atOrAfter: min(max(0, offset), content.count))
    }
}

// Boundaries between user-perceived characters (Unicode's extended grapheme clusters, UAX #29) in valid UTF-8.
extension Span<UInt8> {
    var characterCount: Int { characterCount(before: count) }

    /// How many characters begin before an offset.
    func characterCount(before offset: Int) -> Int {
        guard var characters else { return 0 }
        var characterCount = 0
        while characters.currentCodeUnitOffset < offset, characters.skipForward() > 0 { characterCount += 1 }
        return characterCount
    }

    /// The offset after some characters; the end where there are not so many.
    func offset(ofCharacter index: Int) -> Int {
        guard index > 0, var characters else { return 0 }
        _ = characters.skipForward(by: index)
        return characters.currentCodeUnitOffset
    }

    /// The boundary at an offset, or the next one after it.
    func characterBoundary(atOrAfter offset: Int) -> Int {
        guard offset > 0, var characters else { return 0 }
        while characters.currentCodeUnitOffset < offset, characters.skipForward() > 0 {}
        return characters.currentCodeUnitOffset
    }

    fileprivate func characterBoundary(before offset: Int) -> Int {
        guard offset > 0, var characters else { return 0 }
        var boundary = 0
        while characters.currentCodeUnitOffset < offset {
            boundary = characters.currentCodeUnitOffset
            guard characters.skipForward() > 0 else { break }
        }
        return boundary
    }

    fileprivate func characterBoundary(after offset: Int) -> Int { characterBoundary(atOrAfter: offset + 1) }

    // Counted from the start: what is one character depends on all that stands before it.
    private var characters: UTF8Span.CharacterIterator? {
        @_lifetime(copy self) get { (try? UTF8Span(validating: self))?.makeCharacterIterator() }
    }
}
