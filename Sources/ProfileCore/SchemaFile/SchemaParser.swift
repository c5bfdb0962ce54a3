extension ProfileSchema {
    /// Reads a schema file.
    ///
    /// Everything that is not understood is refused, since a rule that is passed over lets invalid profiles in.
    /// - Parameters:
    ///   - bytes: A Table Schema document, UTF-8.
    ///   - defaultName: What the schema is called when the document does not say.
    /// - Throws: Where the document is wrong, and why.
    public init(parsing bytes: Span<UInt8>, defaultName: String = "custom") throws(SchemaError) {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(parsing: bytes)
        } catch {
            throw SchemaError("$", .notJSON(error))
        }
        let root = try SchemaObject(document, "$")
        try root.allowOnly([
            "name", "title", "description", "$schema", "fields", "missingValues", "primaryKey",
        ])
        try root.requireValue("missingValues", oneOf: [[""]])
        try root.requireValue("primaryKey", oneOf: ["username", ["username"]])
        let list = try root.array("fields")
        guard let list else { throw SchemaError("$.fields", .missing(.fields)) }
        guard !list.isEmpty, list.count <= Self.mostFields else {
            throw SchemaError("$.fields", .fieldCount(list.count, allowed: 1...Self.mostFields))
        }
        var fields: [FieldRules] = []
        for (index, value) in list.enumerated() {
            let path = "$.fields[\(index)]"
            let rules = try FieldParser(SchemaObject(value, path)).parse()
            guard !fields.contains(where: { $0.name == rules.name }) else {
                throw SchemaError("\(path).name", .repeatedField(rules.name))
            }
            // Headers are matched without their underscores (I2), and such a pair would be one column.
            if let other = fields.first(where: { $0.name.withoutUnderscores == rules.name.withoutUnderscores }) {
                throw SchemaError("\(path).name", .indistinctFields(rules.name, other.name))
            }
            fields.append(rules)
        }
        guard fields.contains(where: { $0.name == .username }) else {
            throw SchemaError("$.fields", .missing(.username))
        }
        self.init(name: try root.text("name") ?? defaultName, fields: fields)
    }

    /// Reads a schema file that is at hand as text.
    public init(parsing text: String, defaultName: String = "custom") throws(SchemaError) {
        try self.init(parsing: Array(text.utf8).span, defaultName: defaultName)
    }
}

extension FieldName {
    fileprivate var withoutUnderscores: [UInt8] { text.utf8.filter { $0 != UInt8(ascii: "_") } }
}

/// Reads one element of `fields`.
private struct FieldParser {
    let field: SchemaObject
    let constraints: SchemaObject
    let extensions: SchemaObject

    init(_ field: SchemaObject) throws(SchemaError) {
        self.field = field
        constraints = try field.object("constraints")
        extensions = try field.object("profiles")
    }

    func parse() throws(SchemaError) -> FieldRules {
        try field.allowOnly([
            "name", "title", "description", "type", "format", "example", "rdfType", "constraints", "profiles",
        ])
        try constraints.allowOnly([
            "required", "unique", "minLength", "maxLength", "minimum", "maximum", "pattern", "enum",
        ])
        try extensions.allowOnly([
            "characters", "requires", "mask", "secret", "message", "contentType", "formats",
        ])
        let name = try parseName()
        var rules = FieldRules(name: name, title: try field.text("title") ?? Self.title(name))
        rules.type = try field.choice("type") ?? .string
        rules.isRequired = try constraints.boolean("required") ?? false
        rules.isUnique = try constraints.boolean("unique") ?? false
        rules.isSecret = try extensions.boolean("secret") ?? false
        rules.contentType = try extensions.text("contentType")
        try parseFormat(of: rules.type)
        if rules.type == .string {
            try parseText(&rules)
        } else {
            try refuse(["minLength", "maxLength", "pattern"], of: constraints, unless: .string)
            try refuse(["characters", "requires", "mask", "secret"], of: extensions, unless: .string)
        }
        if rules.type == .date {
            try parseFormats(&rules)
        } else {
            try refuse(["formats"], of: extensions, unless: .date)
        }
        try parseBounds(&rules)
        try parseMessages(&rules)
        try check(rules)
        try parseAllowedValues(&rules)
        return rules
    }

