/// Reads one element of `fields`. If the parser finds an error, it reports the error and continues.
struct FieldParser {
    let field: SchemaObject
    let constraints: SchemaObject
    let extensions: SchemaObject
    /// The primary key of the schema; nil if `primaryKey` is malformed.
    private let primaryKey: PrimaryKey?
    /// The missing values of the schema. A field may replace these values with its own list.
    private let missingValues: [String]
    /// Whether a store has written the document. Then the document contains the columns of the fields.
    private let isStored: Bool
    var errors: SchemaErrors { field.errors }

    init(_ field: SchemaObject, primaryKey: PrimaryKey?, missingValues: [String], isStored: Bool) {
        self.field = field
        constraints = field.object("constraints")
        extensions = field.object("profiles")
        self.primaryKey = primaryKey
        self.missingValues = missingValues
        self.isStored = isStored
    }

    /// Returns the rules of the field; nil if the field has no valid name. If an error is reported, the rules may be
    /// incomplete.
    func parse() -> FieldRules? {
        var rules: FieldRules?
        var allowed: [(text: String, path: String)] = []
        // If the other rules have errors, the allowed values cannot be checked.
        if errors.areNone(after: { rules = parseRules(&allowed) }), let right = rules {
            rules?.allowedValues = judge(allowed, by: right)
        }
        return rules
    }

    private func parseRules(_ allowed: inout [(text: String, path: String)]) -> FieldRules? {
        field.allowOnly([
            "name", "title", "description", "type", "format", "example", "rdfType", "missingValues", "trueValues",
            "falseValues", "decimalChar", "groupChar", "bareNumber", "constraints", "profiles",
        ])
        constraints.allowOnly([
            "required", "unique", "minLength", "maxLength", "minimum", "maximum", "pattern", "enum",
        ])
        extensions.allowOnly(
            [
                "characters", "requires", "mask", "formats", "secret", "indexed", "columns", "hashColumns", "was",
                "message", "contentType", "unit", "written", "missing",
                "owner",
            ] + (isStored ? ["column"] : []))
        let title = field.text("title")
        guard let name = parseName() else { return nil }
        let type = parseType()
        var rules = FieldRules(name: name, title: title ?? FieldRules.title(of: name), type: type ?? .string)
        rules.isPrimaryKey = primaryKey?.name == name.text
        // Without a type, nothing else can be checked.
        guard type != nil else { return rules }
        // In Table Schema, a field is required and unique if `primaryKey` names the field.
        let isKey = rules.isPrimaryKey && primaryKey?.isNamed == true && name != .password
        rules.isRequired = constraints.boolean("required") ?? isKey
        rules.isUnique = constraints.boolean("unique") ?? isKey
        rules.isSecret = extensions.boolean("secret") ?? false
        rules.isIndexed = extensions.boolean("indexed") ?? false
        rules.contentType = extensions.text("contentType")
        parseOwner(&rules)
        rules.missingValues = MissingValues.read(from: field) ?? (rules.isSecret ? [] : missingValues)
        parseText(&rules)
        parseFormats(&rules)
        parseNumberFormat(&rules)
        parseWrittenForms(&rules)
        parseBooleans(&rules)
        parseBounds(&rules)
        allowed = parseAllowedValues(rules)
        parseColumns(&rules)
        parseFormerName(&rules)
        parseMessages(&rules)
        checkKey(rules)
        checkSecret(rules)
        return rules
    }

    private func parseName() -> FieldName? {
        guard field["name"] != nil else {
            field.report("name", .missing(.name))
            return nil
        }
        guard let text = field.string("name") else { return nil }
        guard let name = FieldName(text) else {
            field.report("name", .malformed(text, .fieldName))
            return nil
        }
        if FieldName.reserved.contains(text) { field.report("name", .reservedName(name)) }
        return name
    }

    private func parseType() -> FieldType? {
        guard field["type"] != nil else { return .string }
        guard let text = field.string("type") else { return nil }
        // The type `any` allows values of every type, so its values are stored as text.
        if text == "any" { return .string }
        if let type = FieldType(rawValue: text) { return type }
        if let construct = TableConstruct(type: text) {
            field.report("type", .noPlace(construct))
        } else {
            field.report("type", .unknownChoice(text, known: FieldType.allCases.map(\.rawValue) + ["any"]))
        }
        return nil
    }

    /// Returns whether the field has one of these types. If not, reports an error for each rule in `names` that the
    /// field has.
    @discardableResult
    func allows(
        _ names: [String], of object: SchemaObject, for types: [FieldType], _ rules: FieldRules
    ) -> Bool {
        guard !types.contains(rules.type) else { return true }
        for name in names where object[name] != nil { object.report(name, .onlyForTypes(types)) }
        return false
    }

    // MARK: Strings

    private func parseText(_ rules: inout FieldRules) {
        allows(["characters", "requires", "mask", "secret"], of: extensions, for: [.string], rules)
        guard allows(["minLength", "maxLength", "pattern"], of: constraints, for: [.string], rules) else { return }
        rules.minimumLength = constraints.count("minLength")
        rules.maximumLength = constraints.count("maxLength")
        if let least = rules.minimumLength, let most = rules.maximumLength, least > most {
            constraints.report("minLength", .lengthsInverted(minimum: least, maximum: most))
        }
        if rules.maximumLength == 0 { constraints.report("maxLength", .allowsNothing) }
        if let text = constraints.string("pattern") {
            do throws(FieldPattern.CompileError) {
                rules.pattern = try FieldPattern(text)
            } catch {
                constraints.report("pattern", .badPattern(error))
            }
        }
        parseMask(&rules)
        parseCharacters(&rules)
    }

