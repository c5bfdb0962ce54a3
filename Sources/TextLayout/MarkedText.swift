/// A text in the form that is safe to show (see `visible`), with the parts of it that are to be seen at once.
package struct MarkedText: Hashable, Sendable {
    package private(set) var text: String
    /// In UTF-8 of `text`: whole characters, one mark after the other.
    package private(set) var marks: [Range<Int>]

    /// The whole of a text.
    ///
    /// - Parameters:
    ///   - text: As it came.
    ///   - marks: Which parts of it are marked, from the first to the last.
    package init(_ text: String, marks: [Range<String.Index>] = []) {
        self.init(marks.isEmpty ? [(text.visible, false)] : Self.parts(of: text[...], marks))
    }

    /// A text if it takes at most so many columns of a terminal, else a part of it, as ``cut(to:)`` chooses one.
    package init(_ text: String, marks: [Range<String.Index>] = [], upTo columns: Int) {
        guard let first = marks.first else {
            self.init([(text.visible(upTo: columns), false)])
            return
        }
        // What is far from the first mark will not be seen. As in `visible(upTo:)`, scalars have their bound.
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

    /// A mark on an accent is one on its letter too.
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

    /// How many columns of a terminal it takes.
    package var displayWidth: Int { text.displayWidth }

    /// The text if it takes at most so many columns, else as much of it as they take, with `…` for what is left out: its
    /// beginning, or what is around its first mark where that is further on.
    package func cut(to columns: Int) -> MarkedText {
        guard text.utf8.count > columns, displayWidth > columns else { return self }
        let beginning = text.end(from: text.startIndex, within: columns - 1)
        guard let first = marks.first, first.upperBound > offset(beginning), columns > 4 else {
            return part(text.startIndex..<beginning)
        }
        // One column at either end is for the ellipsis.
        let room = columns - 2
        let mark = index(first.lowerBound)..<index(first.upperBound)
        var start = text.start(before: mark.lowerBound, within: max(0, room - text[mark].displayWidth) / 2)
        let end = text.end(from: start, within: room)
        if end == text.endIndex { start = text.start(before: end, within: columns - 1) }
        return part(start..<end)
    }

    /// What is marked and what is not, one after the other.
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

    /// The text with what makes the marks seen around them.
    package func text(from start: String, to end: String) -> String {
        parts.map { $0.isMarked ? start + $0.text + end : String($0.text) }.joined()
    }

    /// A part, with an ellipsis where something is left out.
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
