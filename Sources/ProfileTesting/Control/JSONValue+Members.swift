internal import ProfileCore

extension JSONValue {
    /// In an object, the member with this name. In an array, the element with this index, or the object whose member
    /// `name` has this value.
    subscript(name: String) -> JSONValue? {
        switch self {
        case .object(let members): members.first { $0.name == name }?.value
        case .array(let elements):
            if let index = Int(name) {
                elements.indices.contains(index) ? elements[index] : nil
            } else {
                elements.first { $0["name"] == .string(name) }
            }
        default: nil
        }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }

    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }

    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}
