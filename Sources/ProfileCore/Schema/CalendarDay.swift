/// A day that exists in the proleptic Gregorian calendar, from 0001-01-01 to 9999-12-31.
public struct CalendarDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The year, 1 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int

    /// Creates a day. Returns nil if the calendar has no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard 1...9999 ~= year, 1...12 ~= month, day >= 1, day <= Self.length(ofMonth: month, in: year)
        else { return nil }
        self.init(known: year, month, day)
    }

    private init(known year: Int, _ month: Int, _ day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The last day, 9999-12-31. If this day is used as the current day, a maximum of `today` allows every day.
    package static let latest = CalendarDay(known: 9999, 12, 31)

    /// Creates the day in UTC that contains a time, given in seconds since 1970-01-01. Returns nil outside the years 1
    /// to 9999.
    ///
    /// The algorithm is Howard Hinnant's `civil_from_days`.
    public init?(secondsSince1970 seconds: Int64) {
        let (quotient, remainder) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let days = Int(remainder < 0 ? quotient - 1 : quotient)
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// The number of days since 1970-01-01. It is negative for earlier days.
    ///
    /// The algorithm is Howard Hinnant's `days_from_civil`.
    package var daysSince1970: Int {
        // In this calculation, a year begins in March. So the leap day is the last day of a year. The year is never
        // negative.
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Parses `yyyy-MM-dd`, the stored form of a day. Returns nil for any other text.
    public init?(iso text: String) {
        guard case .value(let day) = DateFormat.iso.read(Array(text.utf8).span) else { return nil }
        self = day
    }

    /// The day as `yyyy-MM-dd` (ISO 8601).
    public var description: String { DateFormat.iso.text(of: self) }

    public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    private static func length(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
