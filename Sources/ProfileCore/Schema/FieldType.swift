/// What kind of value a field holds (Table Schema's `type`).
public enum FieldType: String, Hashable, Sendable, CaseIterable {
    case string
    /// A 64-bit integer.
    case integer
    /// A finite IEEE 754 double.
    case number
    case boolean
    case date
    /// A day with a time of day.
    case dateTime = "datetime"
    case time
    /// A year of four digits.
    case year

    /// Those whose values are moments: they are written in ways that a schema may choose.
    static let moments: [FieldType] = [.date, .dateTime, .time]
}
