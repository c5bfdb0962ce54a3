extension SchemaDifference: JSONEncodable {
    /// The ``changes`` as an array; see ``Change/json``.
    public var json: JSONValue { .array(changes.map(\.json)) }
}

extension SchemaDifference.Change: JSONEncodable {
    /// An object with the member `change`: `added`, `removed`, `changed`, `renamed`, `reordered` or `imported`. For a
    /// change of a field, `field` is the name of the field. For a changed or renamed field, `rules` has the names of
    /// the rules that differ, and `changes` has the old and new values of these rules. For a change of the import
    /// settings, `before` and `after` are the settings.
    public var json: JSONValue {
        switch self {
        case .added(let field): ["change": "added", "field": .string(field.name.text)]
        case .removed(let field): ["change": "removed", "field": .string(field.name.text)]
        case .changed(let before, let after):
            [
                "change": .string(before.name == after.name ? "changed" : "renamed"), "field": .string(after.name.text),
                "rules": .array(after.differences(from: before).map(JSONValue.string)),
                "changes": .array(after.changes(from: before).map(\.json)),
            ]
        case .reordered: ["change": "reordered"]
        case .imported(let before, let after):
            ["change": "imported", "before": before.document ?? [:], "after": after.document ?? [:]]
        }
    }
}

extension RuleChange: JSONEncodable {
    /// The members `rule`, `before`, `after` and `effect`. If the field had no such rule before the change, `before` is
    /// null. If the field has no such rule after the change, `after` is null.
    public var json: JSONValue {
        [
            "rule": .string(rule), "before": before.map(JSONValue.string) ?? .null,
            "after": after.map(JSONValue.string) ?? .null, "effect": .string(effect.rawValue),
        ]
    }
}
