/// An object of a schema file and the path to it: reads members by name and type, or says where they are wrong.
struct SchemaObject {
    let path: String
    let members: [JSONMember]

    init(_ value: JSONValue, _ path: String) throws(SchemaError) {
        guard case .object(let members) = value else {
            throw SchemaError(path, .wrongType(value.kind, expected: .object))
        }
        self.path = path
        self.members = members
    }

    private init(empty path: String) {
        self.path = path
        members = []
    }

    subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    func path(_ name: String) -> String { "\(path).\(name.shortened)" }

    /// Refuses members that nobody would read.
    func allowOnly(_ names: [String]) throws(SchemaError) {
        for member in members where !names.contains(member.name) {
            throw SchemaError(path(member.name), .unknownName(known: names))
        }
    }

    /// Refuses a member whose value we cannot honour.
    func requireValue(_ name: String, oneOf values: [JSONValue]) throws(SchemaError) {
        guard let value = self[name], !values.contains(value) else { return }
        throw SchemaError(path(name), .unsupported(value.text(), supported: values.map { $0.text() }))
    }

    func string(_ name: String) throws(SchemaError) -> String? {
        guard let value = self[name] else { return nil }
        return try Self.string(value, path(name))
    }

    /// Text for people, which is repeated at every issue of a field.
    func text(_ name: String) throws(SchemaError) -> String? {
        guard let value = self[name] else { return nil }
        return try Self.text(value, path(name))
    }

    func boolean(_ name: String) throws(SchemaError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard case .bool(let flag) = value else {
            throw SchemaError(path(name), .wrongType(value.kind, expected: .boolean))
        }
        return flag
    }

    /// A whole number that is not negative.
    func count(_ name: String) throws(SchemaError) -> Int? {
        guard let value = self[name] else { return nil }
        guard case .number(let text) = value, let count = Int(text), Self.counts ~= count else {
            throw SchemaError(path(name), .notACount(allowed: Self.counts))
        }
        return count
    }

    /// Up to the most bytes that a value may have.
    private static let counts = 0...1_048_576

    func array(_ name: String) throws(SchemaError) -> [JSONValue]? {
        guard let value = self[name] else { return nil }
        guard case .array(let elements) = value else {
            throw SchemaError(path(name), .wrongType(value.kind, expected: .array))
        }
        return elements
    }

    /// The object of that name; one without members where there is none.
    func object(_ name: String) throws(SchemaError) -> SchemaObject {
        guard let value = self[name] else { return SchemaObject(empty: path(name)) }
        return try SchemaObject(value, path(name))
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) throws(SchemaError) -> Choice? {
        guard let value = self[name] else { return nil }
        return try Self.choice(value, path(name))
    }

    static func string(_ value: JSONValue, _ path: String) throws(SchemaError) -> String {
        guard case .string(let text) = value else {
            throw SchemaError(path, .wrongType(value.kind, expected: .string))
        }
        return text
    }

    static func text(_ value: JSONValue, _ path: String) throws(SchemaError) -> String {
        let text = try string(value, path)
        guard text.utf8.count <= longestText else {
            throw SchemaError(path, .tooLong(text.utf8.count, allowed: longestText))
        }
        return text
    }

    /// In bytes of UTF-8.
    private static let longestText = 4_096

    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ value: JSONValue, _ path: String
    ) throws(SchemaError) -> Choice {
        let text = try string(value, path)
        guard let choice = Choice(rawValue: text) else {
            throw SchemaError(path, .unknownChoice(text, known: Choice.allCases.map(\.rawValue)))
        }
        return choice
    }
}
