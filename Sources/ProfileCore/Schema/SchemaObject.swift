/// An object of a schema file and the path to it: reads members by name and type, or says where they are wrong.
struct SchemaObject {
    let path: String
    let members: [JSONMember]

    init(_ value: JSONValue, _ path: String) throws(SchemaError) {
        guard case .object(let members) = value else {
            throw SchemaError(path, "it is \(value.kind) where an object is expected")
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
            throw SchemaError(
                path(member.name), "it is not known here; known are \(names.joined(separator: ", "))")
        }
    }

    /// Refuses a member whose value we cannot honour.
    func requireValue(_ name: String, oneOf values: [JSONValue]) throws(SchemaError) {
        guard let value = self[name], !values.contains(value) else { return }
        let accepted = values.map { $0.text() }.joined(separator: " or ")
        throw SchemaError(path(name), "\(value.text().shortened) is not supported; leave it out or write \(accepted)")
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
            throw SchemaError(path(name), "it is \(value.kind) where true or false is expected")
        }
        return flag
    }

    /// A whole number that is not negative.
    func count(_ name: String) throws(SchemaError) -> Int? {
        guard let value = self[name] else { return nil }
        guard case .number(let text) = value, let count = Int(text), 0...1_048_576 ~= count else {
            throw SchemaError(path(name), "a whole number from 0 to 1048576 is expected")
        }
        return count
    }

    func array(_ name: String) throws(SchemaError) -> [JSONValue]? {
        guard let value = self[name] else { return nil }
        guard case .array(let elements) = value else {
            throw SchemaError(path(name), "it is \(value.kind) where an array is expected")
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
            throw SchemaError(path, "it is \(value.kind) where a string is expected")
        }
        return text
    }

    static func text(_ value: JSONValue, _ path: String) throws(SchemaError) -> String {
        let text = try string(value, path)
        guard text.utf8.count <= longestText else {
            throw SchemaError(path, "it is \(text.utf8.count) bytes long; \(longestText) are allowed")
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
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw SchemaError(path, "\"\(text.shortened)\" is not supported; known are \(choices)")
        }
        return choice
    }
}
