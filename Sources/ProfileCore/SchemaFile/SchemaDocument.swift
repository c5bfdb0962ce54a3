extension ProfileSchema {
    /// Returns the schema as a Table Schema document in a fixed order. Rules that have their default value are omitted.
    /// So if two schema files have the same rules, their documents are equal.
    ///
    /// - Parameter indented: Whether the text is indented for human readers. The fingerprint of a schema is computed
    ///   from the document on one line.
    /// - Returns: JSON, as `init(parsing:)` reads it.
    public func document(indented: Bool = false) -> String { json.text(indented: indented) }

    /// The document on one line, with the columns that a store has assigned to the fields.
    package var storedDocument: String { documentValue(withColumns: true).text() }

    private func documentValue(withColumns: Bool) -> JSONValue {
        // If all fields that are not secret have the same missing values, the document lists these values only once. A
        // `missingValues` list of the schema does not apply to the secret field.
        let first = primaryKey.missingValues
        let shared = openFields.allSatisfy { $0.missingValues == first } ? first : []
        var members = [JSONMember("name", .string(name))]
        if !shared.isEmpty { members.append(JSONMember("missingValues", FieldRules.list([""] + shared))) }
        if primaryKey.name != .username { members.append(JSONMember("primaryKey", .string(primaryKey.name.text))) }
        if let settings = importSettings.document { members.append(JSONMember("profiles", settings)) }
        let documents = fields.map { $0.document(sharing: shared, withColumn: withColumns) }
        members.append(JSONMember("fields", .array(documents)))
        return .object(members)
    }
}

extension ProfileSchema: JSONEncodable {
    /// The ``document(indented:)`` as JSON.
    public var json: JSONValue { documentValue(withColumns: false) }
}

extension FieldRules {
    /// The field as JSON. The field's missing values are omitted if they equal the list of the schema.
    fileprivate func document(sharing shared: [String], withColumn: Bool) -> JSONValue {
        var members = [
            JSONMember("name", .string(name.text)), JSONMember("title", .string(title)),
            JSONMember("type", .string(type.rawValue)),
        ]
        if let format { members.append(JSONMember("format", .string(format))) }
        if missingValues != (isSecret ? [] : shared) {
            members.append(JSONMember("missingValues", Self.list([""] + missingValues)))
        }
        if trueValues != Self.defaultTrueValues { members.append(JSONMember("trueValues", Self.list(trueValues))) }
        if falseValues != Self.defaultFalseValues { members.append(JSONMember("falseValues", Self.list(falseValues))) }
        if numberFormat.decimalCharacter != NumberFormat.plain.decimalCharacter {
            members.append(JSONMember("decimalChar", .string(String(numberFormat.decimalCharacter))))
        }
        if let group = numberFormat.groupCharacter { members.append(JSONMember("groupChar", .string(String(group)))) }
        if !numberFormat.isBare { members.append(JSONMember("bareNumber", false)) }
        if let constraints { members.append(JSONMember("constraints", constraints)) }
        var extensions = extensions
        if withColumn, !isPrimaryKey, let assignedColumn, assignedColumn != FieldColumn(of: name) {
            extensions.append(JSONMember("column", .string(assignedColumn.text)))
        }
        if !extensions.isEmpty { members.append(JSONMember("profiles", .object(extensions))) }
        return .object(members)
    }

    fileprivate static func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    /// The value of Table Schema's `format`; nil if `format` cannot describe the field's values.
    private var format: String? {
        if let stringFormat { return stringFormat.rawValue }
        guard let format = formats.first, formats.count == 1, format.isTablePattern else { return nil }
        // In `format`, the pattern `%Y-%m-%d` means the default format, and the default format requires leading zeros.
        // So this pattern is written in `formats`.
        return format.pattern == "%Y-%m-%d" ? nil : format.pattern
    }

    private var constraints: JSONValue? {
        var members: [JSONMember] = []
        if isRequired { members.append(JSONMember("required", true)) }
        if isUnique { members.append(JSONMember("unique", true)) }
        if let minimumLength { members.append(JSONMember("minLength", .number(minimumLength))) }
        if let maximumLength { members.append(JSONMember("maxLength", .number(maximumLength))) }
        if let minimum { members.append(JSONMember("minimum", minimum.document)) }
        if let maximum { members.append(JSONMember("maximum", maximum.document)) }
        if let pattern { members.append(JSONMember("pattern", .string(pattern.text))) }
        if !allowedValues.isEmpty {
            members.append(JSONMember("enum", .array(allowedValues.map { JSONValue.string(typedForm(of: $0)) })))
        }
        return members.isEmpty ? nil : .object(members)
    }

    private var extensions: [JSONMember] {
        var members: [JSONMember] = []
        if isSecret { members.append(JSONMember("secret", true)) }
        if let mask { members.append(JSONMember("mask", .string(mask.pattern))) }
        if let characters {
            members.append(JSONMember("characters", .array(characters.map { .string($0.text) })))
        }
        if !requirements.isEmpty {
            members.append(JSONMember("requires", .array(requirements.map { .string($0.rawValue) })))
        }
        if format == nil, formats != Self.defaultFormats(of: type) {
            members.append(JSONMember("formats", .array(formats.map { .string($0.pattern) })))
        }
        if isIndexed { members.append(JSONMember("indexed", true)) }
        if let ownerRule { members.append(JSONMember("owner", .string(ownerRule.rawValue))) }
        if let formerName { members.append(JSONMember("was", .string(formerName.text))) }
        if !columns.isEmpty { members.append(JSONMember("columns", Self.list(columns))) }
        if !hashColumns.isEmpty { members.append(JSONMember("hashColumns", Self.list(hashColumns))) }
        if let unit { members.append(JSONMember("unit", .string(unit))) }
        if let written { members.append(JSONMember("written", .string(written.text))) }
        if let writtenMissing { members.append(JSONMember("missing", .string(writtenMissing))) }
        if let contentType { members.append(JSONMember("contentType", .string(contentType))) }
        if !messages.isEmpty {
            let sorted = messages.sorted { $0.key.rawValue < $1.key.rawValue }
            members.append(
                JSONMember("message", .object(sorted.map { JSONMember($0.key.rawValue, .string($0.value)) })))
        }
        return members
    }
}

extension Bound {
    fileprivate var document: JSONValue {
        switch self {
        case .integer, .number: .number(description)
        case .day, .today, .dateTime, .time: .string(description)
        }
    }
}
