package import ProfileCore

/// An input that a test sends to a screen.
public enum ScreenInput: Hashable, Sendable {
    /// Types a text character by character, as if the keys were pressed.
    case type(String)
    /// Presses a key once, such as Tab.
    case press(TerminalKey)
    /// Pastes a text, as from a clipboard.
    case paste(String)
    /// Fills the field that has the focus with this value, as auto-fill does.
    case autoFill(String)
    /// Moves the focus to the field with this name.
    case focus(String)
    /// Ends editing. Afterwards no field has the focus.
    case endEditing
    /// Submits the form; any field may have the focus.
    case submit
}

// In JSON, an input is an object that has exactly one member: {"type": "…"}, {"press": "tab"}, {"paste": "…"},
// {"auto_fill": "…"}, {"focus": "phone"}, {"end_editing": true} or {"submit": true}.
extension ScreenInput {
    package init(_ json: JSONValue) throws(ControlProblem) {
        guard case .object(let members) = json, members.count == 1, let member = members.first else {
            throw .badRequest("An event is an object with one member, such as {\"type\": \"…\"}")
        }
        switch (member.name, member.value) {
        case ("type", .string(let text)): self = .type(text)
        case ("paste", .string(let text)): self = .paste(text)
        case ("auto_fill", .string(let text)): self = .autoFill(text)
        case ("focus", .string(let name)): self = .focus(name)
        case ("end_editing", .bool(true)): self = .endEditing
        case ("submit", .bool(true)): self = .submit
        case ("press", .string(let name)):
            guard let key = TerminalKey(name: name) else {
                throw .badRequest(
                    "There is no key \"\(name)\"; keys are \(TerminalKey.names) and control-a to control-z")
            }
            self = .press(key)
        default:
            throw .badRequest(
                "\"\(member.name)\" with \(member.value.kind.text) is not an event; events are type, press, paste, auto_fill and focus, each with a string, and end_editing and submit with true"
            )
        }
    }

    package var json: JSONValue {
        switch self {
        case .type(let text): ["type": .string(text)]
        case .press(let key): ["press": .string(key.name)]
        case .paste(let text): ["paste": .string(text)]
        case .autoFill(let text): ["auto_fill": .string(text)]
        case .focus(let name): ["focus": .string(name)]
        case .endEditing: ["end_editing": true]
        case .submit: ["submit": true]
        }
    }
}

extension TerminalKey {
    private static let named: [(name: String, key: TerminalKey)] = [
        ("up", .up), ("down", .down), ("left", .left), ("right", .right), ("home", .home), ("end", .end),
        ("page-up", .pageUp), ("page-down", .pageDown), ("backspace", .backspace), ("delete", .delete), ("tab", .tab),
        ("back-tab", .backTab), ("enter", .enter), ("escape", .escape),
    ]

    fileprivate static var names: String { named.map(\.name).joined(separator: ", ") }

    fileprivate init?(name: String) {
        if let found = Self.named.first(where: { $0.name == name }) {
            self = found.key
        } else if name.hasPrefix("control-"), name.count == 9, let letter = name.last, "a"..."z" ~= letter {
            self = .control(letter)
        } else {
            return nil
        }
    }

    fileprivate var name: String {
        if case .control(let letter) = self { return "control-\(letter)" }
        return Self.named.first { $0.key == self }?.name ?? ""
    }
}
