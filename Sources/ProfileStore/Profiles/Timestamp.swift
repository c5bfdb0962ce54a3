internal import Platform
public import ProfileCore

/// A time in UTC, in milliseconds.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Unix time in milliseconds.
    public let millisecondsSince1970: Int64

    /// Creates a time.
    public init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

    /// Creates a time from a day in UTC and a time on that day.
    package init(day: CalendarDay, millisecondOfDay: Int64) {
        self.init(millisecondsSince1970: Int64(day.daysSince1970) * 86_400_000 + millisecondOfDay)
    }

    /// Returns the time of the system's clock.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The day in UTC.
    public var day: CalendarDay? { CalendarDay(secondsSince1970: seconds) }

    /// ISO 8601 with milliseconds: `2026-01-31T09:15:00.250Z`.
    public var description: String {
        let seconds = seconds
        let day = day
        let secondOfDay = Int(seconds - seconds.dividedDown(by: 86_400) * 86_400)
        // Each written profile has two timestamps. If the code created a `String` for each part of a timestamp, writing
        // both timestamps would take longer than writing the rest of the profile.
        return String(unsafeUninitializedCapacity: 24) { text in
            var end = 0
            func add(_ number: Int, digits: Int, then separator: Unicode.Scalar) {
                var number = number
                for index in (end..<end + digits).reversed() {
                    text.initializeElement(at: index, to: UInt8(ascii: "0") + UInt8(number % 10))
                    number /= 10
                }
                text.initializeElement(at: end + digits, to: UInt8(ascii: separator))
                end += digits + 1
            }
            add(day?.year ?? 0, digits: 4, then: "-")
            add(day?.month ?? 0, digits: 2, then: "-")
            add(day?.day ?? 0, digits: 2, then: "T")
            add(secondOfDay / 3_600, digits: 2, then: ":")
            add(secondOfDay / 60 % 60, digits: 2, then: ":")
            add(secondOfDay % 60, digits: 2, then: ".")
            add(Int(millisecondsSince1970 &- seconds &* 1_000), digits: 3, then: "Z")
            return end
        }
    }

    /// A text for people, with the time in whole seconds: `2026-01-31 09:15:00 UTC`.
    package var text: String { description.prefix(19).split(separator: "T").joined(separator: " ") + " UTC" }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// Returns this time plus a duration. The result is limited to the first and the last possible time.
    package func advanced(by duration: Duration) -> Timestamp { advanced(byMilliseconds: duration.wholeMilliseconds) }

    /// Returns this time plus a number of milliseconds. The result is limited to the first and the last possible time.
    package func advanced(byMilliseconds milliseconds: Int64) -> Timestamp {
        let (sum, isTooFar) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        return Timestamp(millisecondsSince1970: isTooFar ? milliseconds < 0 ? .min : .max : sum)
    }

    private var seconds: Int64 { millisecondsSince1970.dividedDown(by: 1_000) }
}

extension Timestamp: JSONEncodable {
    /// The ``description`` as a string.
    public var json: JSONValue { .string(description) }
}

extension Int64 {
    /// Divides and rounds down. Times before 1970 are also rounded down.
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Duration {
    /// The duration in whole milliseconds, limited to the range of `Int64`.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds.magnitude < 1 << 53 else { return seconds < 0 ? .min : .max }
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
