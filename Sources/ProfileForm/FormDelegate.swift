internal import ProfileCore

/// A ``FormState`` behind the delegate's question that text fields of UIKit and the like ask: may these characters change
/// (F8)?
///
/// The answer is `true` where the host is to make the change itself: the form has made the same one. It is `false`
/// where the host is to show what the form's field says now, whether or not anything changed.
public struct FormDelegate: Sendable {
    /// The form behind it; a host focuses and ends fields here.
    public var form: FormState
    private var pending: [FormEffect] = []

    /// Puts a form behind the delegate's question.
    public init(_ form: FormState) { self.form = form }

    /// Changes the text of the field that has the focus.
    ///
    /// Several characters at once, in a field without spelling correction, are taken as auto-fill and answered `false`.
    /// An oversized replacement is refused whole. A range that does not fit the text, or no active field, is `false`.
    /// - Parameters:
    ///   - range: In UTF-16 code units of the text in the host's field; a secret's own, and not of the dots shown.
    ///   - replacement: What comes in its place; empty to delete.
    /// - Returns: Whether the host is to make the change itself.
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
        // The mask's literals may stand elsewhere than the host would put them.
        return after.elementsEqual(before[..<shown.lowerBound] + replacement.utf8 + before[shown.upperBound...])
    }

    /// What came of the changes since this was asked before.
    public mutating func takeEffects() -> [FormEffect] {
        defer { pending = [] }
        return pending
    }
}

extension FormField {
    /// A range in UTF-16 code units of what is shown, in bytes; nil where it does not fit.
    fileprivate func shownRange(ofUTF16 range: Range<Int>) -> Range<Int>? {
        withShown { shown in
            guard let start = shown.offset(ofUTF16: range.lowerBound), let end = shown.offset(ofUTF16: range.upperBound)
            else { return nil }
            return start..<end
        }
    }

    /// The bytes of the content that are shown in a range of bytes.
    fileprivate func contentRange(ofShown range: Range<Int>) -> Range<Int> {
        guard let masked else { return range }
        return masked.offset(ofShown: range.lowerBound)..<masked.offset(ofShown: range.upperBound)
    }
}

extension Span<UInt8> {
    /// The offset in bytes of a place in UTF-16 code units; nil outside the text and inside a character.
    fileprivate func offset(ofUTF16 place: Int) -> Int? {
        var units = 0
        var offset = 0
        while units < place, offset < count {
            // The lead byte of a scalar of four bytes stands for two units, any other lead byte for one.
            units += self[offset] >= 0xF0 ? 2 : 1
            offset += 1
            while offset < count, self[offset] & 0xC0 == 0x80 { offset += 1 }
        }
        guard units == place, characterBoundary(atOrAfter: offset) == offset else { return nil }
        return offset
    }
}
