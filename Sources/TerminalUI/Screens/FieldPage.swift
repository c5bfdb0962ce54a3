internal import TextLayout

/// A page of labelled fields, one under the other, with a title above and the keys below: what forms and entries of
/// secrets look like.
///
/// Each field has a slot of up to three rows, so that messages come and go without anything moving: its box, what is
/// wrong with it, and what is accepted while it has the focus. Where the slots do not fit they shrink, and then the
/// page scrolls, such that the field with the focus and its messages are seen.
struct FieldPage {
    let title: String
    /// Beside the title.
    var aside = ""
    /// Which field one is in, for a page that cannot show all of them at once.
    var place = ""
    var rows: [FieldRow]
    /// What has just happened, or is under way.
    var note: ScreenNote?
    var keys: KeyLegend

    func draw(into frame: inout Frame) {
        let size = frame.size
        let layout = Layout(self, size)
        drawHead(into: &frame, layout)
        drawFoot(into: &frame, layout)
        let lines = layout.lines
        let window = lines.visible(layout.body.count)
        for (row, index) in zip(layout.body, window) { draw(lines[index], row: row, layout, into: &frame) }
        if window.lowerBound > 0 { frame.write("↑", row: layout.body.lowerBound, column: size.columns - 1) }
        if window.upperBound < lines.count, !layout.body.isEmpty {
            frame.write("↓", row: layout.body.upperBound - 1, column: size.columns - 1)
        }
    }

    private func drawHead(into frame: inout Frame, _ layout: Layout) {
        guard layout.body.lowerBound > 0 else { return }
        let columns = frame.size.columns
        let used = frame.write(title, row: 0, column: 1, style: .bold, width: max(0, columns - 2))
        let asides = layout.isCrowded ? [[place, aside], [place]] : [[aside]]
        let fitting = asides.map { $0.filter { !$0.isEmpty }.joined(separator: "   ") }
            .first { used + $0.displayWidth + 4 <= columns }
        if let fitting { frame.write(fitting, row: 0, column: columns - fitting.displayWidth - 1, style: .dim) }
        if layout.body.lowerBound > 1 {
            frame.write(String(repeating: "─", count: max(0, columns - 2)), row: 1, column: 1, style: .dim)
        }
    }

    private func drawFoot(into frame: inout Frame, _ layout: Layout) {
        let rows = layout.body.upperBound..<frame.size.rows
        let width = max(0, frame.size.columns - 2)
        // Where there is one row for both, what has happened is worth more than the keys.
        if let note, let row = rows.first {
            frame.write(note.text, row: row, column: 1, style: note.style, width: width)
        }
        keys.draw(into: &frame, rows: rows.dropFirst(note == nil ? 0 : 1), column: 1, width: width)
    }

    private func draw(_ line: Line, row: Int, _ layout: Layout, into frame: inout Frame) {
        switch line.content {
        case .blank: break
        case .text(let text, let style):
            frame.write(text, row: row, column: layout.messageColumn, style: style, width: layout.messageWidth)
        case .box:
            let field = rows[line.field]
            let style: Style = field.hasFocus ? .bold : field.isEnabled ? [] : .dim
            if field.hasFocus { frame.write("›", row: row, column: 0, style: [.accent, .bold]) }
            let label = field.label + (field.isRequired ? " *" : "")
            frame.write(
                label, row: row, column: layout.labelColumn, style: field.error == nil ? style : style.union(.error),
                width: layout.labelWidth)
            let box = FieldBox(field, width: min(field.width, layout.boxWidth))
            box.draw(into: &frame, row: row, column: layout.boxColumn)
            if field.isRight, !field.hasFocus {
                frame.write("✓", row: row, column: layout.boxColumn + box.width + 3, style: .success)
            }
        }
    }
}

/// One field of a page.
struct FieldRow {
    let label: String
    /// As it is shown, with dots for a secret.
    let text: String
    /// In characters of the text.
    let caret: Int
    /// Columns that the longest text takes, with the caret after it.
    let width: Int
    var isRequired = false
    var isEnabled = true
    var hasFocus = false
    /// Filled in, and as it should be.
    var isRight = false
    var error: String?
    /// What is accepted.
    var hint = ""
    /// A secret is shown as it was typed.
    var isSecretShown = false
    /// It takes one of some values.
    var hasChoices = false
    /// The list of them, while one looks for a value; stands in the place of the hint.
    var list: ChoiceList?
}

/// The values that are offered under a field.
struct ChoiceList {
    /// Those that what was typed leaves.
    let titles: [String]
    /// Which of them would be taken.
    let selected: Int?
    /// How many there are without anything typed.
    let total: Int

