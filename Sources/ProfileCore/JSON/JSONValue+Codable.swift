/// The types that conform to ``JSONEncodable`` encode their ``JSONEncodable/json``. So an `Encoder` writes the same
/// members as the command `profiles`.
extension JSONValue: Codable {
    /// Encodes the value. An encoder supports only Swift's number types. If a number is not an `Int64`, it is rounded
    /// to a `Double`. If it is too great for a `Double`, it is encoded as a string.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: JSONKey.self)
            for member in members { try container.encode(member.value, forKey: JSONKey(member.name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let flag):
            var container = encoder.singleValueContainer()
            try container.encode(flag)
        case .string(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .number(let text):
            var container = encoder.singleValueContainer()
            if let number = Int64(text) {
                try container.encode(number)
            } else if let number = Double(text), number.isFinite {
                try container.encode(number)
            } else {
                try container.encode(text)
            }
        }
    }

    /// Decodes any JSON value. A number is decoded as an `Int64` if possible, otherwise as a `Double`.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.depthLimit else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "Nested more than \(Self.depthLimit) deep"))
        }
        if let container = try? decoder.container(keyedBy: JSONKey.self) {
            self = .object(
                try container.allKeys.map { key in
                    JSONMember(key.stringValue, try container.decode(JSONValue.self, forKey: key))
                })
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            self = try Self.single(decoder.singleValueContainer())
        }
    }

    private static func single(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let text = try? container.decode(String.self) { return .string(text) }
        if let flag = try? container.decode(Bool.self) { return .bool(flag) }
        if let number = try? container.decode(Int64.self) { return .number(number) }
        let number = try container.decode(Double.self)
        guard number.isFinite else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "No number of JSON")
        }
        return .number(number.description)
    }
}

/// The name of a member of an object.
package struct JSONKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    package init(stringValue: String) { self.init(stringValue) }

    package init?(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
