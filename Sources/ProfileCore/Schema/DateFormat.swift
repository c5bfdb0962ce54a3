/// One way in which a date, a time or both may be written.
///
/// There are two notations. Ours is for dates: `yyyy`, `MM` and `dd`, each once, with ASCII punctuation or spaces between,
/// and as many digits as there are letters. The other is what Table Schema has, a pattern for Python's `strptime` such as
/// `%d/%m/%Y`, in which days, months and hours may be written with one digit.
public struct DateFormat: Hashable, Sendable, CustomStringConvertible {
    /// As a schema file writes it, such as `dd.MM.yyyy`.
    public let pattern: String
    /// In our notation, the pattern's bytes: `y`, `M` and `d` stand for a digit each, all else for itself. Empty in the other.
    private let bytes: [UInt8]
    /// In the notation of `strptime`.
    private let directives: TimePattern?
    let isISO: Bool

    /// The form in which days are stored and exchanged (ISO 8601).
    public static let iso = DateFormat(known: "yyyy-MM-dd")
    static let dotted = DateFormat(known: "yyyy.MM.dd")
    static let digits = DateFormat(known: "yyyyMMdd")

    /// Longest format, in bytes: far more than any way of writing a date takes.
    public static let longestLength = 32

    /// A way to write dates.
    ///
    /// Nil where a part is missing or there twice, where other letters or digits stand between, where a space stands first
    /// or last, and where it is longer than ``longestLength``. A pattern with `%` may hold a time besides, which is then
    /// read and not kept.
    public init?(_ pattern: String) { self.init(pattern, of: .date) }

    /// A way to write dates, times or both; that of times alone, and of both, is always a pattern with `%`.
    package init?(_ pattern: String, of type: FieldType) {
        guard pattern.utf8.count <= Self.longestLength else { return nil }
        if type == .date, Self.isComplete(pattern) {
            self.init(known: pattern)
        } else {
            guard let directives = TimePattern(pattern), directives.isComplete(for: type) else { return nil }
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

    /// In the order of their text.
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

    /// Whether it is a pattern for `strptime`, which Table Schema's `format` can say.
    var isTablePattern: Bool { directives != nil }

    /// Whether there may be text that could be read in both ways.
    func looksLike(_ other: DateFormat) -> Bool {
        guard directives == nil, other.directives == nil else { return shape == other.shape }
        return bytes.elementsEqual(other.bytes) { $0 == $1 || $0.isASCIILetter && $1.isASCIILetter }
    }

    /// What texts of the format look like: a 9 for digits however many, and what stands between.
    private var shape: [UInt8] {
        directives?.shape ?? TimePattern.collapsed(bytes.map { $0.isASCIILetter ? UInt8(ascii: "9") : $0 })
    }

    /// The most bytes that a text of the format has.
    var length: Int { directives?.longestLength ?? bytes.count }

    public var description: String { pattern }

    /// What bytes are, read in this way.
    package enum Reading<Value: Hashable & Sendable>: Hashable, Sendable {
        case otherFormat
        /// Written in this way, but the calendar has no such day.
        case noSuchDay
        case value(Value)
    }

    /// Reads a day.
    package func read(_ text: Span<UInt8>) -> Reading<CalendarDay> {
        // No text that is read is empty.
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

    /// Reads a day with a time of day, in UTC where the text says a time zone.
    package func readDateTime(_ text: Span<UInt8>) -> Reading<DateTime> {
        guard let parts = directives?.read(text), let time = parts.time else { return .otherFormat }
        guard let day = parts.day else { return .noSuchDay }
        guard let offset = parts.offset else { return .value(DateTime(day: day, time: time)) }
        return DateTime(day: day, time: time, offset: offset).map { .value($0) } ?? .noSuchDay
    }

    /// Reads a time of day, in UTC where the text says a time zone.
    package func readTime(_ text: Span<UInt8>) -> Reading<TimeOfDay> {
        guard let parts = directives?.read(text), let time = parts.time else { return .otherFormat }
        return .value(parts.offset.map { time.inUTC(offset: $0).time } ?? time)
    }

    /// The day written in this way.
    public func text(of day: CalendarDay) -> String {
        if let directives { return directives.text(of: day, nil) }
        return String(unsafeUninitializedCapacity: bytes.count) { text in
            var year = day.year
            var month = day.month
            var day = day.day
            // From the back, so that each number's last digit comes first.
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

    /// A stored moment of a field's type, written in this way; nil where that leaves something out, such as the century, so
    /// that it would be read as another.
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

    /// A text of this format, for people who know no directives: the last day of 2020, a minute before midnight. No other
    /// part of it could be taken for the day. Nil for our notation, which says as much itself.
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
    /// How values may be written, for people: `as yyyy-MM-dd or like 12/31/2020`.
    package var ways: String {
        let patterns = filter { $0.example == nil }.map(\.pattern)
        let examples = compactMap(\.example)
        return [("as ", patterns), ("like ", examples)].filter { !$0.1.isEmpty }
            .map { $0 + $1.listed("or") }.joined(separator: " or ")
    }
}
