internal import ProfileCore
internal import TextLayout

/// A text that fills the screen in place of another screen. The user scrolls it with the arrow keys or the letters of
/// vi. Return, Esc or q closes it.
package struct TextScreen: Hashable, Sendable {
    package let title: String
    private let lines: [Line]
    /// The index of the first visible row of the wrapped text.
    private var top = 0

    /// A line of the text. If the screen is narrow, the line is wrapped.
    package struct Line: Hashable, Sendable {
        /// The text at the left of the line, such as a key or the title of a field.
        let label: String
        let text: String
        let style: Style

        /// Creates a line.
        ///
        /// - Parameters:
        ///   - label: The text at the left of the line. The rows of the wrapped `text` are to the right of the label.
        ///   - text: The text.
        ///   - style: The style of the label. If there is no label, it is the style of the text.
        package init(_ label: String, _ text: String, _ style: Style = []) {
            self.label = label
            self.text = text
            self.style = style
        }

        /// Creates a line without a label.
        package init(_ text: String, _ style: Style = []) { self.init("", text, style) }
    }

    package init(title: String, lines: [Line]) {
        self.title = title
        self.lines = lines
    }

    /// Handles a key. Returns whether the user has closed the text.
    mutating func isClosed(by key: Key, on size: ScreenSize) -> Bool {
        let height = max(1, rows(of: size).count)
        switch key.orMovement {
        case .up: top -= 1
        case .down, .character(" "): top += 1
        case .pageUp: top -= max(1, height - 1)
        case .pageDown: top += max(1, height - 1)
        case .home: top = 0
        case .end: top = .max
        case .enter, .escape, .character("q"): return true
        default: top += key.wheelLines ?? 0
        }
        top = max(0, min(top, wrapped(to: size.columns - 2).count - height))
        return false
    }

    /// The screen rows of the text.
    private func rows(of size: ScreenSize) -> Range<Int> {
        let first = size.rows >= 8 ? 2 : 1
        return first..<max(first, size.rows - (size.rows >= 5 ? 1 : 0))
    }

    /// A row of the wrapped text.
    private struct Row {
        var label = ""
        /// The column at which the text begins.
        let indent: Int
        let text: String
        let style: Style
    }

    private func wrapped(to width: Int) -> [Row] {
        let indent = lines.map { $0.label.displayWidth }.max() ?? 0
        return lines.flatMap { line -> [Row] in
            guard !line.label.isEmpty else {
                return line.text.wrapped(to: width).map { Row(indent: 0, text: $0, style: line.style) }
            }
            // To the right of a wide label there is no room for the text, so the text begins below the label.
            let isBelow = indent > max(12, width / 2)
            let column = isBelow ? min(4, width / 4) : indent
            var rows = line.text.wrapped(to: width - column).map { Row(indent: column, text: $0, style: line.style) }
            if isBelow {
                rows.insert(Row(label: line.label, indent: 0, text: "", style: line.style), at: 0)
            } else {
                rows[0].label = line.label
            }
            return rows
        }
    }

    /// Draws the text into an empty frame.
    func draw(into frame: inout Frame) {
        let width = max(0, frame.size.columns - 2)
        let (text, rows) = (wrapped(to: width), self.rows(of: frame.size))
        let top = max(0, min(self.top, text.count - rows.count))
        let shown = top..<min(text.count, top + rows.count)
        let status =
            shown.count < text.count
            ? "\((shown.lowerBound + 1).grouped)–\(shown.upperBound.grouped) of \(text.count.grouped)" : ""
        frame.write(title.visible(upTo: max(0, width - status.displayWidth - 2)), row: 0, column: 1, style: .bold)
        frame.write(status, row: 0, column: max(1, width + 1 - status.displayWidth), style: .dim, width: width)
        if rows.lowerBound > 1 { frame.drawRule(row: 1) }
        for (row, index) in zip(rows, shown) {
            let line = text[index]
            frame.write(line.label, row: row, column: 1, style: line.style, width: width)
            let style = line.label.isEmpty && line.indent == 0 ? line.style : []
            frame.write(line.text, row: row, column: 1 + line.indent, style: style, width: width - line.indent)
        }
        let keys = KeyLegend(
            [shown.count < text.count ? .init("↑↓", "scroll", rank: 1) : nil, .init("Esc", "back", rank: 0)]
                .compactMap { $0 })
        frame.drawFoot(nil, keys, rows: rows.upperBound..<max(rows.upperBound, frame.size.rows))
    }
}

extension Key {
    /// The movement key for a movement letter of vi, such as `.down` for `j`. Any other key is returned unchanged.
    var orMovement: Key {
        switch self {
        case .character("j"): .down
        case .character("k"): .up
        case .character("h"): .left
        case .character("l"): .right
        case .character("g"): .home
        case .character("G"): .end
        default: self
        }
    }
}
