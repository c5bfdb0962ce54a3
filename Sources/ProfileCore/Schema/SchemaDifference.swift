/// The differences between two schemas, field by field.
public struct SchemaDifference: Hashable, Sendable {
    /// One difference.
    public enum Change: Hashable, Sendable {
        /// A field that only the new schema has.
        case added(FieldRules)
        /// A field that only the old schema has.
        case removed(FieldRules)
        /// A field that both schemas have, but with different rules. If the field was renamed, `before` and `after`
        /// have different names.
        case changed(before: FieldRules, after: FieldRules)
        /// The fields that both schemas have are in another order.
        case reordered
        /// The import settings are different.
        case imported(before: ImportSettings, after: ImportSettings)
    }

    /// The differences. Removed fields come first. The other fields follow in the new schema's order. The order of the
    /// fields and the settings of imports come last.
    public let changes: [Change]

    /// Compares two schemas, field by field. The names of the schemas are ignored. A renamed field keeps its stored
    /// values, so it is a changed field.
    public init(from old: ProfileSchema, to new: ProfileSchema) {
        let sources = new.sources(in: old)
        let kept = sources.compactMap(\.self)
        var changes = old.fields.indices.filter { !kept.contains($0) }.map { Change.removed(old.fields[$0]) }
        for (field, source) in zip(new.fields, sources) {
            guard let before = source.map({ old.fields[$0] }) else {
                changes.append(.added(field))
                continue
            }
            if before != field { changes.append(.changed(before: before, after: field)) }
        }
        if kept != kept.sorted() { changes.append(.reordered) }
        if old.importSettings != new.importSettings {
            changes.append(.imported(before: old.importSettings, after: new.importSettings))
        }
        self.changes = changes
    }

    /// Whether both schemas have the same fields, in the same order, with the same rules, and the same import settings.
    public var isEmpty: Bool { changes.isEmpty }

    /// Whether a profile that is valid under the old schema may be invalid under the new schema.
    public var mayInvalidate: Bool {
        changes.contains { change in
            switch change {
            case .added(let field): field.isRequired
            case .removed, .reordered, .imported: false
            case .changed(let before, let after): after.changes(from: before).contains { $0.effect.mayInvalidate }
            }
        }
    }
}

/// One rule that differs between two versions of a field.
public struct RuleChange: Hashable, Sendable {
    /// The effect of a change on the values of the field.
    public enum Effect: String, Hashable, Sendable {
        /// Some values that were valid are now invalid.
        case stricter
        /// Some values that were invalid are now valid.
        case looser
        /// The change may be stricter, looser or both. The effect depends on the stored values.
        case other
        /// A user types the values in other notations, or in more or fewer notations. Stored values are validated as
        /// before.
        case typing
        /// Values are validated as before.
        case none

        /// Whether a valid value may have become invalid.
        public var mayInvalidate: Bool { self == .stricter || self == .other }
    }

    /// The name of the rule in a schema file.
    public let rule: String
    /// The old rule in the notation of schema files, without quotes; nil if the field had no such rule.
    public let before: String?
    /// The new rule in the notation of schema files, without quotes; nil if the field has no such rule now.
    public let after: String?
    /// The effect of the change on the values of the field.
    public let effect: Effect

    package init(rule: String, before: String?, after: String?, effect: Effect) {
        self.rule = rule
        self.before = before
        self.after = after
        self.effect = effect
    }
}

