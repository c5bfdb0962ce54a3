internal import ProfileCore

/// A text that is shown over a screen, such as a welcome or an error. Return or Esc closes it.
package struct NoticeScreen: Hashable, Sendable {
    package let title: String
    package let text: String
    package let button: String
    private let style: Style

    /// A notice about an error.
    package static func error(_ text: String) -> NoticeScreen { NoticeScreen("Error", text, .error) }

    /// A notice about a success.
    package static func success(_ text: String) -> NoticeScreen { NoticeScreen("Success", text, .success) }

    /// The notice that a user of the terminal sees once, before the first form or login (T5).
    package static let welcome = NoticeScreen("Welcome", "Welcome to this awesome app!", .accent)

    /// A notice with information that the user asked for.
    static func about(_ title: String, _ text: String) -> NoticeScreen { NoticeScreen(title, text, .accent) }

    private init(_ title: String, _ text: String, _ style: Style) {
        self.title = title
        self.text = text
        self.style = style
        button = "Close"
    }

    func isClosed(by key: Key) -> Bool { key == .enter || key == .escape }

    /// Draws the notice over the existing content of the frame.
    func draw(into frame: inout Frame) {
        let label = "[ \(button) ]"
        var panel = Panel(title: title, style: style)
        panel.add(wrapping: text, width: Panel.innerWidth(frame.size))
        panel.foot = [PanelLine(label, [.reverse])]
        let place = panel.draw(into: &frame)
        frame.caret = nil
        if let foot = place.foot { frame.placeCaret(row: foot.row, column: foot.column + 2) }
    }

    var json: JSONValue {
        ["title": .string(title), "text": .string(text), "button": .string(button)]
    }
}
