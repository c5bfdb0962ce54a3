/// What kind of value a field holds (Table Schema's `type`).
public enum FieldType: String, Hashable, Sendable, CaseIterable {
    /// Text, whose length and characters a schema may limit.
    case string
    /// A 64-bit integer.
    case integer
    /// A finite IEEE 754 double.
    case number
    /// True or false; how they are written, a schema may choose.
    case boolean
    /// A day without a time, stored as `yyyy-MM-dd`.
    case date
    /// A day with a time of day.
    case dateTime = "datetime"
    /// A time of day without a day, stored as `hh:mm:ss`.
    case time
    /// A year of four digits.
    case year

    /// Those whose values are moments: they are written in ways that a schema may choose.
    static let moments: [FieldType] = [.date, .dateTime, .time]
}
