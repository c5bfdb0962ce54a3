internal import TextLayout

/// A page of labelled fields in a column, with a title above and the keys below. Forms and the screens for secrets use
/// this page.
///
/// Each field has a slot of up to three rows: the box, the issue, and the accepted values. The accepted values are
/// shown only while the field has the focus. Messages of one row can therefore appear and disappear without moving
/// other fields. If the slots do not fit, they shrink. If they still do not fit, the page scrolls to show the field
/// with the focus and its messages.
struct FieldPage {
    let title: String
    /// The text at the right end of the title row.
    var aside = ""
    /// The position of the focused field. It is shown if the page cannot show all fields at the same time.
    var place = ""
    var rows: [FieldRow]
    /// A note about the last event or the work in progress.
    var note: ScreenNote?
    var keys: KeyLegend

    func draw(into frame: inout Frame) {
        let size = frame.size
        let layout = Layout(self, size)
        drawHead(into: &frame, layout)
        frame.drawFoot(note, keys, rows: layout.body.upperBound..<size.rows)
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
        if layout.body.lowerBound > 1 { frame.drawRule(row: 1) }
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
    /// The shown text, with dots for a secret.
    let text: String
    /// The position of the caret, in characters of the text.
    let caret: Int
    /// The number of columns for the longest text and the caret after it.
    let width: Int
    var isRequired = false
    var isEnabled = true
    var hasFocus = false
    /// Whether the field is filled in and valid.
    var isRight = false
    var error: String?
    /// The accepted values.
    var hint = ""
    /// Whether a secret is shown as typed.
    var isSecretShown = false
    /// Whether the field has a list of choices.
    var hasChoices = false
    /// The open list of choices, which replaces the hint; nil while the list is closed.
    var list: ChoiceList?
}

/// The list of choices under a field.
struct ChoiceList {
    /// The titles that match the typed text.
    let titles: [String]
    /// The index of the selected title.
    let selected: Int?
    /// The number of all choices, whether they match the typed text or not.
    let total: Int

    /// Returns as many lines as fit. The selected line is always included. If some choices are not shown, the last line
    /// shows the number of choices.
    fileprivate func lines(_ room: Int) -> [(text: String, style: Style)] {
        guard !titles.isEmpty else { return [("none of \(total) values matches", .error)] }
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

/// A line at the bottom about the last event.
struct ScreenNote: Hashable {
    let text: String
    var style: Style = .accent
}

extension FieldPage {
    /// The positions of the page's parts.
    private struct Layout {
        let body: Range<Int>
        let labelColumn: Int
        let labelWidth: Int
        let boxColumn: Int
        let boxWidth: Int
        let messageColumn: Int
        let messageWidth: Int
        /// Whether the page is too small for all fields and the messages of one field.
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
            // Leaves room for the brackets, a space, and the `✓` that marks a valid field.
            boxWidth = max(1, size.columns - boxColumn - (isWide ? 6 : 4))
            messageColumn = isWide ? boxColumn : 4
            messageWidth = max(1, size.columns - messageColumn - 1)
            // Chooses the largest slot height that fits. The last slot needs no blank rows below it.
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
            // If the messages are long, blank rows of other fields are removed first. The page scrolls only if this is
            // not enough.
            while lines.count > body.count, let air = lines.lastIndex(where: \.isBlank) { lines.remove(at: air) }
            for index in lines.indices { lines[index].hasFocus = page.rows[lines[index].field].hasFocus }
        }
    }

    /// The lines of one field, without blank rows after them.
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
    /// Returns the range of visible lines: the lines of the focused field, and lines around it.
    fileprivate func visible(_ room: Int) -> Range<Int> {
        guard room < count else { return 0..<count }
        let first = firstIndex { $0.hasFocus } ?? 0
        let last = lastIndex { $0.hasFocus } ?? 0
        // Shows one line of the next field too, if there is room. If not all lines of the focused field fit, its box
        // has priority over its messages.
        let start = Swift.min(Swift.max(0, Swift.min(last + 2 - room, first)), count - room)
        return start..<start + room
    }
}
