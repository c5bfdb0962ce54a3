/// An object of a schema file, with its path. It reads members by name and type, and reports errors. If a member has
/// the wrong type, the member is treated as missing.
struct SchemaObject {
    let path: String
    let members: [JSONMember]
    let errors: SchemaErrors
    /// Whether the value at this path is not an object. In that case an error was reported.
    private let isUnread: Bool

    init?(_ value: JSONValue, _ path: String, _ errors: SchemaErrors) {
        guard case .object(let members) = value else {
            errors.report(path, .wrongType(value.kind, expected: .object))
            return nil
        }
        self.init(members, path, errors)
    }

    private init(_ members: [JSONMember], _ path: String, _ errors: SchemaErrors, isUnread: Bool = false) {
        self.path = path
        self.members = members
        self.errors = errors
        self.isUnread = isUnread
    }

    subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    func path(_ name: String) -> String { "\(path).\(name.shortened)" }

    /// Reports an error about a member.
    func report(_ name: String, _ reason: SchemaError.Reason) { errors.report(path(name), reason) }

    /// Reports unknown members.
    func allowOnly(_ names: [String]) {
        for member in members where !names.contains(member.name) {
            if let construct = TableConstruct(property: member.name) {
                report(member.name, .noPlace(construct))
            } else {
                report(member.name, .unknownName(known: names))
            }
        }
    }

    func string(_ name: String) -> String? { self[name].flatMap { Self.string($0, path(name), errors) } }

    /// Reads a text of at most `longestText` bytes, such as a title. The length is limited because every issue of a
    /// field may contain such a text.
    func text(_ name: String) -> String? { self[name].flatMap { Self.text($0, path(name), errors) } }

    func boolean(_ name: String) -> Bool? {
        guard let value = self[name] else { return nil }
        guard case .bool(let flag) = value else {
            report(name, .wrongType(value.kind, expected: .boolean))
            return nil
        }
        return flag
    }

    /// Whether the value of a boolean member is known. The value is known if the member is a boolean or is missing. In
    /// any other case, an error was reported.
    func canTell(_ name: String) -> Bool {
        switch self[name] {
        case nil: !isUnread
        case .bool?: true
        default: false
        }
    }

    /// Reads a whole number in the given range.
    func count(_ name: String, in allowed: ClosedRange<Int> = counts) -> Int? {
        guard let value = self[name] else { return nil }
        guard case .number(let text) = value, let count = Int(text), allowed ~= count else {
            report(name, .notACount(allowed: allowed))
            return nil
        }
        return count
    }

    /// The allowed lengths. The upper bound is the maximum size of a value in bytes.
    private static let counts = 0...1_048_576

    /// The elements of a list, with their paths.
    func array(_ name: String) -> [(value: JSONValue, path: String)]? {
        guard let value = self[name] else { return nil }
        guard case .array(let elements) = value else {
            report(name, .wrongType(value.kind, expected: .array))
            return nil
        }
        return elements.enumerated().map { ($1, "\(path(name))[\($0)]") }
    }

    /// Reads a list of 1 to `most` entries, with their paths.
    func array(_ name: String, atMost most: Int) -> [(value: JSONValue, path: String)]? {
        guard let list = array(name) else { return nil }
        guard 1...most ~= list.count else {
            report(name, list.isEmpty ? .allowsNothing : .tooManyEntries(list.count, allowed: most))
            return nil
        }
        return list
    }

    /// Returns the member of this name as an object. If there is no such object, returns an object without members.
    func object(_ name: String) -> SchemaObject {
        self[name].flatMap { SchemaObject($0, path(name), errors) }
            ?? SchemaObject([], path(name), errors, isUnread: self[name] != nil)
    }

    static func string(_ value: JSONValue, _ path: String, _ errors: SchemaErrors) -> String? {
        guard case .string(let text) = value else {
            errors.report(path, .wrongType(value.kind, expected: .string))
            return nil
        }
        return text
    }

    static func text(_ value: JSONValue, _ path: String, _ errors: SchemaErrors) -> String? {
        guard let text = string(value, path, errors) else { return nil }
        guard text.utf8.count <= longestText else {
            errors.report(path, .tooLong(text.utf8.count, allowed: longestText))
            return nil
        }
        return text
    }

    /// The maximum length of a text in UTF-8 bytes.
    private static let longestText = 4_096
}