    /// As many lines as there is room for, the selected one among them, and how many there are where some are not seen.
    fileprivate func lines(_ room: Int) -> [(text: String, style: Style)] {
        guard !titles.isEmpty else { return [("none of \(total) values has this", .error)] }
        let isWhole = titles.count <= room && titles.count == total
        let window = titles.window(of: max(1, isWhole ? room : room - 1), keeping: selected ?? 0)
        let lines = window.map { index -> (text: String, style: Style) in
            index == selected ? ("› " + titles[index], .reverse) : ("  " + titles[index], [])
        }
        guard !isWhole else { return lines }
        let place = selected.map { "\($0 + 1) of \(titles.count)" } ?? "\(titles.count)"
        return lines + [(titles.count == total ? place + " values" : place + " that match, \(total) in all", .dim)]
    }
}

/// A line at the bottom that says what has just happened.
struct ScreenNote: Hashable {
    let text: String
    var style: Style = .accent
}

extension FieldPage {
    /// What stands where.
    private struct Layout {
        let body: Range<Int>
        let labelColumn: Int
        let labelWidth: Int
        let boxColumn: Int
        let boxWidth: Int
        let messageColumn: Int
        let messageWidth: Int
        /// Whether there are more fields than can be seen with the messages of one.
        let isCrowded: Bool
        private(set) var lines: [Line] = []

        init(_ page: FieldPage, _ size: ScreenSize) {
            let head = size.rows >= 20 ? 3 : size.rows >= 6 ? 1 : 0
            let foot = size.rows >= 8 ? 2 : size.rows >= 3 ? 1 : 0
            body = head..<max(head, size.rows - foot)
            let isWide = size.columns >= 60
            labelColumn = 2
            let labels = page.rows.map { $0.label.displayWidth + ($0.isRequired ? 2 : 0) }.max() ?? 0
            labelWidth = min(labels, max(0, size.columns / 2 - 6))
            boxColumn = labelColumn + labelWidth + (isWide ? 2 : 1)
            // The brackets, and room for a mark behind them.
            boxWidth = max(1, size.columns - boxColumn - (isWide ? 6 : 4))
            messageColumn = isWide ? boxColumn : 4
            messageWidth = max(1, size.columns - messageColumn - 1)
            // The roomiest slots for which there is room; no air is needed below the last one.
            isCrowded = page.rows.count + 2 > body.count
            let listRoom = max(1, min(7, body.count - 3))
            let height = (2...3).last { page.rows.count * $0 - ($0 - 1) <= body.count } ?? 1
            for index in page.rows.indices {
                let slot = page.slot(of: index, width: messageWidth, listRoom: listRoom)
                lines += slot
                if index < page.rows.count - 1 {
                    lines += repeatElement(Line(field: index, content: .blank), count: max(0, height - slot.count))
                }
            }
            // Long messages take the air of others before anything has to scroll.
            while lines.count > body.count, let air = lines.lastIndex(where: \.isBlank) { lines.remove(at: air) }
            for index in lines.indices { lines[index].hasFocus = page.rows[lines[index].field].hasFocus }
        }
    }

    /// The lines of one field, without the air after it.
    private func slot(of index: Int, width: Int, listRoom: Int) -> [Line] {
        let row = rows[index]
        var lines = [Line(field: index, content: .box)]
        if let error = row.error {
            lines += ("✗ " + error).wrapped(to: width).map { Line(field: index, content: .text($0, .error)) }
        }
        if row.hasFocus, let list = row.list {
            lines += list.lines(listRoom).map { Line(field: index, content: .text($0.text, $0.style)) }
        } else if row.hasFocus, !row.hint.isEmpty {
            lines += row.hint.wrapped(to: width).map { Line(field: index, content: .text($0, .dim)) }
        }
        return lines
    }

    fileprivate struct Line {
        let field: Int
        let content: Content
        var hasFocus = false

        var isBlank: Bool { if case .blank = content { true } else { false } }

        enum Content {
            case box
            case text(String, Style)
            case blank
        }
    }
}

extension [FieldPage.Line] {
    /// The lines that are seen where there is room for so many: those of the field with the focus, and what is around.
    fileprivate func visible(_ room: Int) -> Range<Int> {
        guard room < count else { return 0..<count }
        let first = firstIndex { $0.hasFocus } ?? 0
        let last = lastIndex { $0.hasFocus } ?? 0
        // One line more, so that the next field is seen to be there; but the box before all messages.
        let start = Swift.min(Swift.max(0, Swift.min(last + 2 - room, first)), count - room)
        return start..<start + room
    }
}
