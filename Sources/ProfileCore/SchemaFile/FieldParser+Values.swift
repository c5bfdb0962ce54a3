// The notation and the range of a field's values.
extension FieldParser {
    // MARK: Ways of writing

    /// Reads `format` and `formats`: the format of a string, or the formats of a date, datetime or time.
    func parseFormats(_ rules: inout FieldRules) {
        let isMoment = allows(["formats"], of: extensions, for: FieldType.moments, rules)
        // An older version of Table Schema writes `fmt:` before the format.
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
            // The pattern `%Y-%m-%d` means the default format.
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

    func parseNumberFormat(_ rules: inout FieldRules) {
        if allows(["decimalChar"], of: field, for: [.number], rules), let character = parseSeparator("decimalChar") {
            rules.numberFormat.decimalCharacter = character
        }
        if allows(["unit"], of: extensions, for: [.integer, .number], rules) { rules.unit = extensions.text("unit") }
        guard allows(["groupChar", "bareNumber"], of: field, for: [.integer, .number], rules) else { return }
        rules.numberFormat.groupCharacter = parseSeparator("groupChar")
        rules.numberFormat.isBare = field.boolean("bareNumber") ?? true
        if rules.numberFormat.groupCharacter == rules.numberFormat.decimalCharacter, rules.type == .number {
            field.report("groupChar", .groupIsDecimal)
        }
    }

    /// Reads `written` and `missing`. They define how an export in the notations of the original file writes values and
    /// missing values.
    func parseWrittenForms(_ rules: inout FieldRules) {
        if let text = extensions.string("missing") {
            if rules.missingValues.contains(text) {
                rules.writtenMissing = text
            } else {
                extensions.report("missing", .notAMissingValue(text))
            }
        }
        guard allows(["written"], of: extensions, for: [.integer, .number] + FieldType.moments, rules),
            let text = extensions.string("written")
        else { return }
        guard let form = WrittenForm(text, of: rules), form.isRead(by: rules) else {
            return extensions.report("written", .malformed(text, .writtenForm(rules.type)))
        }
        rules.written = form
    }

    private func parseSeparator(_ name: String) -> Character? {
        // An empty `groupChar` means the default: no character separates groups of digits.
        guard let text = field.string(name), name != "groupChar" || !text.isEmpty else { return nil }
        guard let character = text.first, text.count == 1, NumberFormat.isSeparator(character) else {
            field.report(name, .malformed(text, .separator))
            return nil
        }
        return character
    }

    func parseBooleans(_ rules: inout FieldRules) {
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

    func parseBounds(_ rules: inout FieldRules) {
        let types = FieldType.allCases.filter { $0 != .string && $0 != .boolean }
        guard allows(["minimum", "maximum"], of: constraints, for: types, rules) else { return }
        rules.minimum = parseBound("minimum", of: rules)
        rules.maximum = parseBound("maximum", of: rules)
        guard let minimum = rules.minimum, let maximum = rules.maximum, minimum.isMore(than: maximum) == true
        else { return }
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

    // A schema file may write a bound in the stored form or in the notation of the field.

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

    /// The entries of `enum` in the notation of the field, with their JSON paths.
    func parseAllowedValues(_ rules: FieldRules) -> [(text: String, path: String)] {
        guard let list = constraints.array("enum") else { return [] }
        if list.isEmpty { constraints.report("enum", .allowsNothing) }
        return list.compactMap { value, path in
            guard rules.type.takes(value.kind), let text = value.typedForm(in: rules) else {
                errors.report(path, .allowedValueOfWrongType(value.kind, rules.type))
                return nil
            }
            return (text, path)
        }
    }

    /// Checks each allowed value against the other rules of the field. An allowed value that breaks one of these rules
    /// could never be stored. So it is an error of the schema file.
    func judge(_ allowed: [(text: String, path: String)], by rules: FieldRules) -> [String] {
        let validator = FieldValidator(rules)
        return allowed.compactMap { text, path in
            guard let canonical = validator.canonical(text) else {
                errors.report(path, .allowedValueBreaksRules(text))
                return nil
            }
            return canonical
        }
    }
}

extension FieldType {
    /// Whether a schema file may use this kind of JSON value for a value of this type.
    fileprivate func takes(_ kind: JSONKind) -> Bool {
        switch kind {
        case .string: true
        case .number: self == .integer || self == .number || self == .year
        case .boolean: self == .boolean
        case .null, .array, .object: false
        }
    }
}
