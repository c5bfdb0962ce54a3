/// The minimum or maximum of a field. It has the type of the field's values.
public enum Bound: Hashable, Sendable, CustomStringConvertible {
    /// A bound of an integer or year field.
    case integer(Int64)
    /// A bound of a number field.
    case number(Double)
    /// A bound of a date field.
    case day(CalendarDay)
    /// The current day, as a bound of a date field. It is the day on which the value is validated.
    case today
    /// A bound of a datetime field.
    case dateTime(DateTime)
    /// A bound of a time field.
    case time(TimeOfDay)

    /// The bound as a schema file writes it.
    public var description: String {
        switch self {
        case .integer(let value): String(value)
        case .number(let value): NumberText.canonical(value)
        case .day(let day): day.description
        case .today: "today"
        case .dateTime(let moment): moment.description
        case .time(let time): time.description
        }
    }

    /// Returns whether this bound is greater than `other`. If a field's minimum is greater than its maximum, the field
    /// allows no value.
    ///
    /// Returns nil if the bounds have different types, or if one of them is `today`.
    func isMore(than other: Bound) -> Bool? {
        switch (self, other) {
        case (.integer(let least), .integer(let most)): least > most
        case (.number(let least), .number(let most)): least > most
        case (.day(let least), .day(let most)): least > most
        case (.dateTime(let least), .dateTime(let most)): least > most
        case (.time(let least), .time(let most)): least > most
        default: nil
        }
    }
}
