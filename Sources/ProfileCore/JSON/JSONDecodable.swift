/// A type that is read from a JSON value, with errors that name the member.
///
/// A service parses the body of a request itself. `JSONDecoder` of Foundation accepts an object that has a member
/// twice, and turns fractions into `Double`.
///
/// ```swift
/// let query = try ProfileQuery(JSONValue(parsing: body))
/// ```
public protocol JSONDecodable: Decodable {
    /// Reads a value from its JSON form.
    ///
    /// Conforming types disfavor this initializer, because a literal could also be a `JSONValue`: `Order("phone")` is the
    /// order of the field.
    init(_ json: JSONValue) throws(JSONMemberError)
}

extension JSONDecodable {
    /// Decodes a ``JSONValue``, and reads it.
    ///
    /// - Throws: `DecodingError` with the path of the member. Its underlying error is the ``JSONMemberError``.
    public init(from decoder: any Decoder) throws {
        let json = try JSONValue(from: decoder)
        do throws(JSONMemberError) {
            try self.init(json)
        } catch {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath + error.path.map(JSONKey.init(_:)), debugDescription: error.reason.text,
                underlyingError: error)
            if case .wrongType = error.reason { throw DecodingError.typeMismatch(Self.self, context) }
            throw DecodingError.dataCorrupted(context)
        }
    }
}

/// The members of a JSON object, which are read by name and type.
package struct JSONMembers {
    private let members: [JSONMember]

    /// - Throws: An error if the value is not an object, or has a member with another name.
    package init(_ json: JSONValue, known names: [String]) throws(JSONMemberError) {
        guard case .object(let members) = json else { throw JSONMemberError(mismatch: json, expected: .object) }
        for member in members where !names.contains(member.name) {
            throw JSONMemberError(.unknownName(known: names), at: member.name)
        }
        self.members = members
    }

    /// Reads a member; nil if there is no such member, or if it is null.
    package func read<Value>(
        _ name: String, _ read: (JSONValue) throws(JSONMemberError) -> Value
    ) throws(JSONMemberError) -> Value? {
        guard let value = members.first(where: { $0.name == name })?.value, value != .null else { return nil }
        return try JSONMemberError.within(name) { () throws(JSONMemberError) in try read(value) }
    }

    /// Reads a member that the object must have.
    package func require<Value>(
        _ name: String, _ read: (JSONValue) throws(JSONMemberError) -> Value
    ) throws(JSONMemberError) -> Value {
        guard let value = try self.read(name, read) else { throw JSONMemberError(.missing, at: name) }
        return value
    }
}

extension JSONMemberError {
    fileprivate init(mismatch json: JSONValue, expected kind: JSONKind) {
        self.init(.wrongType(json.kind, expected: [kind]))
    }
}

extension String {
    package init(json: JSONValue) throws(JSONMemberError) {
        guard case .string(let text) = json else { throw JSONMemberError(mismatch: json, expected: .string) }
        self = text
    }
}

extension Bool {
    package init(json: JSONValue) throws(JSONMemberError) {
        guard case .bool(let flag) = json else { throw JSONMemberError(mismatch: json, expected: .boolean) }
        self = flag
    }
}

extension Int {
    package init(json: JSONValue) throws(JSONMemberError) {
        guard case .number(let text) = json else { throw JSONMemberError(mismatch: json, expected: .number) }
        guard let number = Int(text) else { throw JSONMemberError(.malformed) }
        self = number
    }
}

extension Array {
    /// Reads an array. An error of an element contains its position.
    package init(
        json: JSONValue, _ read: (JSONValue) throws(JSONMemberError) -> Element
    ) throws(JSONMemberError) {
        guard case .array(let elements) = json else { throw JSONMemberError(mismatch: json, expected: .array) }
        self = []
        for (index, element) in elements.enumerated() {
            append(try JSONMemberError.within(String(index)) { () throws(JSONMemberError) in try read(element) })
        }
    }
}
