/// Reads one element of `fields`. It reports what is wrong, and goes on.
struct FieldParser {
    let field: SchemaObject
    let constraints: SchemaObject
    let extensions: SchemaObject
    /// The schema's; nil where that is wrong.
    private let primaryKey: PrimaryKey?
    /// Those of the schema, which a field may replace.
    private let missingValues: [String]
    private var errors: SchemaErrors { field.errors }

    init(_ field: SchemaObject, primaryKey: PrimaryKey?, missingValues: [String]) {
        self.field = field
        constraints = field.object("constraints")
        extensions = field.object("profiles")
        self.primaryKey = primaryKey
        self.missingValues = missingValues
    }

    /// The rules, as far as they are right; nil where there is no name.
    func parse() -> FieldRules? {
        var rules: FieldRules?
        // Only rules that are right can judge.
        if errors.areNone(after: { rules = parseRules() }), let right = rules {
            rules?.allowedValues = parseAllowedValues(right)
        }
        return rules
    }

    private func parseRules() -> FieldRules? {
        field.allowOnly([
            "name", "title", "description", "type", "format", "example", "rdfType", "missingValues", "trueValues",
            "falseValues", "decimalChar", "groupChar", "bareNumber", "constraints", "profiles",
        ])
        constraints.allowOnly([
            "required", "unique", "minLength", "maxLength", "minimum", "maximum", "pattern", "enum",
        ])
        extensions.allowOnly([
            "characters", "requires", "mask", "formats", "secret", "indexed", "columns", "hashColumns", "message",
            "contentType",
        ])
        let title = field.text("title")
        guard let name = parseName() else { return nil }
        let type = parseType()
        var rules = FieldRules(name: name, title: title ?? Self.title(name), type: type ?? .string)
        rules.isPrimaryKey = primaryKey?.name == name.text
        // Without its type nothing else can be told right from wrong.
        guard type != nil else { return rules }
        // Being the key says as much (Table Schema).
        let isKey = rules.isPrimaryKey && primaryKey?.isNamed == true && name != .password
        rules.isRequired = constraints.boolean("required") ?? isKey
        rules.isUnique = constraints.boolean("unique") ?? isKey
        rules.isSecret = extensions.boolean("secret") ?? false
        rules.isIndexed = extensions.boolean("indexed") ?? false
        rules.contentType = extensions.text("contentType")
        rules.missingValues = MissingValues.read(from: field) ?? (rules.isSecret ? [] : missingValues)
        parseText(&rules)
        parseFormats(&rules)
        parseNumberFormat(&rules)
        parseBooleans(&rules)
        parseBounds(&rules)
        parseColumns(&rules)
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

    private static func title(_ name: FieldName) -> String {
        let words = name.text.split(separator: "_").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    private func parseType() -> FieldType? {
        guard field["type"] != nil else { return .string }
        guard let text = field.string("type") else { return nil }
        // Of a value that may be anything nothing is known but its text.
        if text == "any" { return .string }
        if let type = FieldType(rawValue: text) { return type }
        if let construct = TableConstruct(type: text) {
            field.report("type", .noPlace(construct))
        } else {
            field.report("type", .unknownChoice(text, known: FieldType.allCases.map(\.rawValue) + ["any"]))
        }
        return nil
    }

    /// Says whether a field is of one of these types, and refuses what is said of others.
    @discardableResult
    private func allows(
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
            do throws(Pattern.CompileError) {
                rules.pattern = try Pattern(text)
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
                if let known = CharacterClass(text) { return known }
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
            // One that is there twice would be reported twice.
            if !rules.requirements.contains(requirement) { rules.requirements.append(requirement) }
        }
    }

    /// The most entries of `characters` and of `formats`, all of which a message names.
    private static let mostEntries = 16

    // MARK: Ways of writing

    /// What a string is, and how a moment is written.
    private func parseFormats(_ rules: inout FieldRules) {
        let isMoment = allows(["formats"], of: extensions, for: FieldType.moments, rules)
        // The prefix is that of an older specification.
        let text = field.string("format").map { $0.hasPrefix("fmt:") ? String($0.dropFirst(4)) : $0 }
        if let text, text != "default" { parseFormat(text, isMoment: isMoment, &rules) }
        guard isMoment, let list = extensions.array("formats", atMost: Self.mostEntries) else { return }
        var formats: [DateFormat] = []
        for (value, path) in list {
            guard let text = SchemaObject.string(value, path, errors) else { continue }
            guard let format = DateFormat(text, of: rules.type) else {
                errors.report(path, .malformed(text, rules.type == .date ? .dateFormat : .timePattern(rules.type)))
                continue
            }
            if let other = formats.first(where: format.looksLike) {
                errors.report(path, .ambiguousFormats(format, other))
            }
            formats.append(format)
        }
        if let text, text != "default", text != "%Y-%m-%d" { extensions.report("formats", .impliedByFormat) }
        rules.formats = formats
    }

    private func parseFormat(_ text: String, isMoment: Bool, _ rules: inout FieldRules) {
        if text == "any", isMoment { return field.report("format", .noPlace(.any)) }
        if isMoment {
            // The default, in words.
            if rules.type == .date, text == "%Y-%m-%d" { return }
            guard let format = DateFormat(text, of: rules.type), format.isTablePattern else {
                return field.report("format", .malformed(text, .timePattern(rules.type)))
            }
            rules.formats = [format]
        } else if rules.type == .string {
            if text == "binary" { return field.report("format", .noPlace(.binary)) }
            guard let format = StringFormat(rawValue: text) else {
                let known = ["default"] + StringFormat.allCases.map(\.rawValue)
                return field.report("format", .unknownChoice(text, known: known))
            }
            if rules.mask != nil { field.report("format", .impliedByMask) }
            rules.stringFormat = format
        } else {
            field.report("format", .unsupported("\"\(text)\"", supported: ["\"default\""]))
        }
    }

    private func parseNumberFormat(_ rules: inout FieldRules) {
        if allows(["decimalChar"], of: field, for: [.number], rules), let character = parseSeparator("decimalChar") {
            rules.numberFormat.decimalCharacter = character
        }
        guard allows(["groupChar", "bareNumber"], of: field, for: [.integer, .number], rules) else { return }
        rules.numberFormat.groupCharacter = parseSeparator("groupChar")
        rules.numberFormat.isBare = field.boolean("bareNumber") ?? true
        if rules.numberFormat.groupCharacter == rules.numberFormat.decimalCharacter, rules.type == .number {
            field.report("groupChar", .groupIsDecimal)
        }
    }

    private func parseSeparator(_ name: String) -> Character? {
        // Nothing between the digits is what there is by default.
        guard let text = field.string(name), name != "groupChar" || !text.isEmpty else { return nil }
        guard let character = text.first, text.count == 1, NumberFormat.isSeparator(character) else {
            field.report(name, .malformed(text, .separator))
            return nil
        }
        return character
    }

    private func parseBooleans(_ rules: inout FieldRules) {
        guard allows(["trueValues", "falseValues"], of: field, for: [.boolean], rules) else { return }
        rules.trueValues = parseWords("trueValues") ?? rules.trueValues
        rules.falseValues = parseWords("falseValues") ?? rules.falseValues
        guard let word = rules.trueValues.first(where: rules.falseValues.contains) else { return }
        field.report(field["falseValues"] == nil ? "trueValues" : "falseValues", .bothTrueAndFalse(word))
    }

    private func parseWords(_ name: String) -> [String]? {
        guard let list = field.array(name, atMost: Self.mostWords) else { return nil }
        var words: [String] = []
        for (value, path) in list {
            guard let text = SchemaObject.text(value, path, errors)?.trimmed else { continue }
            guard !text.isEmpty else {
                errors.report(path, .allowsNothing)
                continue
            }
            if !words.contains(text) { words.append(text) }
        }
        return words
    }

    private static let mostWords = 100

    // MARK: Values

    private func parseBounds(_ rules: inout FieldRules) {
        let types = FieldType.allCases.filter { $0 != .string && $0 != .boolean }
        guard allows(["minimum", "maximum"], of: constraints, for: types, rules) else { return }
        rules.minimum = parseBound("minimum", of: rules)
        rules.maximum = parseBound("maximum", of: rules)
        guard let minimum = rules.minimum, let maximum = rules.maximum, minimum.isMore(than: maximum) else { return }
        constraints.report("minimum", .boundsInverted(minimum: minimum, maximum: maximum))
    }

    private func parseBound(_ name: String, of rules: FieldRules) -> Bound? {
        guard let value = constraints[name] else { return nil }
        let read: (bound: Bound?, text: String, notation: SchemaError.Notation)? =
            switch (rules.type, value) {
            case (.integer, .number(let text)):
                (NumberText.integer(text.utf8Span.span).map(Bound.integer), text, .integer)
            case (.number, .number(let text)): (NumberText.number(text.utf8Span.span).map(Bound.number), text, .number)
            case (.year, .number(let text)), (.year, .string(let text)):
                (Self.year(text).map(Bound.integer), text, .year)
            case (.date, .string("today")): (.today, "today", .day)
            case (.date, .string(let text)): (day(text, rules).map(Bound.day), text, .day)
            case (.dateTime, .string(let text)): (moment(text, rules).map(Bound.dateTime), text, .dateTime)
            case (.time, .string(let text)): (time(text, rules).map(Bound.time), text, .time)
            default: nil
            }
        guard let read else {
            constraints.report(name, .boundOfWrongType(value.kind, rules.type))
            return nil
        }
        if read.bound == nil { constraints.report(name, .malformed(read.text, read.notation)) }
        return read.bound
    }

    private static func year(_ text: String) -> Int64? {
        Int64(text).flatMap { 0...9_999 ~= $0 ? $0 : nil }
    }

    // As it is stored, or as the field's values are written.

    private func day(_ text: String, _ rules: FieldRules) -> CalendarDay? {
        CalendarDay(iso: text) ?? value(text, rules) { $0.read($1) }
    }

    private func moment(_ text: String, _ rules: FieldRules) -> DateTime? {
        DateTime(iso: text) ?? value(text, rules) { $0.readDateTime($1) }
    }

    private func time(_ text: String, _ rules: FieldRules) -> TimeOfDay? {
        TimeOfDay(iso: text) ?? value(text, rules) { $0.readTime($1) }
    }

    private func value<Value>(
        _ text: String, _ rules: FieldRules, _ read: (DateFormat, Span<UInt8>) -> DateFormat.Reading<Value>
    ) -> Value? {
        for format in rules.formats {
            if case .value(let value) = read(format, text.utf8Span.span) { return value }
        }
        return nil
    }

    /// Judged by the other rules of the field, so that a value which could never be stored is found here.
    private func parseAllowedValues(_ rules: FieldRules) -> [String] {
        guard let list = constraints.array("enum") else { return [] }
        if list.isEmpty { constraints.report("enum", .allowsNothing) }
        let validator = FieldValidator(rules)
        return list.compactMap { value, path in
            let text: String
            switch value {
            case .string(let string): text = string
            case .number(let number) where rules.type == .integer || rules.type == .number || rules.type == .year:
                text = rules.typedForm(of: number)
            case .bool(let flag) where rules.type == .boolean: text = rules.typedForm(of: flag ? "true" : "false")
            default:
                errors.report(path, .allowedValueOfWrongType(value.kind, rules.type))
                return nil
            }
            guard let canonical = validator.canonical(text) else {
                errors.report(path, .allowedValueBreaksRules(text))
                return nil
            }
            return canonical
        }
    }

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
            // Such a name would mean every column without one.
            guard !FoldedHeader(text).isEmpty else {
                errors.report(path, .allowsNothing)
                return nil
            }
            return text
        }
    }

    private static let mostColumns = 100

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
        if !rules.isRequired { constraints.report("required", .keyIsOptional(rules.name)) }
        if !rules.isUnique { constraints.report("unique", .keyIsOptional(rules.name)) }
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
        if field["missingValues"] != nil { field.report("missingValues", .secretIsNeverMissing) }
    }
}
