internal import ProfileCore
internal import ProfileStore
internal import TextLayout

// Schemas as text for a terminal.

extension ProfileSchema {
    /// A table with one field per line.
    var table: String {
        var table = TextTable(["Field", "Title", "Type", "Rules"])
        for field in fields { table.add([field.name.text, field.title, field.type.rawValue, field.rulesText]) }
        return table.text
    }
}

extension SchemaDifference {
    /// One change per line. A changed rule is shown with its earlier and its new value.
    var text: String { text(ofLooserRules: false) }

    /// Returns one change per line, as ``text`` does. Pass true for `isLooser` if it is known that no change makes the
    /// rules stricter. A change with an uncertain effect is then shown as looser.
    func text(ofLooserRules isLooser: Bool) -> String {
        guard !isEmpty else { return "The rules are the same" }
        return changes.flatMap { $0.lines(ofLooserRules: isLooser) }.map(\.visible).joined(separator: "\n")
    }
}

extension SchemaDifference.Change {
    fileprivate func lines(ofLooserRules isLooser: Bool) -> [String] {
        switch self {
        case .added(let field):
            ["+ \(field.name): \(field.type.rawValue), \(field.rulesText)\(field.isRequired ? " (stricter)" : "")"]
        case .removed(let field): ["- \(field.name)"]
        case .changed(let before, let after):
            (before.name == after.name ? [] : ["~ \(before.name) → \(after.name)"])
                + after.changes(from: before).filter { !["name", "was"].contains($0.rule) }.map { change in
                    "~ \(after.name): \(change.rule) \(change.before ?? "none") → \(change.after ?? "none")"
                        + (isLooser && change.effect == .other ? RuleChange.Effect.looser : change.effect).remark
                }
        case .reordered: ["~ the order of the fields"]
        case .imported: ["~ how files are imported"]
        }
    }
}

extension RuleChange.Effect {
    /// The remark after a change.
    fileprivate var remark: String {
        switch self {
        case .stricter: " (stricter)"
        case .looser: " (looser)"
        case .other: " (may be stricter)"
        case .typing: " (written differently)"
        case .none: ""
        }
    }
}

extension FieldEffect {
    /// The effect as one line.
    var text: String {
        let field = field.text.quoted(longest: 64)
        switch kind {
        case .unread: return "\(values.counted("value")) of \(field) would be kept, but not read any more"
        case .retyped where failing == 0:
            return "\(values.counted("value")) of \(field) can be converted (schema adopt --convert)"
        case .retyped:
            let example = example.map { ", such as " + $0.quoted(longest: 64) } ?? ""
            return "\(values - failing) of \(values.counted("value")) of \(field) can be converted "
                + "(schema adopt --convert); \(failing) cannot\(example)"
        case .formerUnread:
            return "\(field) was removed earlier, with \(values.counted("value")); to read them again, add "
                + "\"was\": \(field) to \"profiles\" of this field"
        }
    }

    var json: JSONValue {
        [
            "field": .string(field.text), "effect": .string(kind.rawValue), "values": .number(values),
            "failing": .number(failing), "example": example.map(JSONValue.string) ?? .null,
        ]
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
        if owner == .hidden { rules.append("hidden from its owner") }
        if owner == .read, !isPrimaryKey { rules.append("read-only for its owner") }
        if owner == .edit, isPrimaryKey { rules.append("editable by its owner") }
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
        if let unit { rules.append("in \(unit)") }
        if !numberFormat.isBare, unit == nil { rules.append("with other characters around") }
        if trueValues != Self.defaultTrueValues || falseValues != Self.defaultFalseValues {
            rules.append(
                "true as \(trueValues.joined(separator: ", ")), false as \(falseValues.joined(separator: ", "))")
        }
        if !missingValues.isEmpty { rules.append("missing as " + missingValues.joined(separator: ", ")) }
        if let characters { rules.append(characters.map(\.text).joined(separator: ", ")) }
        if !requirements.isEmpty { rules.append("with " + requirements.map(\.rawValue).joined(separator: " and ")) }
        if let pattern { rules.append("pattern \(pattern.text)") }
        if !allowedValues.isEmpty { rules.append("one of " + allowedValues.joined(separator: ", ")) }
        return rules.isEmpty ? type.anyValue : rules.joined(separator: "; ")
    }
}

extension FieldType {
    /// The text for a field of this type that has no rules.
    fileprivate var anyValue: String {
        switch self {
        case .string: "any text"
        case .integer: "any whole number"
        case .boolean: "true or false"
        default: "any \(rawValue)"
        }
    }
}
