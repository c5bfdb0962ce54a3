/// A day and a time of day, of UTC or of a place that is not said.
public struct DateTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The day; that of UTC where the time is of UTC.
    public let day: CalendarDay
    /// The time on that day; it says whether it is of UTC.
    public let time: TimeOfDay

    /// A moment as it stands in a calendar and on a clock.
    public init(day: CalendarDay, time: TimeOfDay) {
        self.day = day
        self.time = time
    }

    /// Parses `yyyy-MM-ddThh:mm:ss`, with a fraction and a time zone if need be (ISO 8601); a space may stand for the `T`.
    public init?(iso text: String) {
        guard case .value(let moment) = Self.read(text.utf8Span.span) else { return nil }
        self = moment
    }

    /// The moment in UTC, of a time that is so many minutes ahead of it; nil outside the years 1 to 9999.
    init?(day: CalendarDay, time: TimeOfDay, offset: Int) {
        let (time, days) = time.inUTC(offset: offset)
        guard let day = days == 0 ? day : CalendarDay(secondsSince1970: Int64(day.daysSince1970 + days) * 86_400)
        else { return nil }
        self.init(day: day, time: time)
    }

    /// `yyyy-MM-ddThh:mm:ss`, a fraction where there is one, and `Z` for UTC.
    public var description: String { "\(day)T\(time)" }

    /// Times of UTC and of nowhere are compared as they stand.
    public static func < (left: DateTime, right: DateTime) -> Bool {
        left.day == right.day ? left.time < right.time : left.day < right.day
    }

    /// Reads ISO 8601.
    static func read(_ text: Span<UInt8>) -> DateFormat.Reading<DateTime> {
        guard text.count >= 19, text[10] | 0x20 == UInt8(ascii: "t") || text[10] == 0x20,
            let (time, offset) = TimeOfDay.parts(text.extracting(11..<text.count))
        else { return .otherFormat }
        switch DateFormat.iso.read(text.extracting(0..<10)) {
        case .otherFormat: return .otherFormat
        case .noSuchDay: return .noSuchDay
        case .value(let day):
            guard let offset else { return .value(DateTime(day: day, time: time)) }
            return DateTime(day: day, time: time, offset: offset).map { .value($0) } ?? .noSuchDay
        }
    }
}
