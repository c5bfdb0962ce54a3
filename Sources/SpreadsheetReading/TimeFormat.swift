internal import ProfileCore

/// The parts of a date that a number format shows. A number with such a format is a date, a time or a duration.
struct TimeFormat: Hashable, Sendable {
    var hasDate = false
    var hasTime = false
    /// Whether the format shows the hours, minutes or seconds of a duration, as in `[h]:mm`.
    var isElapsed = false

    /// Reads the built-in format with a number (ECMA-376 part 1, 18.8.30). Returns nil if it is not a format of dates or
    /// times, or if the workbook must define it.
    init?(builtIn number: Int) {
        switch number {
        case 14...17, 27...31, 34...36, 50...58: hasDate = true
        case 18...21, 32, 33, 45, 47: hasTime = true
        case 22: (hasDate, hasTime) = (true, true)
        case 46: (hasTime, isElapsed) = (true, true)
        default: return nil
        }
    }

    /// Reads a format code such as `yyyy\-mm\-dd hh:mm`. Returns nil if the format shows neither a date nor a time.
    ///
    /// Only the first section counts, which is that of positive numbers.
    init?(code: String) {
        let bytes = Array(code.utf8)
        var hasMonthOrMinute = false
        var index = 0
        scan: while index < bytes.count {
            let byte = bytes[index] | 0x20
            switch bytes[index] {
            case UInt8(ascii: ";"): break scan
            case UInt8(ascii: "\""):
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") { index += 1 }
            // `\` makes the next character literal text. `_` shows a space as wide as the next character. `*` repeats
            // the next character.
            case UInt8(ascii: "\\"), UInt8(ascii: "_"), UInt8(ascii: "*"): index += 1
            case UInt8(ascii: "["):
                let content = bytes[(index + 1)...].prefix { $0 != UInt8(ascii: "]") }
                index += content.count + 1
                // Other brackets hold a colour, a condition, or a currency with a language.
                if let first = content.first, content.allSatisfy({ $0 | 0x20 == first | 0x20 }),
                    "hms".utf8.contains(first | 0x20)
                {
                    (hasTime, isElapsed) = (true, true)
                }
            default:
                switch byte {
                case UInt8(ascii: "g") where Self.has("general", in: bytes, at: index): index += 6
                // Chinese programs write the general format as `G/` and a word. A `g` for an era has no slash after it.
                case UInt8(ascii: "g") where Self.has("g/", in: bytes, at: index): break
                case UInt8(ascii: "a") where Self.has("am/pm", in: bytes, at: index): index += 4
                case UInt8(ascii: "a") where Self.has("a/p", in: bytes, at: index): index += 2
                case UInt8(ascii: "e") where index + 1 < bytes.count && "+-".utf8.contains(bytes[index + 1]):
                    // An exponent, as in `0.00E+00`.
                    index += 1
                case UInt8(ascii: "y"), UInt8(ascii: "d"), UInt8(ascii: "e"), UInt8(ascii: "b"), UInt8(ascii: "g"):
                    hasDate = true
                case UInt8(ascii: "h"), UInt8(ascii: "s"): hasTime = true
                case UInt8(ascii: "m"): hasMonthOrMinute = true
                default: break
                }
            }
            index += 1
        }
        // Beside hours or seconds, the letter m stands for minutes.
        if hasMonthOrMinute, !hasTime { hasDate = true }
        if !hasDate, !hasTime { return nil }
    }

    private static func has(_ word: String, in bytes: [UInt8], at index: Int) -> Bool {
        let word = Array(word.utf8)
        return index + word.count <= bytes.count
            && word.indices.allSatisfy { bytes[index + $0] | 0x20 == word[$0] | 0x20 }
    }
}

/// The first day of the serial numbers that a workbook stores for dates.
enum DateSystem: Sendable {
    /// The number 1 is the 1st of January 1900. The number 60 is the 29th of February 1900, a day that did not exist.
    case from1900
    /// The number 0 is the 1st of January 1904. Excel for the Macintosh introduced it.
    case from1904

    /// Appends the date, the time or the duration that a number stands for. Returns false, and appends nothing, if the
    /// number is outside the years 1900 to 9999.
    func append(_ number: Double, _ format: TimeFormat, to text: inout [UInt8]) -> Bool {
        guard number.isFinite, 0..<2_958_466 ~= number else { return false }
        // Excel calculates with milliseconds. The number is more precise than a millisecond, so it is rounded.
        let total = Int((number * 86_400_000).rounded())
        let (days, milliseconds) = total.quotientAndRemainder(dividingBy: 86_400_000)
        if format.isElapsed {
            Self.append(time: total, to: &text)
            return true
        }
        if self == .from1900, days == 0 ? format.hasTime || milliseconds > 0 : !format.hasDate && number < 1 {
            Self.append(time: milliseconds, to: &text)
            return true
        }
        if self == .from1904, !format.hasDate, days == 0 {
            Self.append(time: milliseconds, to: &text)
            return true
        }
        guard let day = day(days) else { return false }
        Self.append(date: day, to: &text)
        if format.hasTime || milliseconds > 0 {
            text.append(UInt8(ascii: "T"))
            Self.append(time: milliseconds, to: &text)
        }
        return true
    }

    private func day(_ number: Int) -> (year: Int, month: Int, day: Int)? {
        switch (self, number) {
        // Excel shows these two days, which no calendar has.
        case (.from1900, 0): (1900, 1, 0)
        case (.from1900, 60): (1900, 2, 29)
        case (.from1900, 1..<60): Self.civil(daysSince1970: number - 25_568)
        case (.from1900, _): Self.civil(daysSince1970: number - 25_569)
        case (.from1904, _): Self.civil(daysSince1970: number - 24_107)
        }
    }

    private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int)? {
        CalendarDay(secondsSince1970: Int64(days) * 86_400).map { ($0.year, $0.month, $0.day) }
    }

    private static func append(date: (year: Int, month: Int, day: Int), to text: inout [UInt8]) {
        append(date.year, digits: 4, to: &text)
        text.append(UInt8(ascii: "-"))
        append(date.month, digits: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        append(date.day, digits: 2, to: &text)
    }

    /// Appends hours, minutes and seconds. A duration may have more than 24 hours.
    static func append(time milliseconds: Int, to text: inout [UInt8]) {
        append(milliseconds / 3_600_000, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(milliseconds / 60_000 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(milliseconds / 1_000 % 60, digits: 2, to: &text)
        guard milliseconds % 1_000 != 0 else { return }
        text.append(UInt8(ascii: "."))
        append(milliseconds % 1_000, digits: 3, to: &text)
        while text.last == UInt8(ascii: "0") { text.removeLast() }
    }

    private static func append(_ number: Int, digits: Int, to text: inout [UInt8]) {
        var scale = 1
        for _ in 1..<digits { scale *= 10 }
        if number / scale >= 10 {
            text += Array("\(number)".utf8)
            return
        }
        while scale > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number / scale % 10))
            scale /= 10
        }
    }
}
