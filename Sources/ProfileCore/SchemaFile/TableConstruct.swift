/// A part of the Table Schema specification that a store of profiles does not support.
public enum TableConstruct: String, Hashable, Sendable, CaseIterable {
    // Properties of a schema.
    /// How columns and fields are matched. This project always matches them by name.
    case fieldsMatch
    /// Fields whose combined values must be unique. In this project each unique field is unique by itself.
    case uniqueKeys
    /// References to other tables. A store has only one table of profiles.
    case foreignKeys
    // Properties of a field.
    /// The few values of a field. This project uses `enum`.
    case categories
    /// Whether those values have an order.
    case categoriesOrdered
    // Constraints.
    /// A lower bound that is not an allowed value; `minimum` is an allowed value.
    case exclusiveMinimum
    /// An upper bound that is not an allowed value; `maximum` is an allowed value.
    case exclusiveMaximum
    /// A JSON Schema for the value of an object or array.
    case jsonSchema
    // Types.
    /// A JSON object in one cell.
    case object
    /// A JSON array in one cell.
    case array
    /// Values in one cell, with a delimiter between them.
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
    /// For a date, datetime or time: any notation, which a reader must guess.
    case any
    /// For a string: bytes in Base64.
    case binary

    /// Finds a part by the name of a property; nil if there is none.
    init?(property: String) {
        guard let known = Self(rawValue: property), Self.properties.contains(known) else { return nil }
        self = known
    }

    /// Finds a part by the name of a type; nil if there is none.
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
