/// What one schema has that another has not, field by field.
public struct SchemaDifference: Hashable, Sendable {
    /// One thing that is not as it was.
    public enum Change: Hashable, Sendable {
        case added(FieldRules)
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
        compare("title", \.title) { $0 } effect: { _, _ in .none }
        compare("type", \.type) { $0.rawValue } effect: { _, _ in .other }
        compare("required", \.isRequired) { "\($0)" } effect: { _, isRule in isRule ? .stricter : .looser }
        compare("unique", \.isUnique) { "\($0)" } effect: { _, isRule in isRule ? .stricter : .looser }
        compare("minLength", \.minimumLength) { $0?.description } effect: { .ofLeast($0, $1, isLess: <) }
        compare("maxLength", \.maximumLength) { $0?.description } effect: { .ofLeast($0, $1, isLess: >) }
        compare("minimum", \.minimum) { $0?.description } effect: { .ofLeast($0, $1) { $0.isLess(than: $1) } }
        compare("maximum", \.maximum) { $0?.description } effect: { .ofLeast($0, $1) { $1.isLess(than: $0) } }
        compare("pattern", \.pattern) { $0?.text } effect: { .ofLeast($0, $1) { _, _ in nil } }
        compare("enum", \.allowedValues) { $0.isEmpty ? nil : $0.joined(separator: ", ") } effect: { before, after in
            .ofAllowed(before.isEmpty ? nil : Set(before), after.isEmpty ? nil : Set(after))
        }
        compare("characters", \.characters) { $0?.map(\.text).joined(separator: ", ") } effect: { before, after in
            .ofAllowed(before.map(Set.init), after.map(Set.init))
        }
        compare("requires", \.requirements) {
            $0.isEmpty ? nil : $0.map(\.rawValue).joined(separator: ", ")
        } effect: { before, after in
            // More that is required is less that is allowed.
            .ofAllowed(Set(after), Set(before))
        }
        compare("mask", \.mask) { $0?.pattern } effect: { .ofLeast($0, $1) { _, _ in nil } }
        compare("secret", \.isSecret) { "\($0)" } effect: { _, _ in .other }
        compare("formats", \.formats) { $0.map(\.pattern).joined(separator: ", ") } effect: { before, after in
            .ofAllowed(Set(before), Set(after))
        }
        compare("message", \.messages) { messages in
            messages.isEmpty ? nil : messages.map { "\($0.key.rawValue): \($0.value)" }.sorted().joined(separator: "; ")
        } effect: { _, _ in .none }
        compare("contentType", \.contentType) { $0 } effect: { _, _ in .none }
        return changes
    }

    /// The parts of a field's rules that two versions of it do not share, as a schema file names them.
    public func differences(from other: FieldRules) -> [String] { changes(from: other).map(\.rule) }
}

extension RuleChange.Effect {
    /// Of a rule that there need not be, and that is the stricter the more it says.
    ///
    /// - Parameter isLess: Whether one says less than another; nil where that cannot be told.
    fileprivate static func ofLeast<Value>(
        _ before: Value?, _ after: Value?, isLess: (Value, Value) -> Bool?
    ) -> RuleChange.Effect {
        guard let before else { return .stricter }
        guard let after else { return .looser }
        return isLess(before, after).map { $0 ? .stricter : .looser } ?? .other
    }

    /// Of a rule that lists what is allowed; nil allows anything.
    fileprivate static func ofAllowed<Value>(_ before: Set<Value>?, _ after: Set<Value>?) -> RuleChange.Effect {
        guard let before else { return .stricter }
        guard let after else { return .looser }
        if before == after { return .none }
        if after.isSubset(of: before) { return .stricter }
        return after.isSuperset(of: before) ? .looser : .other
    }
}

extension Bound {
    /// Nil where the two cannot be compared: of different types, or one of them is today.
    fileprivate func isLess(than other: Bound) -> Bool? {
        switch (self, other) {
        case (.integer(let one), .integer(let two)): one < two
        case (.number(let one), .number(let two)): one < two
        case (.day(let one), .day(let two)): one < two
        default: nil
        }
    }
}