    private func parseMask(_ rules: inout FieldRules) {
        guard let text = extensions.string("mask") else { return }
        guard let mask = Mask(text) else { return extensions.report("mask", .malformed(text, .mask)) }
        rules.mask = mask
        for (object, name) in [
            (constraints, "minLength"), (constraints, "maxLength"), (extensions, "characters"),
            (extensions, "requires"),
        ] where object[name] != nil {
            object.report(name, .impliedByMask)
        }
    }

    private func parseCharacters(_ rules: inout FieldRules) {
        if let list = extensions.array("characters", atMost: Self.mostEntries) {
            rules.characters = list.compactMap { value, path in
                guard let text = SchemaObject.string(value, path, errors) else { return nil }
                if let known = AllowedCharacters(text) { return known }
                errors.report(path, .malformed(text, .characterClass))
                return nil
            }
        }
        for (value, path) in extensions.array("requires") ?? [] {
            guard let text = SchemaObject.string(value, path, errors) else { continue }
            guard let requirement = Requirement(rawValue: text) else {
                errors.report(path, .unknownChoice(text, known: Requirement.allCases.map(\.rawValue)))
                continue
            }
            // If a requirement were kept twice, one value could have the same issue twice.
            if !rules.requirements.contains(requirement) { rules.requirements.append(requirement) }
        }
    }

    /// The maximum number of entries in `characters` and in `formats`. An error message lists all entries, so the
    /// number must be small.
    static let mostEntries = 16

    // MARK: Files, messages

    private func parseColumns(_ rules: inout FieldRules) {
        rules.columns = parseColumns("columns")
        rules.hashColumns = parseColumns("hashColumns")
        if !rules.hashColumns.isEmpty, !rules.isSecret { extensions.report("hashColumns", .onlyForSecret) }
    }

    private func parseColumns(_ name: String) -> [String] {
        guard let list = extensions.array(name) else { return [] }
        guard list.count <= Self.mostColumns else {
            extensions.report(name, .tooManyEntries(list.count, allowed: Self.mostColumns))
            return []
        }
        return list.compactMap { value, path in
            guard let text = SchemaObject.text(value, path, errors)?.trimmed else { return nil }
            // An empty folded name is refused, because it would match every column that has no name.
            guard !FoldedHeader(text).isEmpty else {
                errors.report(path, .allowsNothing)
                return nil
            }
            return text
        }
    }

    private static let mostColumns = 100

    private func parseFormerName(_ rules: inout FieldRules) {
        if let text = extensions.string("was") {
            guard let name = FieldName(text) else { return extensions.report("was", .malformed(text, .fieldName)) }
            if rules.isSecret || name == .password { return extensions.report("was", .secretIsRenamed) }
            rules.formerName = name
        }
        guard isStored, !rules.isSecret else { return }
        rules.assignedColumn = rules.isPrimaryKey ? .username : FieldColumn(of: rules.name)
        guard let text = extensions.string("column") else { return }
        guard let column = FieldColumn(text) else { return extensions.report("column", .malformed(text, .fieldName)) }
        rules.assignedColumn = column
    }

    private func parseOwner(_ rules: inout FieldRules) {
        guard let text = extensions.string("owner") else { return }
        guard let owner = OwnerAccess(rawValue: text) else {
            return extensions.report("owner", .unknownChoice(text, known: OwnerAccess.allCases.map(\.rawValue)))
        }
        if rules.isSecret { extensions.report("owner", .secretIsOwned) }
        if rules.isPrimaryKey, owner == .hidden { extensions.report("owner", .keyIsHidden) }
        // The default access is not kept. So a field that declares the default equals a field that declares nothing.
        if owner != rules.owner { rules.ownerRule = owner }
    }

    private func parseMessages(_ rules: inout FieldRules) {
        let messages = extensions.object("message")
        for member in messages.members {
            guard let code = IssueCode(rawValue: member.name) else {
                messages.report(member.name, .malformed(member.name, .issueCode))
                continue
            }
            rules.messages[code] = messages.text(member.name)
        }
    }

    // MARK: The primary key and the secret

    private func checkKey(_ rules: FieldRules) {
        guard rules.isPrimaryKey else { return }
        if rules.type != .string { field.report("type", .keyIsNoString(rules.name)) }
        if rules.name == .password, let path = primaryKey?.path { return errors.report(path, .keyIsSecret) }
        if !rules.isRequired, constraints.canTell("required") {
            constraints.report("required", .keyIsOptional(rules.name))
        }
        if !rules.isUnique, constraints.canTell("unique") { constraints.report("unique", .keyIsOptional(rules.name)) }
    }

    private func checkSecret(_ rules: FieldRules) {
        guard rules.isSecret == (rules.name == .password) else {
            return extensions.report("secret", rules.isSecret ? .secretIsNotPassword : .passwordIsNotSecret)
        }
        guard rules.isSecret else { return }
        if rules.isUnique { constraints.report("unique", .secretIsCompared) }
        if rules.isIndexed { extensions.report("indexed", .secretIsCompared) }
        for name in ["enum", "pattern"] where constraints[name] != nil { constraints.report(name, .secretIsCompared) }
        if rules.mask != nil { extensions.report("mask", .secretIsCompared) }
        if rules.stringFormat != nil { field.report("format", .secretIsCompared) }
    }
}
