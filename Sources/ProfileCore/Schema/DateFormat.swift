/// A format of text for dates, times, or dates with times.
///
/// There are two notations. The first notation belongs to this package and is only for dates: `yyyy`, `MM` and `dd`,
/// each once, with ASCII punctuation or spaces between them. Each letter stands for one digit in the text. The second
/// notation comes from Table Schema. It is a pattern for Python's `strptime`, such as `%d/%m/%Y`. With such a pattern,
/// a day, month, hour, minute or second may have only one digit in the text.
public struct DateFormat: Hashable, Sendable, CustomStringConvertible {
    /// The format as a schema file writes it, such as `dd.MM.yyyy`.
    public let pattern: String
    /// The bytes of a pattern in the notation of this package: `y`, `M` and `d` each stand for a digit, and all other
    /// bytes are literal. If the pattern is for `strptime`, this is empty.
    private let bytes: [UInt8]
    /// The parsed pattern for `strptime`. Nil if the pattern has the notation of this package.
    private let directives: TimePattern?
    let isISO: Bool

    /// The format of stored and exchanged days, `yyyy-MM-dd` (ISO 8601).
    public static let iso = DateFormat(known: "yyyy-MM-dd")
    static let dotted = DateFormat(known: "yyyy.MM.dd")
    static let digits = DateFormat(known: "yyyyMMdd")

    /// The maximum length of a format in bytes. Real date formats are much shorter.
    public static let longestLength = 32

    /// Creates a format for dates.
    ///
    /// Returns nil if a part is missing or repeated. Also returns nil if the pattern begins or ends with a space, or is
    /// longer than ``longestLength``. A pattern without `%` must not contain any other letter or digit. A pattern with
    /// `%` may contain a time. The time is read but not stored.
    public init?(_ pattern: String) { self.init(pattern, of: .date) }

    /// Creates a format for dates, times, or dates with times. If the format contains a time, it must be a pattern with
    /// `%`.
    ///
    /// If `isWritten`, the format is only for writing, and a pattern may have directives such as `%-d`; see
    /// ``FieldRules/written``.
    package init?(_ pattern: String, of type: FieldType, isWritten: Bool = false) {
        guard pattern.utf8.count <= Self.longestLength else { return nil }
        if type == .date, Self.isComplete(pattern) {
            self.init(known: pattern)
        } else {
            guard let directives = TimePattern(pattern, isWritten: isWritten), directives.isComplete(for: type)
            else { return nil }
            self.init(pattern: pattern, bytes: [], directives: directives)
        }
    }

    private static func isComplete(_ pattern: String) -> Bool {
        var parts: [String] = []
        var rest = pattern.utf8[...]
        while let byte = rest.first {
            if let part = Self.parts.first(where: { rest.starts(with: $0.utf8) }) {
                parts.append(part)
                rest = rest.dropFirst(part.utf8.count)
            } else {
                guard 0x20...0x7E ~= byte, !byte.isASCIILetter, !byte.isASCIIDigit else { return false }
                rest = rest.dropFirst()
            }
        }
        return parts.sorted() == Self.parts && pattern.first != " " && pattern.last != " "
    }

    /// The parts of a pattern in the notation of this package, in sorted order.
    private static let parts = ["MM", "dd", "yyyy"]

    private init(known pattern: String) {
        self.init(pattern: pattern, bytes: Array(pattern.utf8), directives: nil)
    }

    private init(pattern: String, bytes: [UInt8], directives: TimePattern?) {
        self.pattern = pattern
        self.bytes = bytes
        self.directives = directives
        isISO = pattern == "yyyy-MM-dd"
    }

    /// Whether this is a pattern for `strptime`. Only such patterns can be written as a `format` of Table Schema.
    var isTablePattern: Bool { directives != nil }

    /// Whether the same text may fit both formats.
    func looksLike(_ other: DateFormat) -> Bool {
        guard directives == nil, other.directives == nil else { return shape == other.shape }
        return bytes.elementsEqual(other.bytes) { $0 == $1 || $0.isASCIILetter && $1.isASCIILetter }
    }

    /// The shape of all texts in this format. In the shape, a single 9 stands for each group of digits. All other bytes
    /// are unchanged.
    private var shape: [UInt8] {
        directives?.shape ?? TimePattern.collapsed(bytes.map { $0.isASCIILetter ? UInt8(ascii: "9") : $0 })
    }

    /// The maximum length in bytes of a text in this format.
    var length: Int { directives?.longestLength ?? bytes.count }

    public var description: String { pattern }

    /// The result of reading a text with one format.
    package enum Reading<Value: Hashable & Sendable>: Hashable, Sendable {
        /// The text does not have this format.
        case otherFormat
        /// The text has this format, but the calendar has no such day.
        case noSuchDay
        case value(Value)
    }

