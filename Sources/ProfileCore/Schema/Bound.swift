/// A least or greatest value, of the field's own type.
public enum Bound: Hashable, Sendable, CustomStringConvertible {
    /// Of an integer or year field.
    case integer(Int64)
    /// Of a number field.
    case number(Double)
    /// Of a date field.
    case day(CalendarDay)
    /// The day on which the value is judged; of a date field.
    case today
    /// Of a datetime field.
    case dateTime(DateTime)
    /// Of a time field.
    case time(TimeOfDay)

    /// As a schema file writes it.
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

    /// Whether no value can be at least this and at most another bound; nil where that cannot be told, since they are of
    /// different types, or one of them is today.
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
