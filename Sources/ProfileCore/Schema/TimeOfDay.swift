/// A time of day with nanoseconds, in UTC or without a time zone.
public struct TimeOfDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The hour, 0 to 23.
    public let hour: Int
    /// The minute, 0 to 59.
    public let minute: Int
    /// The second, 0 to 59.
    public let second: Int
    /// The nanosecond, 0 to 999,999,999.
    public let nanosecond: Int
    /// Whether the time is in UTC. False if the time has no time zone.
    public let isUTC: Bool

    /// Creates a time, or returns nil if a component is out of range.
    public init?(hour: Int, minute: Int, second: Int = 0, nanosecond: Int = 0, isUTC: Bool = false) {
        guard 0..<24 ~= hour, 0..<60 ~= minute, 0..<60 ~= second, 0..<1_000_000_000 ~= nanosecond else { return nil }
        self.init(known: (hour * 60 + minute) * 60 + second, nanosecond, isUTC)
    }

    private init(known seconds: Int, _ nanosecond: Int, _ isUTC: Bool) {
        hour = seconds / 3_600
        minute = seconds / 60 % 60
        second = seconds % 60
        self.nanosecond = nanosecond
        self.isUTC = isUTC
    }

    /// Parses `hh:mm:ss` (ISO 8601), with an optional fraction and time zone. Returns nil for any other text.
    public init?(iso text: String) {
        guard case .value(let time) = Self.read(text.utf8Span.span) else { return nil }
        self = time
    }

    /// The text `hh:mm:ss`. If the fraction is not zero, the text includes it. If the time is in UTC, the text ends
    /// with `Z`.
    public var description: String {
        var text = ""
        for (number, separator) in [(hour, ":"), (minute, ":"), (second, "")] {
            text += (number < 10 ? "0" : "") + String(number) + separator
        }
        if nanosecond > 0 {
            var digits = String(1_000_000_000 + nanosecond).dropFirst()
            while digits.last == "0" { digits.removeLast() }
            text += "." + digits
        }
        return isUTC ? text + "Z" : text
    }

    /// Compares the times. The comparison ignores ``isUTC``.
    public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
        (left.secondOfDay, left.nanosecond) < (right.secondOfDay, right.nanosecond)
    }

    var secondOfDay: Int { (hour * 60 + minute) * 60 + second }

    /// Converts a time to UTC. `minutes` is the time's offset from UTC, positive if the time is ahead of UTC. `days` is
    /// the number of days to add to the date: -1, 0 or 1.
    func inUTC(offset minutes: Int) -> (time: TimeOfDay, days: Int) {
        let seconds = secondOfDay - minutes * 60
        let days = seconds < 0 ? -1 : seconds >= 86_400 ? 1 : 0
        return (TimeOfDay(known: seconds - days * 86_400, nanosecond, true), days)
    }

    /// Reads ISO 8601. If the text has a time zone, the result is converted to UTC.
    static func read(_ text: Span<UInt8>) -> DateFormat.Reading<TimeOfDay> {
        guard let (time, offset) = parts(text) else { return .otherFormat }
        return .value(offset.map { time.inUTC(offset: $0).time } ?? time)
    }

    /// Reads a time of ISO 8601 in the form `hh:mm:ss`. A fraction of at most nine digits and a time zone may follow.
    /// Returns the time as written, and its offset from UTC in minutes. If the text has no time zone, the offset is nil.
    /// If the text has another form, the whole result is nil.
    static func parts(_ text: Span<UInt8>) -> (time: TimeOfDay, offset: Int?)? {
        guard text.count >= 8, text[2] == UInt8(ascii: ":"), text[5] == UInt8(ascii: ":"),
            let hour = text.digits(0..<2), let minute = text.digits(3..<5), let second = text.digits(6..<8)
        else { return nil }
        var index = 8
        var nanosecond = 0
        if index < text.count, text[index] == UInt8(ascii: ".") || text[index] == UInt8(ascii: ",") {
            let start = index + 1
            index = start
            while index < text.count, text[index].isASCIIDigit { index += 1 }
            // A fraction of more than nine digits is refused, because the digits after the ninth would be lost.
            guard 1...9 ~= index - start, let digits = text.digits(start..<index) else { return nil }
            nanosecond = (index - start..<9).reduce(digits) { value, _ in value * 10 }
        }
        guard let time = TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond) else {
            return nil
        }
        if index == text.count { return (time, nil) }
        guard let offset = Self.offset(text.extracting(index..<text.count)) else { return nil }
        return (time, offset)
    }

    /// Reads a time zone: `Z`, or a sign (`+` or `-`) that is followed by `hh`, `hhmm` or `hh:mm`. Returns the offset
    /// from UTC in minutes, or nil if the text is not a time zone.
    static func offset(_ text: Span<UInt8>) -> Int? {
        if text.count == 1 { return text[0] | 0x20 == UInt8(ascii: "z") ? 0 : nil }
        guard text.count >= 3, text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"),
            let hours = text.digits(1..<3), hours < 24
        else { return nil }
        var minutes = 0
        if text.count > 3 {
            let start = text[3] == UInt8(ascii: ":") ? 4 : 3
            guard text.count == start + 2, let given = text.digits(start..<start + 2), given < 60 else { return nil }
            minutes = given
        }
        return (text[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
    }
}

extension Span<UInt8> {
    /// Returns the decimal number in a range of the text. Returns nil if the range contains a byte that is not an ASCII
    /// digit.
    func digits(_ range: Range<Int>) -> Int? {
        var value = 0
        for index in range {
            guard self[index].isASCIIDigit else { return nil }
            value = value * 10 + Int(self[index] &- 0x30)
        }
        return value
    }
}