extension FieldRules {
    /// Returns the rules that differ from an older version of this field, in a fixed order.
    public func changes(from old: FieldRules) -> [RuleChange] {
        var changes: [RuleChange] = []
        func compare<Value: Equatable>(
            _ rule: String, _ part: KeyPath<FieldRules, Value>, text: (Value) -> String?,
            effect: (Value, Value) -> RuleChange.Effect
        ) {
            let (before, after) = (old[keyPath: part], self[keyPath: part])
            guard before != after else { return }
            changes.append(
                RuleChange(rule: rule, before: text(before), after: text(after), effect: effect(before, after)))
        }
        compare("name", \.name, text: { $0.text }, effect: { _, _ in .none })
        compare("title", \.title, text: { $0 }, effect: { _, _ in .none })
        compare("type", \.type, text: { $0.rawValue }, effect: { _, _ in .other })
        compare("primaryKey", \.isPrimaryKey, text: { "\($0)" }, effect: { _, _ in .other })
        compare("required", \.isRequired, text: { "\($0)" }, effect: { _, isRule in isRule ? .stricter : .looser })
        compare("unique", \.isUnique, text: { "\($0)" }, effect: { _, isRule in isRule ? .stricter : .looser })
        compare("minLength", \.minimumLength, text: { $0?.description }, effect: { .ofLimit($0, $1) { $0 < $1 } })
        compare("maxLength", \.maximumLength, text: { $0?.description }, effect: { .ofLimit($0, $1) { $0 > $1 } })
        compare("minimum", \.minimum, text: { $0?.description }, effect: { .ofLimit($0, $1) { $1.isMore(than: $0) } })
        compare("maximum", \.maximum, text: { $0?.description }, effect: { .ofLimit($0, $1) { $0.isMore(than: $1) } })
        compare("pattern", \.pattern, text: { $0?.text }, effect: { .ofLimit($0, $1) { _, _ in nil } })
        compare(
            "enum", \.allowedValues, text: { Self.listed($0) }, effect: { .ofAllowed($0.anyIfEmpty, $1.anyIfEmpty) })
        compare(
            "characters", \.characters, text: { $0.flatMap { Self.listed($0.map(\.text)) } },
            effect: { .ofAllowed($0, $1) })
        // The arguments are swapped: a longer list of allowed values is looser, but a longer list of requirements is
        // stricter.
        compare("requires", \.requirements, text: { Self.listed($0.map(\.rawValue)) }, effect: { .ofAllowed($1, $0) })
        compare("mask", \.mask, text: { $0?.pattern }, effect: { .ofLimit($0, $1) { _, _ in nil } })
        compare("secret", \.isSecret, text: { "\($0)" }, effect: { _, _ in .other })
        // If a date, datetime or time field has no formats, its values have the standard format.
        let standard = [old, self].allSatisfy { FieldType.moments.contains($0.type) } ? "ISO 8601" : nil
        compare(
            "formats", \.formats, text: { Self.listed($0.map(\.pattern)) ?? standard }, effect: { _, _ in .typing })
        compare("format", \.stringFormat, text: { $0?.rawValue }, effect: { .ofLimit($0, $1) { _, _ in nil } })
        compare("missingValues", \.missingValues, text: { Self.listed($0) }, effect: { _, _ in .other })
        compare("trueValues", \.trueValues, text: { Self.listed($0) }, effect: { _, _ in .typing })
        compare("falseValues", \.falseValues, text: { Self.listed($0) }, effect: { _, _ in .typing })
        compare("decimalChar", \.numberFormat.decimalCharacter, text: { String($0) }, effect: { _, _ in .typing })
        compare("groupChar", \.numberFormat.groupCharacter, text: { $0.map(String.init) }, effect: { _, _ in .typing })
        compare("bareNumber", \.numberFormat.isBare, text: { "\($0)" }, effect: { _, _ in .typing })
        compare("unit", \.unit, text: { $0 }, effect: { _, _ in .none })
        compare("written", \.written, text: { $0?.text }, effect: { _, _ in .none })
        compare("missing", \.writtenMissing, text: { $0 }, effect: { _, _ in .none })
        compare("indexed", \.isIndexed, text: { "\($0)" }, effect: { _, _ in .none })
        compare("owner", \.owner, text: { $0.rawValue }, effect: { _, _ in .none })
        compare("was", \.formerName, text: { $0?.text }, effect: { _, _ in .none })
        compare("columns", \.columns, text: { Self.listed($0) }, effect: { _, _ in .none })
        compare("hashColumns", \.hashColumns, text: { Self.listed($0) }, effect: { _, _ in .none })
        compare(
            "message", \.messages, text: { Self.listed($0.map { "\($0.key.rawValue): \($0.value)" }.sorted()) },
            effect: { _, _ in .none })
        compare("contentType", \.contentType, text: { $0 }, effect: { _, _ in .none })
        return changes
    }

    /// Returns the names of the rules that differ between this field and another version of the field. A schema file
    /// uses the same names.
    public func differences(from other: FieldRules) -> [String] { changes(from: other).map(\.rule) }

    private static func listed(_ texts: [String]) -> String? { texts.isEmpty ? nil : texts.joined(separator: ", ") }
}

extension RuleChange.Effect {
    /// Returns the effect of changing an optional limit.
    ///
    /// - Parameters:
    ///   - before: The old limit; nil if there was none.
    ///   - after: The new limit; nil if there is none.
    ///   - isLess: Whether the first limit is less strict than the second, or nil if this is unknown.
    /// - Returns: `stricter`, `looser`, or `other` if `isLess` returns nil.
    fileprivate static func ofLimit<Value>(
        _ before: Value?, _ after: Value?, isLess: (Value, Value) -> Bool?
    ) -> RuleChange.Effect {
        guard let before else { return .stricter }
        guard let after else { return .looser }
        return isLess(before, after).map { $0 ? .stricter : .looser } ?? .other
    }

    /// Returns the effect of changing a list of allowed values. A nil list allows every value.
    fileprivate static func ofAllowed<Value: Hashable>(_ before: [Value]?, _ after: [Value]?) -> RuleChange.Effect {
        guard let before else { return .stricter }
        guard let after else { return .looser }
        let (old, new) = (Set(before), Set(after))
        if old == new { return .none }
        if new.isSubset(of: old) { return .stricter }
        return new.isSuperset(of: old) ? .looser : .other
    }
}

extension [String] {
    /// The list; nil if the list is empty, because an empty list allows every value.
    fileprivate var anyIfEmpty: [String]? { isEmpty ? nil : self }
}
