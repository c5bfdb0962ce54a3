/// What one schema has that another has not, field by field.
public struct SchemaDifference: Hashable, Sendable {
    /// One thing that is not as it was.
    public enum Change: Hashable, Sendable {
        /// A field that only the new schema has.
        case added(FieldRules)
        /// A field that only the old schema has.
        case removed(FieldRules)
        /// The same name, other rules.
        case changed(before: FieldRules, after: FieldRules)
        /// The same fields in another order.
        case reordered
    }

    /// Removed fields first, then the others in the new schema's order.
    public let changes: [Change]

    /// Compares two schemas, field by field; their names do not count.
    public init(from old: ProfileSchema, to new: ProfileSchema) {
        var changes = old.fields.filter { new[$0.name] == nil }.map(Change.removed)
        for field in new.fields {
            guard let before = old[field.name] else {
                changes.append(.added(field))
                continue
            }
            if before != field { changes.append(.changed(before: before, after: field)) }
        }
        let common = new.fields.map(\.name).filter { old[$0] != nil }
        if common != old.fields.map(\.name).filter({ new[$0] != nil }) { changes.append(.reordered) }
        self.changes = changes
    }

    /// Whether both have the same fields, in the same order, with the same rules.
    public var isEmpty: Bool { changes.isEmpty }

    /// Whether a profile may be valid by the old schema and not by the new one.
    public var mayInvalidate: Bool {
        changes.contains { change in
            switch change {
            case .added(let field): field.isRequired
            case .removed, .reordered: false
            case .changed(let before, let after): after.changes(from: before).contains { $0.effect.mayInvalidate }
            }
        }
    }
}

/// One part of a field's rules that two versions of it do not share.
public struct RuleChange: Hashable, Sendable {
    /// What a change does to values.
    public enum Effect: String, Hashable, Sendable {
        /// Some that were valid are not any more.
        case stricter
        /// Some are valid now that were not.
        case looser
        /// Which of the two it is, or both, the rules alone do not say.
        case other
        /// They are typed in other ways; what is stored is judged as before.
        case typing
        /// They are judged as before.
        case none

        /// Whether a valid value may have become invalid.
        public var mayInvalidate: Bool { self == .stricter || self == .other }
    }

    /// What the rule is called in a schema file.
    public let rule: String
    /// As a schema file writes it, without quotes; nil where there was no such rule.
    public let before: String?
    /// The same now.
    public let after: String?
    /// Whether values that were valid may be invalid now, or the other way round.
    public let effect: Effect

    package init(rule: String, before: String?, after: String?, effect: Effect) {
        self.rule = rule
        self.before = before
        self.after = after
        self.effect = effect
    }
}

extension FieldRules {
    /// What of these rules is not as it was, in the order of a schema file.
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
        // More that is required is less that is allowed.
        compare("requires", \.requirements, text: { Self.listed($0.map(\.rawValue)) }, effect: { .ofAllowed($1, $0) })
        compare("mask", \.mask, text: { $0?.pattern }, effect: { .ofLimit($0, $1) { _, _ in nil } })
        compare("secret", \.isSecret, text: { "\($0)" }, effect: { _, _ in .other })
        // Where a moment has no formats it has the standard one.
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
        compare("indexed", \.isIndexed, text: { "\($0)" }, effect: { _, _ in .none })
        compare("columns", \.columns, text: { Self.listed($0) }, effect: { _, _ in .none })
        compare("hashColumns", \.hashColumns, text: { Self.listed($0) }, effect: { _, _ in .none })
        compare(
            "message", \.messages, text: { Self.listed($0.map { "\($0.key.rawValue): \($0.value)" }.sorted()) },
            effect: { _, _ in .none })
        compare("contentType", \.contentType, text: { $0 }, effect: { _, _ in .none })
        return changes
    }

    /// The parts of a field's rules that two versions of it do not share, as a schema file names them.
    public func differences(from other: FieldRules) -> [String] { changes(from: other).map(\.rule) }

    private static func listed(_ texts: [String]) -> String? { texts.isEmpty ? nil : texts.joined(separator: ", ") }
}

extension RuleChange.Effect {
    /// Of a limit, which there need not be; `isLess` says whether one limits less than another, and nil where that cannot
    /// be told.
    fileprivate static func ofLimit<Value>(
        _ before: Value?, _ after: Value?, isLess: (Value, Value) -> Bool?
    ) -> RuleChange.Effect {
        guard let before else { return .stricter }
        guard let after else { return .looser }
        return isLess(before, after).map { $0 ? .stricter : .looser } ?? .other
    }

    /// Of a list of what is allowed; nil allows anything.
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
    /// Nil, which allows anything, for an empty list of allowed values.
    fileprivate var anyIfEmpty: [String]? { isEmpty ? nil : self }
}
