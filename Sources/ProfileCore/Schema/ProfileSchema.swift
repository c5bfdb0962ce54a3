/// The rules for profiles: an ordered list of fields, and the rules of each field.
///
/// A schema is read from a Frictionless Table Schema document. The extensions of this package are under each field's
/// `profiles` key; see <doc:Schema>. Forms, columns and issues have the same order as the fields.
public struct ProfileSchema: Hashable, Sendable {
    /// A single reference. Every profile holds its schema, so a copy of a schema must be cheap.
    private let contents: Contents

    /// The maximum number of fields of a schema.
    public static let mostFields = 100

    /// Creates a schema. The names of the fields must be unique.
    init(
        name: String, fields: [FieldRules], primaryKeyIndex: Int, importSettings: ImportSettings = ImportSettings()
    ) {
        contents = Contents(
            name: name, fields: fields, primaryKeyIndex: primaryKeyIndex, importSettings: importSettings)
    }

    /// The name of the schema. It is only a label: two schemas may have the same name.
    public var name: String { contents.name }

    /// The fields in order. Field names are unique, and one field is the primary key.
    public var fields: [FieldRules] { contents.fields }

    /// All fields that are not secret. The store keeps the values of these fields as text. For a secret field, the
    /// store keeps only a hash.
    public var openFields: [FieldRules] { contents.openFields }

    /// The field that identifies a profile. It is `username`, unless the schema declares another primary key.
    public var primaryKey: FieldRules { fields[primaryKeyIndex] }

    /// The position of the primary key, from 0.
    public var primaryKeyIndex: Int { contents.primaryKeyIndex }

    /// The positions of the fields whose values form the primary key, in the order of the key. Empty if the key does not
    /// consist of other fields.
    package var keyParts: [Int] { contents.keyParts }

    /// The settings with which files are imported, unless an option says otherwise.
    public var importSettings: ImportSettings { contents.importSettings }

    /// Returns the same rules with other settings for the import of files.
    public func importing(with settings: ImportSettings) -> ProfileSchema {
        ProfileSchema(name: name, fields: fields, primaryKeyIndex: primaryKeyIndex, importSettings: settings)
    }

    /// The rules of a field, or nil if the schema has no field of that name.
    public subscript(name: FieldName) -> FieldRules? { index(of: name).map { fields[$0] } }

    /// The position of a field, from 0, or nil if the schema has no field of that name.
    public func index(of name: FieldName) -> Int? { contents.positions[name] }

    /// The names of ``openFields``. Reading a name from this array does not copy the rules of the field.
    package var openNames: [FieldName] { contents.openNames }

    /// The position of a field in ``openFields``, from 0, or nil if there is no such field.
    package func openIndex(of name: FieldName) -> Int? { contents.openPositions[name] }

    /// The names of the fields that are hidden from the owner of a profile.
    package var hiddenNames: Set<String> { contents.hiddenNames }

    /// Whether profiles have a password.
    public var hasPassword: Bool { passwordIndex != nil }

    /// The position of the password, from 0; nil if profiles have no password.
    package var passwordIndex: Int? { contents.passwordIndex }

    public static func == (left: ProfileSchema, right: ProfileSchema) -> Bool {
        left.contents === right.contents
            || (left.name == right.name && left.fields == right.fields && left.importSettings == right.importSettings)
    }

    /// Returns whether the fields of both schemas have the same columns, position by position. A field without an
    /// assigned column matches every column.
    package func hasColumns(of other: ProfileSchema) -> Bool {
        contents === other.contents
            || fields.count == other.fields.count
                && zip(fields, other.fields).allSatisfy { field, other in
                    field.assignedColumn == nil || other.assignedColumn == nil || field.column == other.column
                }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(fields)
        hasher.combine(importSettings)
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
    /// The contents of a schema, with the positions of its fields. The positions are computed once, because each access
    /// to a value uses them.
    private final class Contents: Sendable {
        let name: String
        let fields: [FieldRules]
        let openFields: [FieldRules]
        let openNames: [FieldName]
        let hiddenNames: Set<String>
        let primaryKeyIndex: Int
        let importSettings: ImportSettings
        let keyParts: [Int]
        let passwordIndex: Int?
        let positions: [FieldName: Int]
        let openPositions: [FieldName: Int]

        init(name: String, fields: [FieldRules], primaryKeyIndex: Int, importSettings: ImportSettings) {
            self.name = name
            self.importSettings = importSettings
            self.fields = fields
            self.primaryKeyIndex = primaryKeyIndex
            openFields = fields.filter { !$0.isSecret }
            openNames = openFields.map(\.name)
            hiddenNames = Set(fields.lazy.filter { $0.owner == .hidden }.map(\.name.text))
            positions = Self.positions(of: fields)
            openPositions = Self.positions(of: openFields)
            passwordIndex = positions[.password]
            keyParts = Self.keyParts(importSettings.key, fields, primaryKeyIndex)
        }

        /// Returns the positions of the fields that form a key of two or more columns. Empty for any other key. Also
        /// empty if a column belongs to no field, to the primary key or to a secret field: then only an import can
        /// compute the key.
        private static func keyParts(_ key: KeySource, _ fields: [FieldRules], _ primaryKeyIndex: Int) -> [Int] {
            guard case .columns(let headers) = key, headers.count > 1 else { return [] }
            let names = fields.map { [$0.name.text] + $0.columns }
            let parts = headers.compactMap { header in
                names.firstIndex { $0.contains(header) }
                    ?? names.firstIndex { $0.contains { FoldedHeader($0) == FoldedHeader(header) } }
            }
            let isUsable = parts.allSatisfy { $0 != primaryKeyIndex && !fields[$0].isSecret }
            return parts.count == headers.count && isUsable ? parts : []
        }

        private static func positions(of fields: [FieldRules]) -> [FieldName: Int] {
            Dictionary(zip(fields.map(\.name), fields.indices)) { first, _ in first }
        }
    }
}
