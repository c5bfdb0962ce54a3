/// A part of the Table Schema specification that a store of profiles does not support.
public enum TableConstruct: String, Hashable, Sendable, CaseIterable {
    // Of a schema.
    /// How columns and fields are matched. This project always matches them by name.
    case fieldsMatch
    /// Fields whose combined values must be unique. In this project each unique field is unique by itself.
    case uniqueKeys
    /// References to other tables. A store has only one table of profiles.
    case foreignKeys
    // Of a field.
    /// The few values of a field. This project uses `enum`.
    case categories
    /// Whether those values have an order.
    case categoriesOrdered
    // Constraints.
    /// A bound that excludes itself; `minimum` includes itself.
    case exclusiveMinimum
    /// A bound that excludes itself; `maximum` includes itself.
    case exclusiveMaximum
    /// A JSON Schema for the value of an object or array.
    case jsonSchema
    // Types.
    /// A JSON object in one cell.
    case object
    /// A JSON array in one cell.
    case array
    /// Values with a delimiter between, in one cell.
    case list
    /// A month of a year: `2024-01`.
    case yearmonth
    /// A span of time in ISO 8601: `P1Y2M`.
    case duration
    /// A longitude and a latitude.
    case geopoint
    /// A shape on a map, as GeoJSON.
    case geojson
    // Formats.
    /// For a date, datetime or time: any notation, to be guessed.
    case any
    /// For a string: bytes in Base64.
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
