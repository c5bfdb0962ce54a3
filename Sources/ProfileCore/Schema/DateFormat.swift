/// One way in which a date, a time or both may be written.
///
/// There are two notations. Ours is for dates: `yyyy`, `MM` and `dd`, each once, with ASCII punctuation or spaces between,
/// and as many digits as there are letters. The other is what Table Schema has, a pattern for Python's `strptime` such as
/// `%d/%m/%Y`, in which days, months and hours may be written with one digit.
public struct DateFormat: Hashable, Sendable, CustomStringConvertible {
    /// As a schema file writes it, such as `dd.MM.yyyy`.
    public let pattern: String
    private let notation: Notation
    let isISO: Bool

    private enum Notation: Hashable, Sendable {
        /// The pattern's bytes: `y`, `M` and `d` stand for a digit each, all else for itself.
        case letters([UInt8])
        case directives(TimePattern)
    }

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
        if pattern.contains("%") {
            guard let directives = TimePattern(pattern), directives.isComplete(for: type) else { return nil }
            self.init(pattern: pattern, notation: .directives(directives))
        } else {
            guard type == .date, Self.isComplete(pattern) else { return nil }
            self.init(known: pattern)
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
        self.init(pattern: pattern, notation: .letters(Array(pattern.utf8)))
    }

    private init(pattern: String, notation: Notation) {
        self.pattern = pattern
        self.notation = notation
        isISO = pattern == "yyyy-MM-dd"
    }

    /// Whether it is a pattern for `strptime`, which Table Schema's `format` can say.
    var isTablePattern: Bool { if case .directives = notation { true } else { false } }

    /// Whether there may be text that could be read in both ways.
    func looksLike(_ other: DateFormat) -> Bool {
        switch (notation, other.notation) {
        case (.letters(let bytes), .letters(let others)):
            bytes.elementsEqual(others) { $0 == $1 || $0.isASCIILetter && $1.isASCIILetter }
        default: shape == other.shape
        }
    }

    /// What texts of the format look like: a 9 for digits however many, and what stands between.
    private var shape: [UInt8] {
        switch notation {
        case .letters(let bytes):
            TimePattern.collapsed(bytes.map { $0.isASCIILetter ? UInt8(ascii: "9") : $0 })
        case .directives(let pattern): pattern.shape
        }
    }

    /// The most bytes that a text of the format has.
    var length: Int {
        switch notation {
        case .letters(let bytes): bytes.count
        case .directives(let pattern): pattern.longestLength
        }
    }

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
        switch notation {
        case .letters(let bytes): Self.read(text, bytes)
        case .directives(let pattern):
            switch pattern.read(text) {
            case nil: .otherFormat
            case let parts?: parts.day.map { .value($0) } ?? .noSuchDay
            }
        }
    }

    private static func read(_ text: Span<UInt8>, _ bytes: [UInt8]) -> Reading<CalendarDay> {
        guard text.count == bytes.count else { return .otherFormat }
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

    /// Reads a day with a time of day, in UTC where the text says a time zone.
    package func readDateTime(_ text: Span<UInt8>) -> Reading<DateTime> {
        guard case .directives(let pattern) = notation, let parts = pattern.read(text), let time = parts.time else {
            return .otherFormat
        }
        guard let day = parts.day else { return .noSuchDay }
        guard let offset = parts.offset else { return .value(DateTime(day: day, time: time)) }
        return DateTime(day: day, time: time, offset: offset).map { .value($0) } ?? .noSuchDay
    }

    /// Reads a time of day, in UTC where the text says a time zone.
    package func readTime(_ text: Span<UInt8>) -> Reading<TimeOfDay> {
        guard case .directives(let pattern) = notation, let parts = pattern.read(text), let time = parts.time else {
            return .otherFormat
        }
        return .value(parts.offset.map { time.inUTC(offset: $0).time } ?? time)
    }

    /// The day written in this way.
    public func text(of day: CalendarDay) -> String {
        switch notation {
        case .letters(let bytes): Self.text(of: day, bytes)
        case .directives(let pattern): pattern.text(of: day, nil)
        }
    }

    /// A moment written in this way, which may leave some of it out.
    func text(of moment: DateTime) -> String {
        guard case .directives(let pattern) = notation else { return text(of: moment.day) }
        return pattern.text(of: moment.day, moment.time)
    }

    /// A time written in this way, which may leave some of it out.
    func text(of time: TimeOfDay) -> String {
        guard case .directives(let pattern) = notation else { return time.description }
        return pattern.text(of: .latest, time)
    }

    private static func text(of day: CalendarDay, _ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { text in
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

    private static func takeLastDigit(of number: inout Int) -> UInt8 {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: 10)
        number = quotient
        return 0x30 + UInt8(truncatingIfNeeded: remainder)
    }
}
