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
            throw SchemaError("$", "it is not JSON: \(error.text)")
        }
        let root = try SchemaObject(document, "$")
        try root.allowOnly([
            "name", "title", "description", "$schema", "fields", "missingValues", "primaryKey",
        ])
        try root.requireValue("missingValues", oneOf: [[""]])
        try root.requireValue("primaryKey", oneOf: ["username", ["username"]])
        let list = try root.array("fields")
        guard let list else { throw SchemaError("$.fields", "it is missing; a schema lists its fields there") }
        guard !list.isEmpty, list.count <= Self.mostFields else {
            throw SchemaError("$.fields", "there are \(list.count) fields; 1 to \(Self.mostFields) are allowed")
        }
        var fields: [FieldRules] = []
        for (index, value) in list.enumerated() {
            let path = "$.fields[\(index)]"
            let rules = try FieldParser(SchemaObject(value, path)).parse()
            guard !fields.contains(where: { $0.name == rules.name }) else {
                throw SchemaError("\(path).name", "the field \"\(rules.name)\" is there twice")
            }
            // Headers are matched without their underscores (I2), and such a pair would be one column.
            if let other = fields.first(where: { $0.name.withoutUnderscores == rules.name.withoutUnderscores }) {
                throw SchemaError("\(path).name", "\"\(rules.name)\" and \"\(other.name)\" differ in underscores alone")
            }
            fields.append(rules)
        }
        guard fields.contains(where: { $0.name == .username }) else {
            throw SchemaError("$.fields", "the field \"username\" is missing; it is the key of every profile")
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
            try refuse(["minLength", "maxLength", "pattern"], of: constraints, unless: "string")
            try refuse(["characters", "requires", "mask", "secret"], of: extensions, unless: "string")
        }
        if rules.type == .date {
            try parseFormats(&rules)
        } else {
            try refuse(["formats"], of: extensions, unless: "date")
        }
        try parseBounds(&rules)
        try parseMessages(&rules)
        try check(rules)
        try parseAllowedValues(&rules)
        return rules
    }

    private func parseName() throws(SchemaError) -> FieldName {
        let path = field.path("name")
        guard let text = try field.string("name") else { throw SchemaError(path, "it is missing") }
        guard let name = FieldName(text) else {
            throw SchemaError(
                path,
                "\"\(text.shortened)\" is no field name: a lower-case letter, then lower-case letters, digits and _, "
                    + "\(FieldName.longestLength) at most")
        }
        guard !FieldName.reserved.contains(text) else {
            throw SchemaError(path, "\"\(text)\" is reserved: the store has a column of its own by that name")
        }
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

    private func refuse(_ names: [String], of object: SchemaObject, unless type: String) throws(SchemaError) {
        for name in names where object[name] != nil {
            throw SchemaError(object.path(name), "only a field of the type \"\(type)\" can have this")
        }
    }

    private func parseText(_ rules: inout FieldRules) throws(SchemaError) {
        rules.minimumLength = try constraints.count("minLength")
        rules.maximumLength = try constraints.count("maxLength")
        if let least = rules.minimumLength, let most = rules.maximumLength, least > most {
            throw SchemaError(constraints.path("minLength"), "\(least) is more than maxLength, \(most)")
        }
        if rules.maximumLength == 0 { throw SchemaError(constraints.path("maxLength"), "it allows nothing") }
        if let text = try constraints.string("pattern") {
            do throws(Pattern.CompileError) {
                rules.pattern = try Pattern(text)
            } catch {
                throw SchemaError(constraints.path("pattern"), "\(error.message), at byte \(error.offset) of it")
            }
        }
        if let text = try extensions.string("mask") {
            guard let mask = Mask(text) else {
                throw SchemaError(
                    extensions.path("mask"),
                    "\"\(text.shortened)\" is no mask: printable ASCII with a # for each digit, no other digit and no space, "
                        + "\(Mask.longestLength) characters at most")
            }
            rules.mask = mask
            for (object, name) in [
                (constraints, "minLength"), (constraints, "maxLength"), (extensions, "characters"),
                (extensions, "requires"),
            ] where object[name] != nil {
                throw SchemaError(object.path(name), "the mask says this already")
            }
        }
        if let list = try extensions.array("characters") {
            guard 1...Self.mostEntries ~= list.count else { throw wrongCount(list, extensions.path("characters")) }
            var classes: [CharacterClass] = []
            for (index, value) in list.enumerated() {
                let path = "\(extensions.path("characters"))[\(index)]"
                let text = try SchemaObject.string(value, path)
                guard let known = CharacterClass(text) else {
                    let names = CharacterClass.named.map(\.name).joined(separator: ", ")
                    throw SchemaError(
                        path,
                        "\"\(text.shortened)\" is none of \(names); a literal list of letters is written with a few each "
                            + "and without control characters")
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
        SchemaError(
            path,
            list.isEmpty ? "it allows nothing" : "there are \(list.count) entries; \(Self.mostEntries) are allowed")
    }

    private func parseFormats(_ rules: inout FieldRules) throws(SchemaError) {
        guard let list = try extensions.array("formats") else { return }
        guard 1...Self.mostEntries ~= list.count else { throw wrongCount(list, extensions.path("formats")) }
        var formats: [DateFormat] = []
        for (index, value) in list.enumerated() {
            let path = "\(extensions.path("formats"))[\(index)]"
            let text = try SchemaObject.string(value, path)
            guard let format = DateFormat(text) else {
                throw SchemaError(
                    path,
                    "\"\(text.shortened)\" is no date format: yyyy, MM and dd once each, with punctuation or spaces "
                        + "between, \(DateFormat.longestLength) characters at most")
            }
            if let other = formats.first(where: format.looksLike) {
                throw SchemaError(path, "what is written as \"\(text)\" could be read as \"\(other)\" as well")
            }
            formats.append(format)
        }
        rules.formats = formats
    }

    private func parseBounds(_ rules: inout FieldRules) throws(SchemaError) {
        rules.minimum = try parseBound("minimum", of: rules.type)
        rules.maximum = try parseBound("maximum", of: rules.type)
        let isInverted =
            switch (rules.minimum, rules.maximum) {
            case (.integer(let least), .integer(let most)): least > most
            case (.number(let least), .number(let most)): least > most
            case (.day(let least), .day(let most)): least > most
            default: false
            }
        if isInverted { throw SchemaError(constraints.path("minimum"), "it is more than maximum") }
    }

    private func parseBound(_ name: String, of type: FieldType) throws(SchemaError) -> Bound? {
        guard let value = constraints[name] else { return nil }
        let path = constraints.path(name)
        switch (type, value) {
        case (.integer, .number(let text)):
            guard let integer = NumberText.integer(Array(text.utf8).span) else {
                throw SchemaError(path, "\(text.shortened) is no 64-bit integer")
            }
            return .integer(integer)
        case (.number, .number(let text)):
            guard let number = NumberText.number(Array(text.utf8).span) else {
                throw SchemaError(path, "\(text.shortened) is out of a double's range")
            }
            return .number(number)
        case (.date, .string("today")): return .today
        case (.date, .string(let text)):
            guard let day = CalendarDay(iso: text) else {
                throw SchemaError(path, "\"\(text.shortened)\" is neither a day as yyyy-MM-dd nor \"today\"")
            }
            return .day(day)
        case (.string, _), (.boolean, _):
            throw SchemaError(path, "only a field of the type \"integer\", \"number\" or \"date\" can have this")
        default:
            throw SchemaError(path, "it is \(value.kind), which does not fit the type \"\(type.rawValue)\"")
        }
    }

    private func parseMessages(_ rules: inout FieldRules) throws(SchemaError) {
        let messages = try extensions.object("message")
        for member in messages.members {
            let path = messages.path(member.name)
            guard let code = ValidationIssue.Code(rawValue: member.name) else {
                throw SchemaError(path, "\"\(member.name.shortened)\" is no code of an issue")
            }
            rules.messages[code] = try SchemaObject.text(member.value, path)
        }
    }

    private func check(_ rules: FieldRules) throws(SchemaError) {
        if rules.name == .username {
            guard rules.type == .string else { throw SchemaError(field.path("type"), "username must be a string") }
            guard rules.isRequired, rules.isUnique else {
                throw SchemaError(
                    constraints.path(rules.isRequired ? "unique" : "required"),
                    "it must be true for username, the key of every profile")
            }
        }
        guard rules.isSecret == (rules.name == .password) else {
            throw SchemaError(
                extensions.path("secret"),
                rules.isSecret
                    ? "only the field \"password\" can be secret; passcodes are no fields"
                    : "it must be true for the field \"password\", which is kept as a hash only")
        }
        if rules.isSecret {
            if rules.isUnique {
                throw SchemaError(constraints.path("unique"), "a secret cannot be compared with others")
            }
            if constraints["enum"] != nil || constraints["pattern"] != nil || rules.mask != nil {
                throw SchemaError(field.path, "a secret can have neither enum nor pattern nor mask")
            }
        }
    }

    /// Judged by the other rules of the field, so that a value which could never be stored is found here.
    private func parseAllowedValues(_ rules: inout FieldRules) throws(SchemaError) {
        guard let list = try constraints.array("enum") else { return }
        guard !list.isEmpty else { throw SchemaError(constraints.path("enum"), "it allows nothing") }
        let validator = FieldValidator(rules)
        var values: [String] = []
        for (index, value) in list.enumerated() {
            let path = "\(constraints.path("enum"))[\(index)]"
            let text: String
            switch value {
            case .string(let string): text = string
            case .number(let number) where rules.type == .integer || rules.type == .number: text = number
            case .bool(let flag) where rules.type == .boolean: text = flag ? "true" : "false"
            default: throw SchemaError(path, "it is \(value.kind), which does not fit the field's type")
            }
            guard let canonical = validator.canonical(text) else {
                throw SchemaError(path, "\"\(text.shortened)\" breaks the other rules of the field")
            }
            values.append(canonical)
        }
        rules.allowedValues = values
    }
}

extension JSONError {
    /// What is wrong and where, in words.
    package var text: String {
        let what =
            switch reason {
            case .unexpectedEnd: "it ends too early"
            case .unexpectedCharacter: "unexpected character"
            case .badNumber: "malformed number"
            case .badEscape: "malformed escape in a string"
            case .badEncoding: "bytes that are not UTF-8"
            case .controlCharacterInString: "a control character in a string; escape it"
            case .duplicateName(let name): "the name \"\(name.shortened)\" is there twice in one object"
            case .tooDeep(let limit): "nested more than \(limit) deep"
            case .textAfterEnd: "there is more after its end"
            }
        return "\(what) (line \(line), column \(column))"
    }
}
