package import ProfileCore

/// A text with a caret, edited character by character.
///
/// The bytes are valid UTF-8. The text may be a secret. So the bytes are zeroed when they are released, and this type
/// never converts them to a `String`.
package struct EditedText: Sendable {
    package private(set) var content: Secret
    /// The byte offset of the caret. The caret is always at a character boundary.
    package private(set) var caret: Int
    /// The length in user-perceived characters.
    package private(set) var count: Int

    /// The number of characters before the caret.
    package var caretCount: Int { content.bytes.characterCount(before: caret) }

    package init(_ text: String = "") {
        let content = Secret(text)
        self.init(content, caret: content.count)
    }

    private init(_ content: Secret, caret: Int) {
        self.content = content
        // The characters before and after the caret may combine into one character. If so, the caret moves to its end.
        self.caret = content.bytes.characterBoundary(atOrAfter: caret)
        count = content.bytes.characterCount
    }

    /// Returns a copy of the text in which a range of bytes is replaced. The caret of the copy is after the inserted
    /// bytes.
    ///
    /// - Parameters:
    ///   - range: A range of bytes. It must begin and end at a character boundary of the text.
    ///   - bytes: The replacement, valid UTF-8.
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

    /// The byte range of the character before the caret; empty at the start.
    package var previousCharacter: Range<Int> { content.bytes.characterBoundary(before: caret)..<caret }

    /// The byte range of the character after the caret; empty at the end.
    package var nextCharacter: Range<Int> { caret..<content.bytes.characterBoundary(after: caret) }

    /// The byte range of the word before the caret. The range ends at the caret, so it includes white space between the
    /// word and the caret.
    package var previousWord: Range<Int> {
        let bytes = content.bytes
        var start = caret
        while start > 0, bytes[start - 1].isASCIIWhitespace { start -= 1 }
        while start > 0, !bytes[start - 1].isASCIIWhitespace { start -= 1 }
        return bytes.characterBoundary(atOrAfter: start)..<caret
    }

    /// Moves the caret to the first character boundary at or after an offset in bytes.
    package mutating func moveCaret(to offset: Int) {
        caret = content.bytes.characterBoundary(atOrAfter: min(max(0, offset), content.count))
    }
}

// Boundaries between user-perceived characters (Unicode's extended grapheme clusters, UAX #29) in valid UTF-8.
extension Span<UInt8> {
    var characterCount: Int { characterCount(before: count) }

    /// Returns the number of characters that begin before an offset.
    func characterCount(before offset: Int) -> Int {
        guard var characters else { return 0 }
        var characterCount = 0
        while characters.currentCodeUnitOffset < offset, characters.skipForward() > 0 { characterCount += 1 }
        return characterCount
    }

    /// Returns the offset after `index` characters. If the text has fewer characters, returns the end of the text.
    func offset(ofCharacter index: Int) -> Int {
        guard index > 0, var characters else { return 0 }
        _ = characters.skipForward(by: index)
        return characters.currentCodeUnitOffset
    }

    /// Returns the first boundary at or after an offset.
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

    // The iteration always begins at the start of the text, because a character boundary can depend on all text before
    // the boundary.
    private var characters: UTF8Span.CharacterIterator? {
        @_lifetime(copy self) get { (try? UTF8Span(validating: self))?.makeCharacterIterator() }
    }
}
