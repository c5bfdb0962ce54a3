/// A day and a time of day, in UTC or without a time zone.
public struct DateTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The day. If the time is in UTC, the day is also in UTC.
    public let day: CalendarDay
    /// The time on that day. Its ``TimeOfDay/isUTC`` is true if the day and the time are in UTC.
    public let time: TimeOfDay

    /// Creates a value from a day and a time.
    public init(day: CalendarDay, time: TimeOfDay) {
        self.day = day
        self.time = time
    }

    /// Parses `yyyy-MM-ddThh:mm:ss` (ISO 8601), with an optional fraction and time zone. Returns nil for any other
    /// text.
    ///
    /// A space is accepted instead of the `T`.
    public init?(iso text: String) {
        guard case .value(let moment) = Self.read(text.utf8Span.span) else { return nil }
        self = moment
    }

    /// Converts a local day and time to UTC. The local time is `offset` minutes ahead of UTC. Returns nil outside the
    /// years 1 to 9999.
    init?(day: CalendarDay, time: TimeOfDay, offset: Int) {
        let (time, days) = time.inUTC(offset: offset)
        guard let day = days == 0 ? day : CalendarDay(secondsSince1970: Int64(day.daysSince1970 + days) * 86_400)
        else { return nil }
        self.init(day: day, time: time)
    }

    /// The text `yyyy-MM-ddThh:mm:ss`. If the time has a fraction of a second, the fraction follows. If the time is in
    /// UTC, `Z` follows.
    public var description: String { "\(day)T\(time)" }

    /// Compares first the days and then the times. The comparison ignores ``TimeOfDay/isUTC``.
    public static func < (left: DateTime, right: DateTime) -> Bool {
        left.day == right.day ? left.time < right.time : left.day < right.day
    }

    /// Reads ISO 8601. If the text has a time zone, the result is converted to UTC.
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
