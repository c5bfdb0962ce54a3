/// The rules that profiles follow, as data: which fields there are, in which order, and what is valid in each.
///
/// Read from a Frictionless Table Schema document with our extensions under each field's `profiles` key; see
/// <doc:Schema>. The order of fields is that of forms, of columns and of issues.
public struct ProfileSchema: Hashable, Sendable {
    /// What it is called; a label and not a key.
    public let name: String
    /// At least `username`, each name once.
    public let fields: [FieldRules]

    /// Most fields that a schema may have.
    public static let mostFields = 100

    init(name: String, fields: [FieldRules]) {
        self.name = name
        self.fields = fields
    }

    /// The rules of a field; nil where there is none of that name.
    public subscript(name: FieldName) -> FieldRules? { fields.first { $0.name == name } }

    /// The position of a field, from 0; nil where there is none of that name.
    public func index(of name: FieldName) -> Int? { fields.firstIndex { $0.name == name } }

    /// Whether profiles have a password.
    public var hasPassword: Bool { self[.password] != nil }

    /// The fields whose values are stored as they are, that is all but the secret one.
    public var openFields: [FieldRules] { fields.filter { !$0.isSecret } }

    /// The built-in schema.
    public static let standard = ProfileSchema(
        name: "standard",
        fields: [
            rules(.username, "Username") {
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
            rules(.birthday, "Birthday") {
                $0.type = .date
                $0.minimum = CalendarDay(year: 1900, month: 1, day: 1).map(Bound.day)
                $0.maximum = .today
                $0.formats = [.dotted, .digits, .iso]
                $0.contentType = "bday"
            },
        ])

    private static func rules(
        _ name: FieldName, _ title: String, _ set: (inout FieldRules) -> Void
    ) -> FieldRules {
        var rules = FieldRules(name: name, title: title)
        set(&rules)
        return rules
    }
}
