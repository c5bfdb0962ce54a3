/// A part of the Table Schema specification that a store of profiles has no place for.
public enum TableConstruct: String, Hashable, Sendable, CaseIterable {
    // Of a schema.
    case fieldsMatch
    case uniqueKeys
    case foreignKeys
    // Of a field.
    case categories
    case categoriesOrdered
    // Constraints.
    case exclusiveMinimum
    case exclusiveMaximum
    case jsonSchema
    // Types.
    case object
    case array
    case list
    case yearmonth
    case duration
    case geopoint
    case geojson
    // Formats.
    case any
    case binary

    /// By the name of a property.
    init?(property: String) {
        guard let known = Self(rawValue: property), Self.properties.contains(known) else { return nil }
        self = known
    }

    /// By the name of a type.
    init?(type: String) {
        guard let known = Self(rawValue: type), Self.types.contains(known) else { return nil }
        self = known
    }

    private static let properties: Set<TableConstruct> = [
        .fieldsMatch, .uniqueKeys, .foreignKeys, .categories, .categoriesOrdered, .exclusiveMinimum, .exclusiveMaximum,
        .jsonSchema,
    ]
    private static let types: Set<TableConstruct> = [
        .object, .array, .list, .yearmonth, .duration, .geopoint, .geojson,
    ]
}
