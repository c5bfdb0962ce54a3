internal import ProfileCore

extension JSONValue {
    /// Returns a value inside this value. In an object, this is the member that has the given name. In an array, it is
    /// the element at the index `name`. If `name` is no number, it is the object whose member `"name"` equals `name`.
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
