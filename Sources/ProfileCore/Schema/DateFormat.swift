/// One way in which a date may be written: `yyyy`, `MM` and `dd`, each once, with ASCII punctuation or spaces
/// between.
public struct DateFormat: Hashable, Sendable, CustomStringConvertible {
    /// As a schema file writes it, such as `dd.MM.yyyy`.
    public let pattern: String
    /// The pattern's bytes: `y`, `M` and `d` stand for a digit each, all else for itself.
    private let bytes: [UInt8]
    let isISO: Bool

    /// The form in which days are stored and exchanged (ISO 8601).
    public static let iso = DateFormat(known: "yyyy-MM-dd")
    static let dotted = DateFormat(known: "yyyy.MM.dd")
    static let digits = DateFormat(known: "yyyyMMdd")

    /// Longest format, in characters: far more than any way of writing a date takes.
    public static let longestLength = 32

    /// Nil where a part is missing or there twice, where other letters or digits stand between, where a space stands
    /// first or last, and where it is longer than ``longestLength``.
    public init?(_ pattern: String) {
        guard pattern.utf8.count <= Self.longestLength else { return nil }
        var parts: [String] = []
        var rest = pattern.utf8[...]
        while let byte = rest.first {
            if let part = Self.parts.first(where: { rest.starts(with: $0.utf8) }) {
                parts.append(part)
                rest = rest.dropFirst(part.utf8.count)
            } else {
                guard 0x20...0x7E ~= byte, !byte.isASCIILetter, !byte.isASCIIDigit else { return nil }
                rest = rest.dropFirst()
            }
        }
        guard parts.sorted() == Self.parts, pattern.first != " ", pattern.last != " " else { return nil }
        self.init(known: pattern)
    }

    private init(known pattern: String) {
        self.pattern = pattern
        bytes = Array(pattern.utf8)
        isISO = pattern == "yyyy-MM-dd"
    }

    /// In the order of their text.
    private static let parts = ["MM", "dd", "yyyy"]

    /// Whether there is text that could be read in both ways.
    func looksLike(_ other: DateFormat) -> Bool {
        bytes.elementsEqual(other.bytes) { $0 == $1 || $0.isASCIILetter && $1.isASCIILetter }
    }

    /// In bytes, and so in characters.
    var length: Int { bytes.count }

    public var description: String { pattern }

    /// What bytes are, read in this way.
    enum Reading: Hashable {
        case otherFormat
        /// Written in this way, but the calendar has no such day.
        case noSuchDay
        case day(CalendarDay)
    }

    func read(_ text: Span<UInt8>) -> Reading {
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
        return CalendarDay(year: year, month: month, day: day).map(Reading.day) ?? .noSuchDay
    }

    /// The day written in this way.
    public func text(of day: CalendarDay) -> String {
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