    private func parseName() throws(SchemaError) -> FieldName {
        let path = field.path("name")
        guard let text = try field.string("name") else { throw SchemaError(path, .missing(.name)) }
        guard let name = FieldName(text) else { throw SchemaError(path, .malformed(text, .fieldName)) }
        guard !FieldName.reserved.contains(text) else { throw SchemaError(path, .reservedName(name)) }
        return name
    }

    private static func title(_ name: FieldName) -> String {
        let words = name.text.split(separator: "_").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private func parseFormat(of type: FieldType) throws(SchemaError) {
        let accepted: [JSONValue] = type == .date ? ["default", "%Y-%m-%d"] : ["default"]
        try field.requireValue("format", oneOf: accepted)
    }

    private func refuse(_ names: [String], of object: SchemaObject, unless type: FieldType) throws(SchemaError) {
        for name in names where object[name] != nil { throw SchemaError(object.path(name), .onlyForTypes([type])) }
    }

    private func parseText(_ rules: inout FieldRules) throws(SchemaError) {
        rules.minimumLength = try constraints.count("minLength")
        rules.maximumLength = try constraints.count("maxLength")
        if let least = rules.minimumLength, let most = rules.maximumLength, least > most {
            throw SchemaError(constraints.path("minLength"), .lengthsInverted(minimum: least, maximum: most))
        }
        if rules.maximumLength == 0 { throw SchemaError(constraints.path("maxLength"), .allowsNothing) }
        if let text = try constraints.string("pattern") {
            do throws(Pattern.CompileError) {
                rules.pattern = try Pattern(text)
            } catch {
                throw SchemaError(constraints.path("pattern"), .badPattern(error))
            }
        }
        if let text = try extensions.string("mask") {
            guard let mask = Mask(text) else {
                throw SchemaError(extensions.path("mask"), .malformed(text, .mask))
            }
            rules.mask = mask
            for (object, name) in [
                (constraints, "minLength"), (constraints, "maxLength"), (extensions, "characters"),
                (extensions, "requires"),
            ] where object[name] != nil {
                throw SchemaError(object.path(name), .impliedByMask)
            }
        }
        if let list = try extensions.array("characters") {
            guard 1...Self.mostEntries ~= list.count else { throw wrongCount(list, extensions.path("characters")) }
            var classes: [CharacterClass] = []
            for (index, value) in list.enumerated() {
                let path = "\(extensions.path("characters"))[\(index)]"
                let text = try SchemaObject.string(value, path)
                guard let known = CharacterClass(text) else {
                    throw SchemaError(path, .malformed(text, .characterClass))
                }
                classes.append(known)
            }
            rules.characters = classes
        }
        for (index, value) in (try extensions.array("requires") ?? []).enumerated() {
            let path = "\(extensions.path("requires"))[\(index)]"
            let requirement: Requirement = try SchemaObject.choice(value, path)
            // One that is there twice would be reported twice.
            if !rules.requirements.contains(requirement) { rules.requirements.append(requirement) }
        }
    }

    /// The most entries of `characters` and of `formats`, all of which a message names.
    private static let mostEntries = 16

    private func wrongCount(_ list: [JSONValue], _ path: String) -> SchemaError {
        SchemaError(path, list.isEmpty ? .allowsNothing : .tooManyEntries(list.count, allowed: Self.mostEntries))
    }

    private func parseFormats(_ rules: inout FieldRules) throws(SchemaError) {
        guard let list = try extensions.array("formats") else { return }
        guard 1...Self.mostEntries ~= list.count else { throw wrongCount(list, extensions.path("formats")) }
        var formats: [DateFormat] = []
        for (index, value) in list.enumerated() {
            let path = "\(extensions.path("formats"))[\(index)]"
            let text = try SchemaObject.string(value, path)
            guard let format = DateFormat(text) else { throw SchemaError(path, .malformed(text, .dateFormat)) }
            if let other = formats.first(where: format.looksLike) {
                throw SchemaError(path, .ambiguousFormats(format, other))
            }
            formats.append(format)
        }
        rules.formats = formats
    }

    private func parseBounds(_ rules: inout FieldRules) throws(SchemaError) {
        rules.minimum = try parseBound("minimum", of: rules.type)
        rules.maximum = try parseBound("maximum", of: rules.type)
        guard let minimum = rules.minimum, let maximum = rules.maximum else { return }
        let isInverted =
            switch (minimum, maximum) {
            case (.integer(let least), .integer(let most)): least > most
            case (.number(let least), .number(let most)): least > most
            case (.day(let least), .day(let most)): least > most
            default: false
            }
        if isInverted {
            throw SchemaError(constraints.path("minimum"), .boundsInverted(minimum: minimum, maximum: maximum))
        }
    }

    private func parseBound(_ name: String, of type: FieldType) throws(SchemaError) -> Bound? {
        guard let value = constraints[name] else { return nil }
        let path = constraints.path(name)
        switch (type, value) {
        case (.integer, .number(let text)):
            guard let integer = NumberText.integer(Array(text.utf8).span) else {
                throw SchemaError(path, .malformed(text, .integer))
            }
            return .integer(integer)
        case (.number, .number(let text)):
            guard let number = NumberText.number(Array(text.utf8).span) else {
                throw SchemaError(path, .malformed(text, .number))
            }
            return .number(number)
        case (.date, .string("today")): return .today
        case (.date, .string(let text)):
            guard let day = CalendarDay(iso: text) else { throw SchemaError(path, .malformed(text, .day)) }
            return .day(day)
        case (.string, _), (.boolean, _):
            throw SchemaError(path, .onlyForTypes([.integer, .number, .date]))
        default:
            throw SchemaError(path, .boundOfWrongType(value.kind, type))
        }
    }

    private func parseMessages(_ rules: inout FieldRules) throws(SchemaError) {
        let messages = try extensions.object("message")
        for member in messages.members {
            let path = messages.path(member.name)
            guard let code = IssueCode(rawValue: member.name) else {
                throw SchemaError(path, .malformed(member.name, .issueCode))
            }
            rules.messages[code] = try SchemaObject.text(member.value, path)
        }
    }

    private func check(_ rules: FieldRules) throws(SchemaError) {
        if rules.name == .username {
            guard rules.type == .string else { throw SchemaError(field.path("type"), .usernameIsNoString) }
            guard rules.isRequired, rules.isUnique else {
                throw SchemaError(constraints.path(rules.isRequired ? "unique" : "required"), .usernameIsNoKey)
            }
        }
        guard rules.isSecret == (rules.name == .password) else {
            throw SchemaError(
                extensions.path("secret"), rules.isSecret ? .secretIsNotPassword : .passwordIsNotSecret)
        }
        if rules.isSecret {
            if rules.isUnique { throw SchemaError(constraints.path("unique"), .secretIsUnique) }
            if constraints["enum"] != nil || constraints["pattern"] != nil || rules.mask != nil {
                throw SchemaError(field.path, .secretIsCompared)
            }
        }
    }

    /// Judged by the other rules of the field, so that a value which could never be stored is found here.
    private func parseAllowedValues(_ rules: inout FieldRules) throws(SchemaError) {
        guard let list = try constraints.array("enum") else { return }
        guard !list.isEmpty else { throw SchemaError(constraints.path("enum"), .allowsNothing) }
        let validator = FieldValidator(rules)
        var values: [String] = []
        for (index, value) in list.enumerated() {
            let path = "\(constraints.path("enum"))[\(index)]"
            let text: String
            switch value {
            case .string(let string): text = string
            case .number(let number) where rules.type == .integer || rules.type == .number: text = number
            case .bool(let flag) where rules.type == .boolean: text = flag ? "true" : "false"
            default: throw SchemaError(path, .allowedValueOfWrongType(value.kind, rules.type))
            }
            guard let canonical = validator.canonical(text) else {
                throw SchemaError(path, .allowedValueBreaksRules(text))
            }
            values.append(canonical)
        }
        rules.allowedValues = values
    }
}
