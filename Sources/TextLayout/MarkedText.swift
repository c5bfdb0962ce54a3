/// A text that is safe to show (see `visible`), with marked parts that the display highlights.
package struct MarkedText: Hashable, Sendable {
    package private(set) var text: String
    /// The marked ranges as UTF-8 offsets in `text`. The ranges cover whole characters, are in ascending order, and do
    /// not overlap.
    package private(set) var marks: [Range<Int>]

    /// Creates a marked text that contains the whole text.
    ///
    /// - Parameters:
    ///   - text: The raw text, not yet escaped.
    ///   - marks: The marked ranges, in order.
    package init(_ text: String, marks: [Range<String.Index>] = []) {
        self.init(marks.isEmpty ? [(text.visible, false)] : Self.parts(of: text[...], marks))
    }

    /// Creates a marked text of at most `columns` terminal columns. If the text is wider, it is cut in the same way as
    /// by ``cut(to:)``.
    package init(_ text: String, marks: [Range<String.Index>] = [], upTo columns: Int) {
        guard let first = marks.first else {
            self.init([(text.visible(upTo: columns), false)])
            return
        }
        // Only text near the first mark can be shown, so the rest is skipped. The number of scalars is limited as in
        // `visible(upTo:)`.
        let scalars = text.unicodeScalars
        let most = String.mostScalarsPerColumn * columns
        let mark = first.lowerBound
        let start = scalars.index(mark, offsetBy: -most, limitedBy: scalars.startIndex) ?? scalars.startIndex
        let end = scalars.index(mark, offsetBy: most, limitedBy: scalars.endIndex) ?? scalars.endIndex
        var parts = Self.parts(of: text[start..<end], marks)
        if start > scalars.startIndex { parts.insert(("…", false), at: 0) }
        if end < scalars.endIndex { parts.append(("…", false)) }
        self = Self(parts).cut(to: columns)
    }

    private init(_ parts: [(text: String, isMarked: Bool)]) {
        text = ""
        marks = []
        for part in parts {
            let start = text.utf8.count
            text += part.text
            if part.isMarked { marks.append(start..<text.utf8.count) }
        }
        if !marks.isEmpty { widenMarks() }
    }

    /// Extends each mark to whole characters. For example, if a mark covers an accent, it then covers the letter too.
    private mutating func widenMarks() {
        var wide: [Range<Int>] = []
        var place = 0
        var rest = marks[...]
        for character in text {
            let end = place + character.utf8.count
            while let mark = rest.first, mark.upperBound <= place { rest.removeFirst() }
            if let mark = rest.first, mark.lowerBound < end {
                if let last = wide.last, last.upperBound == place {
                    wide[wide.endIndex - 1] = last.lowerBound..<end
                } else {
                    wide.append(place..<end)
                }
            }
            place = end
        }
        marks = wide
    }

    private static func parts(of text: Substring, _ marks: [Range<String.Index>]) -> [(text: String, isMarked: Bool)] {
        var parts: [(String, Bool)] = []
        var place = text.startIndex
        for mark in marks {
            let start = max(mark.lowerBound, place)
            let end = min(mark.upperBound, text.endIndex)
            guard start < end else { continue }
            parts.append((String(text[place..<start]).visible, false))
            parts.append((String(text[start..<end]).visible, true))
            place = end
        }
        parts.append((String(text[place...]).visible, false))
        return parts
    }

    /// The number of terminal columns that the text takes.
    package var displayWidth: Int { text.displayWidth }

    /// Returns the text in at most `columns` terminal columns, with `…` instead of each omitted part. If the text is
    /// wider, the result is its beginning. If the first mark does not fit into the beginning, the result is the part
    /// around the first mark.
    package func cut(to columns: Int) -> MarkedText {
        guard text.utf8.count > columns, displayWidth > columns else { return self }
        let beginning = text.end(from: text.startIndex, within: columns - 1)
        guard let first = marks.first, first.upperBound > offset(beginning), columns > 4 else {
            return part(text.startIndex..<beginning)
        }
        // One column at each end is reserved for the ellipsis.
        let room = columns - 2
        let mark = index(first.lowerBound)..<index(first.upperBound)
        var start = text.start(before: mark.lowerBound, within: max(0, room - text[mark].displayWidth) / 2)
        let end = text.end(from: start, within: room)
        if end == text.endIndex { start = text.start(before: end, within: columns - 1) }
        return part(start..<end)
    }

    /// The marked and unmarked parts, in order.
    package var parts: [(text: Substring, isMarked: Bool)] {
        var parts: [(Substring, Bool)] = []
        var place = text.startIndex
        for mark in marks {
            parts.append((text[place..<index(mark.lowerBound)], false))
            place = index(mark.upperBound)
            parts.append((text[index(mark.lowerBound)..<place], true))
        }
        return parts + [(text[place...], false)]
    }

    /// Returns the text with `start` before each mark and `end` after it.
    package func text(from start: String, to end: String) -> String {
        parts.map { $0.isMarked ? start + $0.text + end : String($0.text) }.joined()
    }

    /// Returns a part of the text, with an ellipsis at each end where text is omitted.
    private func part(_ range: Range<String.Index>) -> MarkedText {
        let start = range.lowerBound > text.startIndex ? "…" : ""
        let end = range.upperBound < text.endIndex ? "…" : ""
        var part = MarkedText([(start + text[range] + end, false)])
        let shown = offset(range.lowerBound)..<offset(range.upperBound)
        part.marks = marks.map { $0.clamped(to: shown) }.filter { !$0.isEmpty }.map { mark in
            let shift = start.utf8.count - shown.lowerBound
            return mark.lowerBound + shift..<mark.upperBound + shift
        }
        return part
    }

    private func index(_ offset: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: offset) }

    private func offset(_ index: String.Index) -> Int { text.utf8.distance(from: text.startIndex, to: index) }
}
