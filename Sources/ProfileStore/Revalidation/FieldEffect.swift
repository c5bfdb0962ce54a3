package import ProfileCore

/// The effect of a schema on the stored values of one field.
package struct FieldEffect: Sendable {
    package enum Kind: String, Sendable {
        /// The schema does not have the field. The store keeps the values, but does not read them.
        case unread
        /// The stored form of the values changes.
        case retyped
        /// The schema adds the field, and an earlier field of the same name was removed. The store keeps the values of
        /// the earlier field, but does not read them.
        case formerUnread = "former_unread"
    }

    package let kind: Kind
    /// The name of the field in the new schema; for a removed field, its name in the schema in force.
    package let field: FieldName
    /// The number of profiles that have a value. For ``Kind/retyped``, the number of values that need a conversion.
    package private(set) var values = 0
    /// The number of values that cannot be converted.
    package private(set) var failing = 0
    /// The first value that cannot be converted.
    package private(set) var example: String?
    /// The rules by which the values are read.
    let rules: FieldRules
    /// The position of the field in the new schema; nil unless the kind is ``Kind/retyped``.
    private let position: Int?

    private init(_ kind: Kind, _ field: FieldName, _ rules: FieldRules, position: Int? = nil) {
        self.kind = kind
        self.field = field
        self.rules = rules
        self.position = position
    }

    /// Counts a stored value.
    mutating func count(
        _ value: Span<UInt8>, judgedBy version: Int, by validator: ProfileValidator, _ conversion: ValueConversion
    ) {
        guard let position else {
            values += 1
            return
        }
        let reading = conversion.reading(ofField: position, judgedBy: version, hasIssue: true)
        guard reading != .stored else { return }
        values += 1
        var isTaken = false
        reading.judge(value) { isTaken = validator.takes($0, index: position, as: $1) }
        guard !isTaken else { return }
        failing += 1
        if example == nil { example = String(reporting: value) }
    }

    /// Returns the effects that a schema may have, before any value is counted.
    ///
    /// - Parameters:
    ///   - schema: The schema, with the columns that its fields would get.
    ///   - inForce: The schema in force.
    ///   - earlier: The schemas before the schema in force, oldest first.
    ///   - conversion: The conversion to the schema.
    /// - Returns: An effect for each field that may have values that the schema does not read, or values that need a
    ///   conversion.
    static func possible(
        of schema: ProfileSchema, on inForce: ProfileSchema, _ earlier: ArraySlice<AdoptedSchema>,
        _ conversion: ValueConversion
    ) -> [FieldEffect] {
        let columns = Set(schema.openFields.map(\.column))
        let removed = inForce.openFields.filter { !columns.contains($0.column) }
        var effects = removed.map { FieldEffect(.unread, $0.name, $0) }
        for (index, field) in schema.fields.enumerated() where !field.isSecret {
            if let before = inForce.openFields.first(where: { $0.column == field.column }) {
                guard conversion.mayChange(field: index) else { continue }
                effects.append(FieldEffect(.retyped, field.name, before, position: index))
            } else if let former = earlier.reversed().lazy.compactMap({ $0.schema[field.name] }).first,
                !columns.contains(former.column), !removed.contains(where: { $0.column == former.column })
            {
                effects.append(FieldEffect(.formerUnread, field.name, former))
            }
        }
        return effects
    }
}
