internal import ProfileCore
internal import ProfileStore
internal import TextLayout

// Schemas as a person reads them in a terminal.

extension ProfileSchema {
    /// One field a line.
    var table: String {
        var table = TextTable(["Field", "Title", "Type", "Rules"])
        for field in fields { table.add([field.name.text, field.title, field.type.rawValue, field.rulesText]) }
        return table.text
    }
}

extension SchemaDifference {
    /// One change a line.
    var text: String {
        isEmpty ? "The rules are the same" : changes.map(\.text).joined(separator: "\n")
    }
}

extension SchemaDifference.Change {
    fileprivate var text: String {
        switch self {
        case .added(let field): "+ \(field.name): \(field.type.rawValue), \(field.rulesText)".visible
        case .removed(let field): "- \(field.name)"
        case .changed(let before, let after):
            "~ \(after.name): \(after.differences(from: before).joined(separator: ", "))"
        case .reordered: "~ the order of the fields"
        }
    }

    /// `{"change","field","rules"}`, without what does not apply.
    var json: JSONValue {
        switch self {
        case .added(let field): ["change": "added", "field": .string(field.name.text)]
        case .removed(let field): ["change": "removed", "field": .string(field.name.text)]
        case .changed(let before, let after):
            [
                "change": "changed", "field": .string(after.name.text),
                "rules": .array(after.differences(from: before).map(JSONValue.string)),
            ]
        case .reordered: ["change": "reordered"]
        }
    }
}

extension FieldRules {
    /// The rules in a few words.
    var rulesText: String {
        var rules: [String] = []
        if isPrimaryKey, name != .username { rules.append("primary key") }
        if isRequired { rules.append("required") }
        if isUnique { rules.append("unique") }
        if isIndexed { rules.append("indexed") }
        if isSecret { rules.append("secret") }
        if let mask { rules.append("as \(mask.pattern)") }
        switch (minimumLength, maximumLength) {
        case (let least?, let most?): rules.append(least == most ? "length \(least)" : "length \(least)–\(most)")
        case (let least?, nil): rules.append("length \(least) or more")
        case (nil, let most?): rules.append("length \(most) at most")
        case (nil, nil): break
        }
        if let minimum { rules.append("from \(minimum)") }
        if let maximum { rules.append("to \(maximum)") }
        if !formats.isEmpty { rules.append("as " + formats.map(\.pattern).joined(separator: " or ")) }
        if let stringFormat { rules.append(stringFormat.rawValue) }
        if numberFormat.decimalCharacter != "." { rules.append("decimal \(numberFormat.decimalCharacter)") }
        if let group = numberFormat.groupCharacter { rules.append("groups by \(group)") }
        if !numberFormat.isBare { rules.append("with other characters around") }
        if trueValues != Self.defaultTrueValues || falseValues != Self.defaultFalseValues {
            rules.append(
                "true as \(trueValues.joined(separator: ", ")), false as \(falseValues.joined(separator: ", "))")
        }
        if !missingValues.isEmpty { rules.append("missing as " + missingValues.joined(separator: ", ")) }
        if let characters { rules.append(characters.map(\.text).joined(separator: ", ")) }
        if !requirements.isEmpty { rules.append("with " + requirements.map(\.rawValue).joined(separator: " and ")) }
        if let pattern { rules.append("pattern \(pattern.text)") }
        if !allowedValues.isEmpty { rules.append("one of " + allowedValues.joined(separator: ", ")) }
        return rules.isEmpty ? "any text" : rules.joined(separator: "; ")
    }
}
