/// An object of a schema file and the path to it: reads members by name and type, and reports where they are wrong. Of a
/// member that is wrong, as of one that is not there, nothing is read.
struct SchemaObject {
    let path: String
    let members: [JSONMember]
    let errors: SchemaErrors
    /// Whether there was something else in its place, which is reported.
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

    /// Reports something about a member.
    func report(_ name: String, _ reason: SchemaError.Reason) { errors.report(path(name), reason) }

    /// Refuses members that nobody would read.
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

    /// Text for people, which is repeated at every issue of a field.
    func text(_ name: String) -> String? { self[name].flatMap { Self.text($0, path(name), errors) } }

    func boolean(_ name: String) -> Bool? {
        guard let value = self[name] else { return nil }
        guard case .bool(let flag) = value else {
            report(name, .wrongType(value.kind, expected: .boolean))
            return nil
        }
        return flag
    }

    /// Whether it is known what a boolean member says, if only that it is not there; else it is reported already.
    func canTell(_ name: String) -> Bool {
        switch self[name] {
        case nil: !isUnread
        case .bool?: true
        default: false
        }
    }

    /// A whole number that is not negative.
    func count(_ name: String) -> Int? {
        guard let value = self[name] else { return nil }
        guard case .number(let text) = value, let count = Int(text), Self.counts ~= count else {
            report(name, .notACount(allowed: Self.counts))
            return nil
        }
        return count
    }

    /// Up to the most bytes that a value may have.
    private static let counts = 0...1_048_576

    /// The elements of a list and the paths to them.
    func array(_ name: String) -> [(value: JSONValue, path: String)]? {
        guard let value = self[name] else { return nil }
        guard case .array(let elements) = value else {
            report(name, .wrongType(value.kind, expected: .array))
            return nil
        }
        return elements.enumerated().map { ($1, "\(path(name))[\($0)]") }
    }

    /// A list with one entry at least.
    func array(_ name: String, atMost most: Int) -> [(value: JSONValue, path: String)]? {
        guard let list = array(name) else { return nil }
        guard 1...most ~= list.count else {
            report(name, list.isEmpty ? .allowsNothing : .tooManyEntries(list.count, allowed: most))
            return nil
        }
        return list
    }

    /// The object of that name; one without members where there is none.
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

    /// In bytes of UTF-8.
    private static let longestText = 4_096
}
