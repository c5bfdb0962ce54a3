internal import ProfileCore

/// Answers, with a ``FormState``, the delegate method of UIKit-like text fields that asks whether characters may change
/// (F8).
///
/// The answer is `true` if the form has made the change and the host should make the same change. The answer is `false`
/// if the host should show the text of the form's field instead, whether or not that text changed.
public struct FormDelegate: Sendable {
    /// The form. The host sends it events such as focus and the end of editing directly.
    public var form: FormState
    private var pending: [FormEffect] = []

    /// Creates a delegate for a form.
    public init(_ form: FormState) { self.form = form }

    /// Changes the text of the field that has the focus.
    ///
    /// In a field without spelling correction, several characters in one change count as auto-fill, and the answer is
    /// `false`. A replacement that is too long is refused as a whole. If the range does not fit the text or no field
    /// has the focus, the answer is `false`.
    /// - Parameters:
    ///   - range: A range in UTF-16 code units of the text in the host's field. For a secret it counts the secret's own
    ///     characters, not the dots shown.
    ///   - replacement: The text that replaces the range; empty to delete.
    /// - Returns: Whether the host should make the change itself.
    public mutating func shouldChangeCharacters(in range: Range<Int>, replacement: String) -> Bool {
        guard let focus = form.focus, let index = form.index(of: focus) else { return false }
        let field = form.fields[index]
        guard let shown = field.shownRange(ofUTF16: range) else { return false }
        if replacement.count > 1, !field.correctsSpelling {
            pending += form.handle(.autoFill(replacement))
            return false
        }
        let changed = field.contentRange(ofShown: shown)
        let effects = form.observingSearch { form in
            form.replace(changed, with: replacement, at: index) ?? [.refused(focus)]
        }
        pending += effects
        if case .refused? = effects.first { return false }
        guard let before = field.masked?.bytes, let after = form.fields[index].masked?.bytes else { return true }
        // The mask may put its literals at other positions than the host would.
        return after.elementsEqual(before[..<shown.lowerBound] + replacement.utf8 + before[shown.upperBound...])
    }

    /// Returns the effects of all changes since the last call.
    public mutating func takeEffects() -> [FormEffect] {
        defer { pending = [] }
        return pending
    }
}

extension FormField {
    /// Converts a range in UTF-16 code units of the shown text to a range of bytes. Returns nil if the range does not
    /// fit the text.
    fileprivate func shownRange(ofUTF16 range: Range<Int>) -> Range<Int>? {
        withShown { shown in
            guard let start = shown.offset(ofUTF16: range.lowerBound), let end = shown.offset(ofUTF16: range.upperBound)
            else { return nil }
            return start..<end
        }
    }

    /// Returns the byte range in the content that a byte range in the shown text represents.
    fileprivate func contentRange(ofShown range: Range<Int>) -> Range<Int> {
        guard let masked else { return range }
        return masked.offset(ofShown: range.lowerBound)..<masked.offset(ofShown: range.upperBound)
    }
}

extension Span<UInt8> {
    /// Converts an offset in UTF-16 code units to an offset in bytes. Returns nil outside the text and inside a
    /// character.
    fileprivate func offset(ofUTF16 place: Int) -> Int? {
        var units = 0
        var offset = 0
        while units < place, offset < count {
            // The lead byte of a four-byte scalar stands for two UTF-16 units, any other lead byte for one.
            units += self[offset] >= 0xF0 ? 2 : 1
            offset += 1
            while offset < count, self[offset] & 0xC0 == 0x80 { offset += 1 }
        }
        guard units == place, characterBoundary(atOrAfter: offset) == offset else { return nil }
        return offset
    }
}
