/// The members of a JSON object, which are read by name and type.
///
/// The errors contain the path of the member. A member that is null counts as absent.
///
/// ```swift
/// struct SessionRequest: JSONDecodable {
///     let username: String
///     let remembersDevice: Bool
///
///     init(_ json: JSONValue) throws(JSONMemberError) {
///         let members = try JSONMembers(json, known: ["username", "remember_device"])
///         username = try members.requiredText("username")
///         remembersDevice = try members.flag("remember_device") ?? false
///     }
/// }
/// ```
public struct JSONMembers: Hashable, Sendable {
    private let members: [JSONMember]

    /// Takes the members of an object.
    ///
    /// - Parameters:
    ///   - json: The object.
    ///   - names: The names that the object may have.
    /// - Throws: `wrongType` if the value is not an object; `unknownName` if the object has a member with another name.
    public init(_ json: JSONValue, known names: [String]) throws(JSONMemberError) {
        guard case .object(let members) = json else { throw JSONMemberError(mismatch: json, expected: .object) }
        for member in members where !names.contains(member.name) {
            throw JSONMemberError(.unknownName(known: names), at: member.name)
        }
        self.members = members
    }

    /// Reads a member with a closure, such as the initializer of a ``JSONDecodable`` type.
    ///
    /// - Returns: The value; nil if there is no such member, or if it is null.
    /// - Throws: The error of the closure. The name of the member is inserted at the start of the error's path.
    public func read<Value>(
        _ name: String, _ read: (JSONValue) throws(JSONMemberError) -> Value
    ) throws(JSONMemberError) -> Value? {
        guard let value = members.first(where: { $0.name == name })?.value, value != .null else { return nil }
        return try JSONMemberError.within(name) { () throws(JSONMemberError) in try read(value) }
    }

    /// Reads a member that the object must have; see ``read(_:_:)``.
    ///
    /// - Throws: `missing` if there is no such member, or if it is null; the error of the closure.
    public func require<Value>(
        _ name: String, _ read: (JSONValue) throws(JSONMemberError) -> Value
    ) throws(JSONMemberError) -> Value {
        guard let value = try self.read(name, read) else { throw JSONMemberError(.missing, at: name) }
        return value
    }
}

// Members of the usual types.
extension JSONMembers {
    /// Reads a string; nil if there is no such member, or if it is null.
    ///
    /// - Throws: `wrongType` if the member is not a string.
    public func text(_ name: String) throws(JSONMemberError) -> String? { try read(name, String.init(json:)) }

    /// Reads a string that the object must have; see ``text(_:)``.
    public func requiredText(_ name: String) throws(JSONMemberError) -> String {
        try require(name, String.init(json:))
    }

    /// Reads a boolean; nil if there is no such member, or if it is null.
    ///
    /// - Throws: `wrongType` if the member is not a boolean.
    public func flag(_ name: String) throws(JSONMemberError) -> Bool? { try read(name, Bool.init(json:)) }

    /// Reads a boolean that the object must have; see ``flag(_:)``.
    public func requiredFlag(_ name: String) throws(JSONMemberError) -> Bool { try require(name, Bool.init(json:)) }

    /// Reads an integer; nil if there is no such member, or if it is null.
    ///
    /// - Throws: `wrongType` if the member is not a number; `malformed` if the number has a fraction or an exponent, or
    ///   if an `Int` cannot hold it.
    public func integer(_ name: String) throws(JSONMemberError) -> Int? { try read(name, Int.init(json:)) }

    /// Reads an integer that the object must have; see ``integer(_:)``.
    public func requiredInteger(_ name: String) throws(JSONMemberError) -> Int { try require(name, Int.init(json:)) }

    /// Reads an array, each element with a closure; nil if there is no such member, or if it is null.
    ///
    /// - Throws: `wrongType` if the member is not an array; the error of the closure. The path of an element contains its
    ///   position.
    public func array<Element>(
        _ name: String, _ element: (JSONValue) throws(JSONMemberError) -> Element
    ) throws(JSONMemberError) -> [Element]? {
        try read(name) { (json) throws(JSONMemberError) in try [Element](json: json, element) }
    }

    /// Reads an array that the object must have; see ``array(_:_:)``.
    public func requiredArray<Element>(
        _ name: String, _ element: (JSONValue) throws(JSONMemberError) -> Element
    ) throws(JSONMemberError) -> [Element] {
        try require(name) { (json) throws(JSONMemberError) in try [Element](json: json, element) }
    }

    /// Reads an array of strings; nil if there is no such member, or if it is null.
    ///
    /// - Throws: `wrongType` if the member is not an array, or if an element is not a string.
    public func texts(_ name: String) throws(JSONMemberError) -> [String]? { try array(name, String.init(json:)) }

    /// Reads an array of strings that the object must have; see ``texts(_:)``.
    public func requiredTexts(_ name: String) throws(JSONMemberError) -> [String] {
        try requiredArray(name, String.init(json:))
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
