internal import ProfileCore

extension JSONValue {
    /// Returns the member of an object with this name. In an array, returns the element with this index, or the object
    /// whose member `name` has this value.
    func step(to name: String) -> JSONValue? {
        guard case .array(let elements) = self else { return self[name] }
        guard let index = Int(name) else { return elements.first { $0["name"] == .string(name) } }
        return elements.indices.contains(index) ? elements[index] : nil
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }

    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }

    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}
