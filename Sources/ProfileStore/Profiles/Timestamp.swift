internal import Platform
public import ProfileCore

/// A moment in UTC, to the millisecond.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Unix time in milliseconds.
    public let millisecondsSince1970: Int64

    /// Names a moment.
    public init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

    /// The system's clock.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The day in UTC.
    public var day: CalendarDay? { CalendarDay(secondsSince1970: seconds) }

    /// ISO 8601 with milliseconds: `2026-01-31T09:15:00.250Z`.
    public var description: String {
        let secondOfDay = Int(seconds - seconds.dividedDown(by: 86_400) * 86_400)
        let time = [secondOfDay / 3_600, secondOfDay / 60 % 60, secondOfDay % 60].map { Self.padded($0, 2) }
        let fraction = Self.padded(Int(millisecondsSince1970 &- seconds &* 1_000), 3)
        return "\(day?.description ?? "0000-00-00")T\(time.joined(separator: ":")).\(fraction)Z"
    }

    /// For people, to the second: `2026-01-31 09:15:00 UTC`.
    package var text: String { description.prefix(19).split(separator: "T").joined(separator: " ") + " UTC" }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// The moment so much later, or the last that there is.
    package func advanced(by duration: Duration) -> Timestamp { advanced(byMilliseconds: duration.wholeMilliseconds) }

    /// The moment so many milliseconds later, or the last that there is.
    package func advanced(byMilliseconds milliseconds: Int64) -> Timestamp {
        let (sum, isTooFar) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        return Timestamp(millisecondsSince1970: isTooFar ? milliseconds < 0 ? .min : .max : sum)
    }

    private var seconds: Int64 { millisecondsSince1970.dividedDown(by: 1_000) }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Timestamp: Encodable {
    /// Writes ``description``.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

extension Int64 {
    /// Division that rounds towards the past, also before 1970.
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Duration {
    /// In milliseconds, as far as a number of them can say it.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds.magnitude < 1 << 53 else { return seconds < 0 ? .min : .max }
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
