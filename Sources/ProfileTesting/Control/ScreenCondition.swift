package import ProfileCore

/// A condition on a screen's state. A client can wait until the condition is fulfilled.
public struct ScreenCondition: Hashable, Sendable {
    /// The path of the value in the state: names separated by dots, such as `notice.title` or `fields.phone.text`.
    public let path: String
    private let test: Test

    private enum Test: Hashable {
        case equals(JSONValue)
        case contains(String)
    }

    /// The value at the path is this text.
    public static func equals(_ path: String, _ text: String) -> ScreenCondition {
        ScreenCondition(path: path, test: .equals(.string(text)))
    }

    /// The value at the path is this boolean.
    public static func equals(_ path: String, _ value: Bool) -> ScreenCondition {
        ScreenCondition(path: path, test: .equals(.bool(value)))
    }

    /// The path has no value.
    public static func absent(_ path: String) -> ScreenCondition {
        ScreenCondition(path: path, test: .equals(.null))
    }

    /// The value at the path is a text that contains `text`.
    public static func contains(_ path: String, _ text: String) -> ScreenCondition {
        ScreenCondition(path: path, test: .contains(text))
    }

    /// Returns whether a state fulfils the condition. An absent value counts as null.
    package func holds(in state: JSONValue) -> Bool {
        var place: JSONValue? = state
        for name in path.split(separator: ".") { place = place?.step(to: String(name)) }
        let found = place ?? .null
        return switch test {
        case .equals(let value): found == value
        case .contains(let text): found.string?.contains(text) ?? false
        }
    }
}

// As JSON: {"path": "notice.title", "equals": "Welcome"}, {"path": "notice", "equals": null},
// {"path": "fields.phone.message", "contains": "required"}.
extension ScreenCondition {
    package init(_ json: JSONValue) throws(ControlProblem) {
        guard case .object(let members) = json, members.count == 2, let path = json["path"]?.string else {
            throw .badRequest("A condition is an object with \"path\", and \"equals\" or \"contains\"")
        }
        if let value = json["equals"] {
            self.init(path: path, test: .equals(value))
        } else if let text = json["contains"]?.string {
            self.init(path: path, test: .contains(text))
        } else {
            throw .badRequest("A condition has \"equals\" with a value, or \"contains\" with a string")
        }
    }

    package var json: JSONValue {
        switch test {
        case .equals(let value): ["path": .string(path), "equals": value]
        case .contains(let text): ["path": .string(path), "contains": .string(text)]
        }
    }
}
