/// A part of the Table Schema specification that a store of profiles does not support.
public enum TableConstruct: String, Hashable, Sendable, CaseIterable {
    // Properties of a schema.
    /// The method that matches columns with fields. This project always matches columns with fields by name.
    case fieldsMatch
    /// A set of fields. No two rows may have the same values in all of these fields. In this project, a uniqueness rule
    /// applies to only one field.
    case uniqueKeys
    /// References to other tables. A store has only one table of profiles.
    case foreignKeys
    // Properties of a field.
    /// The list of values that a field allows. This project uses `enum` instead.
    case categories
    /// Whether the values in `categories` have an order.
    case categoriesOrdered
    // Constraints.
    /// An exclusive lower bound: values must be greater than the bound. The supported bound `minimum` is inclusive.
    case exclusiveMinimum
    /// An exclusive upper bound: values must be less than the bound. The supported bound `maximum` is inclusive.
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
    /// A date, datetime or time in any notation. A reader must guess the notation.
    case any
    /// A string that contains bytes in Base64.
    case binary

    /// Finds an unsupported part by the name of a property. Returns nil if the property is not an unsupported part.
    init?(property: String) {
        guard let known = Self(rawValue: property), Self.properties.contains(known) else { return nil }
        self = known
    }

    /// Finds an unsupported part by the name of a type. Returns nil if the type is not an unsupported part.
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
