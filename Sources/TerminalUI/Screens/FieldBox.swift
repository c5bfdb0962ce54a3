internal import TextLayout

/// The box that shows a field's text. A text wider than the box scrolls to keep the caret visible.
struct FieldBox {
    /// The width without the brackets.
    let width: Int
    private let characters: [(text: String, width: Int)]
    private let caret: Int
    private let hasFocus: Bool
    private let isEnabled: Bool
    private let isSecretShown: Bool
    /// The width of the mark `▾` at the end of the box, in columns. The mark shows that the field has a list.
    private let markWidth: Int

    init(_ field: FieldRow, width: Int) {
        self.width = max(1, width)
        characters = field.text.map { (String($0), String($0).displayWidth) }
        caret = min(max(0, field.caret), characters.count)
        hasFocus = field.hasFocus
        isEnabled = field.isEnabled
        isSecretShown = field.isSecretShown
        markWidth = field.hasChoices && width > 3 ? 2 : 0
    }

    func draw(into frame: inout Frame, row: Int, column: Int) {
        let shown = visibleCharacters
        let edge: Style = hasFocus ? [.accent, .bold] : .dim
        frame.write(shown.lowerBound > 0 ? "‹" : "[", row: row, column: column, style: edge)
        frame.write(String(repeating: " ", count: width), row: row, column: column + 1, style: inside)
        var place = 0
        let style = isSecretShown ? inside.union(.secret) : inside
        for index in shown.lowerBound...shown.upperBound {
            if index == caret, hasFocus { frame.placeCaret(row: row, column: column + 1 + place) }
            guard index < shown.upperBound else { break }
            place += frame.write(
                characters[index].text, row: row, column: column + 1 + place, style: style, width: textWidth - place)
        }
        if markWidth > 0 { frame.write("▾", row: row, column: column + width, style: edge) }
        let end = shown.upperBound < characters.count ? "›" : "]"
        frame.write(end, row: row, column: column + 1 + width, style: edge)
    }

    private var inside: Style { isEnabled ? .underline : [.underline, .dim] }

    private var textWidth: Int { width - markWidth }

    /// The range of the characters that fit into the box. The caret is in this range or directly after it.
    private var visibleCharacters: Range<Int> {
        let width = textWidth
        var start = 0
        if hasFocus {
            // Scrolls until the caret is visible. Also shows some text after the caret: at most a third of the box.
            let ahead = characters[caret...].prefix(width / 3).reduce(0) { $0 + $1.width }
            var needed = characters[..<caret].reduce(1) { $0 + $1.width } + min(ahead, width / 3)
            while needed > width, start < caret {
                needed -= characters[start].width
                start += 1
            }
        }
        var end = start
        var taken = 0
        while end < characters.count, taken + characters[end].width <= width {
            taken += characters[end].width
            end += 1
        }
        return start..<end
    }
}

extension Frame {
    /// Sets the caret to a position, or to the nearest position on the screen.
    mutating func placeCaret(row: Int, column: Int) {
        guard size.rows > 0, size.columns > 0 else { return }
        caret = ScreenPosition(row: max(0, min(row, size.rows - 1)), column: max(0, min(column, size.columns - 1)))
    }
}
