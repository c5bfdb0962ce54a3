internal import ProfileCore

/// Implements the `shouldChangeCharacters` delegate method of UIKit-like text fields with a ``FormState`` (F8).
///
/// If the method returns `true`, the form has made the change, and the host should make the same change. If the method
/// returns `false`, the host should show the text of the form's field. The form may have changed this text, or may have
/// left it unchanged.
public struct FormDelegate: Sendable {
    /// The form. The host sends other events directly to the form, such as a change of focus and the end of editing.
    public var form: FormState
    private var pending: [FormEffect] = []

    /// Creates a delegate for a form.
    public init(_ form: FormState) { self.form = form }

    /// Changes the text of the field that has the focus.
    ///
    /// If a change inserts several characters and the field has no spelling correction, the change is handled as
    /// auto-fill, and the result is `false`. If the new text would be too long, the whole change is refused. If the
    /// range is not in the text or no field has the focus, the result is `false`.
    /// - Parameters:
    ///   - range: A range in UTF-16 code units of the text in the host's field. For a secret, the range refers to the
    ///     characters of the secret, and not to the dots on the screen.
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
        // The host does not know the mask. If the form inserts, moves or removes a literal of the mask, the same change
        // in the host would give a wrong text.
        return after.elementsEqual(before[..<shown.lowerBound] + replacement.utf8 + before[shown.upperBound...])
    }

    /// Returns the effects of all changes since the last call.
    public mutating func takeEffects() -> [FormEffect] {
        defer { pending = [] }
        return pending
    }
}

extension FormField {
    /// Converts a range in UTF-16 code units of the shown text to a range of bytes. Returns nil if the range is not a
    /// valid range of the text.
    fileprivate func shownRange(ofUTF16 range: Range<Int>) -> Range<Int>? {
        withShown { shown in
            guard let start = shown.offset(ofUTF16: range.lowerBound), let end = shown.offset(ofUTF16: range.upperBound)
            else { return nil }
            return start..<end
        }
    }

    /// Converts a byte range of the shown text to a byte range of the content.
    fileprivate func contentRange(ofShown range: Range<Int>) -> Range<Int> {
        guard let masked else { return range }
        return masked.offset(ofShown: range.lowerBound)..<masked.offset(ofShown: range.upperBound)
    }
}

extension Span<UInt8> {
    /// Converts an offset in UTF-16 code units to an offset in bytes. Returns nil if the offset is outside the text or
    /// inside a character.
    fileprivate func offset(ofUTF16 place: Int) -> Int? {
        var units = 0
        var offset = 0
        while units < place, offset < count {
            // A scalar of four UTF-8 bytes has two UTF-16 code units. Any other scalar has one code unit.
            units += self[offset] >= 0xF0 ? 2 : 1
            offset += 1
            while offset < count, self[offset] & 0xC0 == 0x80 { offset += 1 }
        }
        guard units == place, characterBoundary(atOrAfter: offset) == offset else { return nil }
        return offset
    }
}
