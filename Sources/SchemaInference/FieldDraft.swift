internal import ProfileCore

/// A field of the proposed schema, before it is written as JSON.
struct FieldDraft: Sendable {
    var name: String
    var title: String?
    var type = "string"
    /// The members other than the type, such as `format` and `missingValues`.
    var attributes: [JSONMember] = []
    var constraints: [JSONMember] = []
    /// The members of the object `profiles`.
    var extensions: [JSONMember] = []

    init(name: String) { self.name = name }

    init(name: String, type: InferredType) {
        self.name = name
        self.type = type.name
        attributes = type.attributes
        extensions = type.extensions
    }

    /// Whether two different texts are always two different values.
    var isExact: Bool { type == "string" || type == "integer" }

    var format: String? {
        guard case .string(let format) = attributes.first(where: { $0.name == "format" })?.value else { return nil }
        return format
    }

    /// The decimal sign of a number.
    var decimal: UInt8 {
        guard case .string(let sign) = attributes.first(where: { $0.name == "decimalChar" })?.value else {
            return NumberWriting.plain.decimal
        }
        return sign.utf8.first ?? NumberWriting.plain.decimal
    }

    var acceptsUnit: Bool { attributes.contains { $0.name == "bareNumber" } }

    /// The pattern of dates or times; nil for ISO 8601.
    var pattern: String? {
        if let format { return format }
        guard case .array(let formats) = extensions.first(where: { $0.name == "formats" })?.value,
            case .string(let pattern) = formats.first
        else { return nil }
        return pattern
    }

    /// Whether a schema can have the field.
    var isValid: Bool { Self.schema(of: [self]) != nil }

    /// Returns a schema that has these fields under other names, followed by a primary key. Returns nil if a schema
    /// cannot have one of the fields.
    static func schema(of fields: [FieldDraft]) -> ProfileSchema? {
        let documents = fields.enumerated().map { index, field in
            var field = field
            field.name = "field\(index)"
            return field.document
        }
        let key: JSONValue = ["name": "username", "constraints": ["required": true, "unique": true]]
        let document: JSONValue = ["fields": .array(documents + [key])]
        return try? ProfileSchema(parsing: document.text())
    }

    /// The field as an element of a Table Schema's `fields`.
    var document: JSONValue {
        var members = [JSONMember("name", .string(name))]
        if let title { members.append(JSONMember("title", .string(title))) }
        members.append(JSONMember("type", .string(type)))
        members += attributes
        if !constraints.isEmpty { members.append(JSONMember("constraints", .object(constraints))) }
        if !extensions.isEmpty { members.append(JSONMember("profiles", .object(extensions))) }
        return .object(members)
    }
}
