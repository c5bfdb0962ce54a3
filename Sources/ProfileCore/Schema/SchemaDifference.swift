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
}

extension FieldRules {
    /// The parts of a field's rules that two versions of it do not share, as a schema file names them.
    public func differences(from other: FieldRules) -> [String] {
        var names: [String] = []
        if title != other.title { names.append("title") }
        if type != other.type { names.append("type") }
        if isPrimaryKey != other.isPrimaryKey { names.append("primaryKey") }
        if isRequired != other.isRequired { names.append("required") }
        if isUnique != other.isUnique { names.append("unique") }
        if minimumLength != other.minimumLength { names.append("minLength") }
        if maximumLength != other.maximumLength { names.append("maxLength") }
        if minimum != other.minimum { names.append("minimum") }
        if maximum != other.maximum { names.append("maximum") }
        if pattern != other.pattern { names.append("pattern") }
        if allowedValues != other.allowedValues { names.append("enum") }
        if characters != other.characters { names.append("characters") }
        if requirements != other.requirements { names.append("requires") }
        if mask != other.mask { names.append("mask") }
        if isSecret != other.isSecret { names.append("secret") }
        if formats != other.formats { names.append("formats") }
        if stringFormat != other.stringFormat { names.append("format") }
        if missingValues != other.missingValues { names.append("missingValues") }
        if trueValues != other.trueValues { names.append("trueValues") }
        if falseValues != other.falseValues { names.append("falseValues") }
        if numberFormat.decimalCharacter != other.numberFormat.decimalCharacter { names.append("decimalChar") }
        if numberFormat.groupCharacter != other.numberFormat.groupCharacter { names.append("groupChar") }
        if numberFormat.isBare != other.numberFormat.isBare { names.append("bareNumber") }
        if isIndexed != other.isIndexed { names.append("indexed") }
        if columns != other.columns { names.append("columns") }
        if hashColumns != other.hashColumns { names.append("hashColumns") }
        if messages != other.messages { names.append("message") }
        if contentType != other.contentType { names.append("contentType") }
        return names
    }
}
