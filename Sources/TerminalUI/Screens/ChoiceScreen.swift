internal import ProfileCore

/// A list that is shown over a screen. The user picks one entry.
package struct ChoiceScreen: Hashable, Sendable {
    package let title: String
    private let text: String
    package let options: [String]
    package private(set) var selected: Int

    /// Creates a list. It must have at least one option.
    package init(title: String, text: String = "", options: [String], selected: Int = 0) {
        self.title = title
        self.text = text
        self.options = options
        self.selected = selected
    }

    /// The result of the list.
    enum Outcome: Equatable {
        case picked(Int)
        case closed
    }

    /// Handles a key. Returns nil until the user picks an option or closes the list.
    mutating func take(_ key: Key) -> Outcome? {
        switch key {
        case .up, .backTab: move(by: -1)
        case .down, .tab: move(by: 1)
        case .pageUp: move(by: -10)
        case .pageDown: move(by: 10)
        case .home: selected = 0
        case .end: selected = max(0, options.count - 1)
        case .enter: return options.indices.contains(selected) ? .picked(selected) : .closed
        case .escape: return .closed
        default: move(by: key.wheelLines?.signum() ?? 0)
        }
        return nil
    }

    private mutating func move(by count: Int) { selected = max(0, min(options.count - 1, selected + count)) }

    func draw(into frame: inout Frame) {
        var panel = Panel(title: title)
        let width = Panel.innerWidth(frame.size)
        if !text.isEmpty {
            panel.add(wrapping: text, width: width)
            panel.add(PanelLine(""))
        }
        panel.keptLine = panel.lines.count + selected
        for (index, option) in options.enumerated() {
            let isSelected = index == selected
            panel.add(PanelLine((isSelected ? "› " : "  ") + option, isSelected ? .reverse : []))
        }
        panel.foot = [PanelLine(KeyLegend([.pick, .choose, .back]).text(fitting: width), .dim)]
        let place = panel.draw(into: &frame).lines[panel.keptLine]
        frame.caret = nil
        if let place { frame.placeCaret(row: place.row, column: place.column) }
    }

    var json: JSONValue {
        [
            "title": .string(title), "options": .array(options.map(JSONValue.string)), "selected": .number(selected),
        ]
    }
}