    /// Reads a day.
    package func read(_ text: Span<UInt8>) -> Reading<CalendarDay> {
        // All `strptime` formats are handled here, because their `bytes` are empty, and a value is never empty.
        guard text.count == bytes.count else { return directives.map { Self.read(text, $0) } ?? .otherFormat }
        var year = 0
        var month = 0
        var day = 0
        for index in bytes.indices {
            let digit = Int(text[index] &- 0x30)
            switch bytes[index] {
            case UInt8(ascii: "y"): year = year * 10 + digit
            case UInt8(ascii: "M"): month = month * 10 + digit
            case UInt8(ascii: "d"): day = day * 10 + digit
            case text[index]: continue
            default: return .otherFormat
            }
            guard digit < 10 else { return .otherFormat }
        }
        return CalendarDay(year: year, month: month, day: day).map { .value($0) } ?? .noSuchDay
    }

    private static func read(_ text: Span<UInt8>, _ directives: TimePattern) -> Reading<CalendarDay> {
        guard let parts = directives.read(text) else { return .otherFormat }
        return parts.day.map { .value($0) } ?? .noSuchDay
    }

    /// Reads a day with a time of day. If the text has a time zone, the result is converted to UTC.
    package func readDateTime(_ text: Span<UInt8>) -> Reading<DateTime> {
        guard let parts = directives?.read(text), let time = parts.time else { return .otherFormat }
        guard let day = parts.day else { return .noSuchDay }
        guard let offset = parts.offset else { return .value(DateTime(day: day, time: time)) }
        return DateTime(day: day, time: time, offset: offset).map { .value($0) } ?? .noSuchDay
    }

    /// Reads a time of day. If the text has a time zone, the result is converted to UTC.
    package func readTime(_ text: Span<UInt8>) -> Reading<TimeOfDay> {
        guard let parts = directives?.read(text), let time = parts.time else { return .otherFormat }
        return .value(parts.offset.map { time.inUTC(offset: $0).time } ?? time)
    }

    /// Returns the text of a day in this format.
    public func text(of day: CalendarDay) -> String {
        if let directives { return directives.text(of: day, nil) }
        return String(unsafeUninitializedCapacity: bytes.count) { text in
            var year = day.year
            var month = day.month
            var day = day.day
            // The digits are written from the last to the first, because a division returns the last digit.
            for index in bytes.indices.reversed() {
                let byte =
                    switch bytes[index] {
                    case UInt8(ascii: "y"): Self.takeLastDigit(of: &year)
                    case UInt8(ascii: "M"): Self.takeLastDigit(of: &month)
                    case UInt8(ascii: "d"): Self.takeLastDigit(of: &day)
                    case let literal: literal
                    }
                text.initializeElement(at: index, to: byte)
            }
            return bytes.count
        }
    }

    /// Returns the text of a stored date, datetime or time in this format.
    ///
    /// Returns nil if the format omits a part of the value, such as the century. If such a text were read again, the
    /// result would be a different value.
    func typedForm(of stored: String, _ type: FieldType) -> String? {
        switch type {
        case .date:
            guard let day = CalendarDay(iso: stored) else { return nil }
            let text = text(of: day)
            return read(text.utf8Span.span) == .value(day) ? text : nil
        case .dateTime:
            guard let moment = DateTime(iso: stored), let directives else { return nil }
            let text = directives.text(of: moment.day, moment.time)
            return readDateTime(text.utf8Span.span) == .value(moment) ? text : nil
        case .time:
            guard let time = TimeOfDay(iso: stored), let directives else { return nil }
            let text = directives.text(of: .latest, time)
            return readTime(text.utf8Span.span) == .value(time) ? text : nil
        default: return nil
        }
    }

    /// An example of a text in this format, for people who do not know the directives of `strptime`. It shows the last
    /// day of 2020, one minute before midnight.
    ///
    /// The number 31 cannot be a month, so people can recognize the day. Nil for the notation of this package, because
    /// it needs no example.
    fileprivate var example: String? {
        directives.flatMap { directives in
            guard let day = CalendarDay(year: 2020, month: 12, day: 31) else { return nil }
            return directives.text(of: day, TimeOfDay(hour: 23, minute: 59))
        }
    }

    private static func takeLastDigit(of number: inout Int) -> UInt8 {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: 10)
        number = quotient
        return 0x30 + UInt8(truncatingIfNeeded: remainder)
    }
}

extension [DateFormat] {
    /// A description of the formats for a message: `as yyyy-MM-dd or like 12/31/2020`.
    package var ways: String {
        let patterns = filter { $0.example == nil }.map(\.pattern)
        let examples = compactMap(\.example)
        return [("as ", patterns), ("like ", examples)].filter { !$0.1.isEmpty }
            .map { $0 + $1.listed("or") }.joined(separator: " or ")
    }
}
