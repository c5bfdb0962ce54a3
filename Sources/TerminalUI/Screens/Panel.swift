internal import TextLayout

/// A bordered box in the middle of a screen, with a title, lines, and a foot. The foot stays visible on small screens
/// too.
struct Panel {
    let title: String
    let style: Style
    /// The lines, from top to bottom.
    private(set) var lines: [PanelLine] = []
    /// The key hints at the bottom of the panel.
    var foot: [PanelLine] = []
    /// The line that must stay visible if not all lines fit.
    var keptLine = 0

    init(title: String, style: Style = .accent) {
        self.title = title
        self.style = style
    }

    mutating func add(_ line: PanelLine) { lines.append(line) }

    mutating func add(wrapping text: String, _ style: Style = [], width: Int) {
        for line in text.wrapped(to: width) { add(PanelLine(line, style)) }
    }

    /// Returns the maximum width of a panel's lines.
    static func innerWidth(_ size: ScreenSize) -> Int { max(1, min(size.columns - 4, 64)) }

    /// The positions of the drawn parts.
    struct Place {
        /// The start of the foot's first line; nil if the foot does not fit.
        let foot: ScreenPosition?
        /// The positions of the visible lines, by index.
        let lines: [Int: ScreenPosition]
    }

    @discardableResult
    func draw(into frame: inout Frame) -> Place {
        let size = frame.size
        let widest = (lines + foot).map(\.text.displayWidth).max() ?? 0
        let inner = min(max(widest, title.displayWidth + 2, min(28, Self.innerWidth(size))), max(1, size.columns - 4))
        // If there is too little room, the blank rows around the lines are left out first. If this is not enough, some
        // lines are left out too.
        let hasAir = size.rows >= lines.count + foot.count + 5
        let room = max(0, size.rows - 2 - foot.count - (hasAir ? 3 : 0))
        let shown = lines.window(of: room, keeping: keptLine)
        let height = shown.count + foot.count + 2 + (hasAir ? 3 : 0)
        let top = max(0, (size.rows - height) / 2)
        let left = max(0, (size.columns - inner - 4) / 2)

        drawBorder(into: &frame, top: top, left: left, inner: inner, height: height)
        var row = top + (hasAir ? 2 : 1)
        var places: [Int: ScreenPosition] = [:]
        for index in shown {
            frame.write(lines[index].text, row: row, column: left + 2, style: lines[index].style, width: inner)
            places[index] = ScreenPosition(row: row, column: left + 2)
            row += 1
        }
        if hasAir { row += 1 }
        var start: ScreenPosition?
        for line in foot {
            let column = left + 2 + max(0, (inner - line.text.displayWidth) / 2)
            frame.write(line.text, row: row, column: column, style: line.style, width: inner)
            if start == nil, row < size.rows { start = ScreenPosition(row: row, column: column) }
            row += 1
        }
        return Place(foot: start, lines: places)
    }

    private func drawBorder(into frame: inout Frame, top: Int, left: Int, inner: Int, height: Int) {
        let line = String(repeating: "─", count: inner + 2)
        frame.write("┌" + line + "┐", row: top, column: left, style: style)
        frame.write(" \(title) ", row: top, column: left + 2, style: style.union(.bold), width: inner)
        for row in 1..<max(2, height - 1) {
            frame.write(
                "│" + String(repeating: " ", count: inner + 2) + "│", row: top + row, column: left, style: style)
        }
        frame.write("└" + line + "┘", row: top + height - 1, column: left, style: style)
    }
}

/// One line of a panel.
struct PanelLine {
    let text: String
    let style: Style

    init(_ text: String, _ style: Style = []) {
        self.text = text
        self.style = style
    }
}

extension Array {
    /// Returns a range of `room` indices that contains the index `kept`. If the array has fewer elements, returns all
    /// indices.
    func window(of room: Int, keeping kept: Int) -> Range<Int> {
        guard room < count else { return 0..<count }
        guard room > 0 else { return 0..<0 }
        let start = Swift.min(Swift.max(0, kept - room / 2), count - room)
        return start..<start + room
    }
}
