/// The rules that profiles follow, as data: which fields there are, in which order, and what is valid in each.
///
/// Read from a Frictionless Table Schema document with our extensions under each field's `profiles` key; see
/// <doc:Schema>. The order of fields is that of forms, of columns and of issues.
public struct ProfileSchema: Hashable, Sendable {
    /// One reference, since every profile holds its schema.
    private let contents: Contents

    /// Most fields that a schema may have.
    public static let mostFields = 100

    /// The fields have each name once.
    init(name: String, fields: [FieldRules], primaryKeyIndex: Int) {
        contents = Contents(name: name, fields: fields, primaryKeyIndex: primaryKeyIndex)
    }

    /// What it is called; a label and not a key.
    public var name: String { contents.name }

    /// At least the primary key, each name once.
    public var fields: [FieldRules] { contents.fields }

    /// The fields whose values are stored as they are, that is all but the secret one.
    public var openFields: [FieldRules] { contents.openFields }

    /// The field by whose values profiles are known: `username`, or what the schema names instead.
    public var primaryKey: FieldRules { fields[primaryKeyIndex] }

    /// The position of the primary key, from 0.
    public var primaryKeyIndex: Int { contents.primaryKeyIndex }

    /// The rules of a field; nil where there is none of that name.
    public subscript(name: FieldName) -> FieldRules? { index(of: name).map { fields[$0] } }

    /// The position of a field, from 0; nil where there is none of that name.
    public func index(of name: FieldName) -> Int? { contents.positions[name] }

    /// The position among the open fields, from 0; nil where there is no open field of that name.
    package func openIndex(of name: FieldName) -> Int? { contents.openPositions[name] }

    /// Whether profiles have a password.
    public var hasPassword: Bool { index(of: .password) != nil }

    public static func == (left: ProfileSchema, right: ProfileSchema) -> Bool {
        left.contents === right.contents || (left.name == right.name && left.fields == right.fields)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(fields)
    }

    /// The built-in schema.
    public static let standard = ProfileSchema(
        name: "standard",
        fields: [
            rules(.username, "Username") {
                $0.isPrimaryKey = true
                $0.isRequired = true
                $0.isUnique = true
                $0.minimumLength = 2
                $0.maximumLength = 10
                $0.characters = [.asciiLetters, .asciiDigits]
                $0.contentType = "username"
            },
            rules(.password, "Password") {
                $0.isRequired = true
                $0.isSecret = true
                $0.minimumLength = 3
                $0.maximumLength = 64
                $0.characters = [.asciiLetters, .asciiDigits, .special]
                $0.requirements = [.uppercase, .digit]
                $0.contentType = "new-password"
            },
            rules(.phone, "Phone") {
                $0.isRequired = true
                $0.mask = .standardPhone
                $0.contentType = "tel"
            },
            rules(.address, "Address") {
                $0.isRequired = true
                $0.minimumLength = 1
                $0.maximumLength = 70
                $0.characters = [.asciiLetters, .asciiDigits, .spaces]
                $0.contentType = "street-address"
            },
            rules(.postalCode, "Postal code") {
                $0.minimumLength = 5
                $0.maximumLength = 5
                $0.characters = [.asciiDigits]
                $0.contentType = "postal-code"
            },
            rules(.birthday, "Birthday", .date) {
                $0.minimum = CalendarDay(year: 1900, month: 1, day: 1).map(Bound.day)
                $0.maximum = .today
                $0.formats = [.dotted, .digits, .iso]
                $0.contentType = "bday"
            },
        ], primaryKeyIndex: 0)

    private static func rules(
        _ name: FieldName, _ title: String, _ type: FieldType = .string, _ set: (inout FieldRules) -> Void
    ) -> FieldRules {
        var rules = FieldRules(name: name, title: title, type: type)
        set(&rules)
        return rules
    }
}

extension ProfileSchema {
    /// What a schema says, and where its fields are: found out once, and not at each value that is asked for.
    private final class Contents: Sendable {
        let name: String
        let fields: [FieldRules]
        let openFields: [FieldRules]
        let primaryKeyIndex: Int
        let positions: [FieldName: Int]
        let openPositions: [FieldName: Int]

        init(name: String, fields: [FieldRules], primaryKeyIndex: Int) {
            self.name = name
            self.fields = fields
            self.primaryKeyIndex = primaryKeyIndex
            openFields = fields.filter { !$0.isSecret }
            positions = Self.positions(of: fields)
            openPositions = Self.positions(of: openFields)
        }

        private static func positions(of fields: [FieldRules]) -> [FieldName: Int] {
            Dictionary(zip(fields.map(\.name), fields.indices)) { first, _ in first }
        }
    }
}
