package import TerminalUI
import TextLayout

package extension Frame {
    /// The frame as an SVG 1.1 picture of a window. Its text can be selected. Every run of text starts at its column
    /// and is stretched to the width of its columns, so it is aligned with any font.
    ///
    /// - Parameter title: The title of the window, and the name of the picture for screen readers.
    /// - Returns: A well-formed document without references to other files.
    func svg(title: String) -> String { FramePicture(frame: self, title: title).document }
}

/// Draws a frame as SVG; lengths are in pixels.
private struct FramePicture {
    let frame: Frame
    let title: String

    private static let cell = (width: 9, height: 20)
    private static let margin = 16
    private static let titleBar = 36
    /// The distance from the top of a row to the baseline of its text.
    private static let baseline = 15

    var document: String {
        let width = frame.size.columns * Self.cell.width + 2 * Self.margin
        let height = Self.titleBar + frame.size.rows * Self.cell.height + Self.margin
        let name = title.escapedForXML
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="img" aria-labelledby="name">
            <title id="name">\(name)</title>
            <style>
            text { font: 15px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; \
            fill: #d8dee9; white-space: pre }
            .name { fill: #9aa3b2; text-anchor: middle }
            .bold { font-weight: bold }
            .dim { fill: #9aa3b2 }
            .underline { text-decoration: underline }
            .error { fill: #ff7b86 }
            .success { fill: #a3d98b }
            .accent { fill: #6fd3e3 }
            .reverse { fill: #16191f }
            rect.ground { fill: #d8dee9 }
            rect.error { fill: #ff7b86 }
            rect.success { fill: #a3d98b }
            rect.accent { fill: #6fd3e3 }
            </style>
            <rect width="\(width)" height="\(height)" rx="10" fill="#16191f"/>
            <path d="M0 10a10 10 0 0 1 10-10h\(max(0, width - 20))a10 10 0 0 1 10 10v18h-\(width)z" fill="#262b34"/>
            <circle cx="18" cy="14" r="5" fill="#ff5f57"/>
            <circle cx="36" cy="14" r="5" fill="#febc2e"/>
            <circle cx="54" cy="14" r="5" fill="#28c840"/>
            <text class="name" x="\(width / 2)" y="19">\(name)</text>
            \((0..<frame.size.rows).map(row).joined())\(caret)</svg>

            """
    }

    private func row(_ row: Int) -> String {
        let top = Self.titleBar + row * Self.cell.height
        var grounds = ""
        var runs = ""
        for run in Run.all(in: frame[row: row]) {
            let x = Self.margin + run.column * Self.cell.width
            let width = run.width * Self.cell.width
            if run.style.contains(.reverse) {
                let names = (["ground"] + run.style.intersection([.error, .success, .accent]).classes)
                    .joined(separator: " ")
                grounds +=
                    "<rect class=\"\(names)\" x=\"\(x)\" y=\"\(top)\" width=\"\(width)\" "
                    + "height=\"\(Self.cell.height)\"/>\n"
            }
            let classes = run.style.classes.joined(separator: " ")
            let attribute = classes.isEmpty ? "" : " class=\"\(classes)\""
            runs +=
                "<tspan\(attribute) x=\"\(x)\" textLength=\"\(width)\" lengthAdjust=\"spacingAndGlyphs\">"
                + run.text.escapedForXML + "</tspan>"
        }
        guard !runs.isEmpty else { return grounds }
        return grounds + "<text y=\"\(top + Self.baseline)\" xml:space=\"preserve\">\(runs)</text>\n"
    }

    /// A bar before the character that the caret stands on.
    private var caret: String {
        guard let caret = frame.caret, (0..<frame.size.rows).contains(caret.row),
            (0..<frame.size.columns).contains(caret.column)
        else { return "" }
        let x = Self.margin + caret.column * Self.cell.width
        let y = Self.titleBar + caret.row * Self.cell.height
        return "<rect class=\"ground\" x=\"\(x)\" y=\"\(y + 1)\" width=\"2\" height=\"\(Self.cell.height - 2)\"/>\n"
    }
}

/// Neighbouring cells of one style.
private struct Run {
    let column: Int
    var text: String
    var width: Int
    let style: Style
    /// Whether each character takes one column, so that more characters can be appended without losing the alignment.
    let isPlain: Bool

    /// The runs of a row, without the spaces around words if these spaces are invisible.
    static func all(in cells: ArraySlice<Cell>) -> [Run] {
        var runs: [Run] = []
        for (column, cell) in cells.enumerated() {
            guard let content = cell.character else { continue }
            let width = content.displayWidth
            let character: Character = cell.style.contains(.secret) && content != " " ? "•" : content
            let isPlain = width == 1 && character.unicodeScalars.count == 1
            if let last = runs.last, last.isPlain, isPlain, last.style == cell.style {
                runs[runs.count - 1].text.append(character)
                runs[runs.count - 1].width += 1
            } else {
                runs.append(
                    Run(column: column, text: String(character), width: width, style: cell.style, isPlain: isPlain))
            }
        }
        return runs.compactMap(\.trimmed)
    }

    private var trimmed: Run? {
        guard style.isDisjoint(with: [.reverse, .underline]) else { return self }
        guard let first = text.firstIndex(where: { $0 != " " }), let last = text.lastIndex(where: { $0 != " " }) else {
            return nil
        }
        // Only a plain run can contain spaces, and each of its characters takes one column.
        let dropped = text.distance(from: text.startIndex, to: first)
        let droppedAfter = text.distance(from: last, to: text.endIndex) - 1
        return Run(
            column: column + dropped, text: String(text[first...last]), width: width - dropped - droppedAfter,
            style: style, isPlain: isPlain)
    }
}

extension Style {
    fileprivate var classes: [String] {
        let all: [(Style, String)] = [
            (.bold, "bold"), (.dim, "dim"), (.underline, "underline"), (.error, "error"), (.success, "success"),
            (.accent, "accent"), (.reverse, "reverse"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}

extension String {
    /// The text as content of an element or attribute. Characters that XML 1.0 does not allow are replaced.
    fileprivate var escapedForXML: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\u{9}", "\u{A}", "\u{D}", "\u{20}"..."\u{FFFD}", "\u{10000}"...:
                escaped.unicodeScalars.append(scalar)
            default: escaped += "\u{FFFD}"
            }
        }
        return escaped
    }
}
