/// The type of a field's values (Table Schema's `type`).
public enum FieldType: String, Hashable, Sendable, CaseIterable {
    /// Text. A schema may limit the length and the characters of a text.
    case string
    /// A 64-bit integer.
    case integer
    /// A finite IEEE 754 double.
    case number
    /// True or false. A schema may choose the words for true and false.
    case boolean
    /// A day without a time, stored as `yyyy-MM-dd`.
    case date
    /// A day with a time of day.
    case dateTime = "datetime"
    /// A time of day without a day, stored as `hh:mm:ss`.
    case time
    /// A year of four digits.
    case year

    /// The types of dates and times. A schema may set the formats of their values.
    static let moments: [FieldType] = [.date, .dateTime, .time]
}
