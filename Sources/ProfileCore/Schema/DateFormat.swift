/// One way in which a date may be written: `yyyy`, `MM` and `dd`, each once, with ASCII punctuation or spaces between.
public struct DateFormat: Hashable, Sendable, CustomStringConvertible {
    public let pattern: String
    private let pieces: [Piece]
    /// In bytes, and so in characters.
    let length: Int

    private enum Piece: Hashable {
        case year
        case month
        case day
        case literal(UInt8)
    }

    /// The form in which days are stored and exchanged (ISO 8601).
    public static let iso = DateFormat(year: 4, "-")
    static let dotted = DateFormat(year: 4, ".")
    static let digits = DateFormat(year: 4, nil)

    public init?(_ pattern: String) {
        var pieces: [Piece] = []
        var rest = Array(pattern.utf8)[...]
        while let byte = rest.first {
            if rest.starts(with: "yyyy".utf8) {
                pieces.append(.year)
                rest = rest.dropFirst(4)
            } else if rest.starts(with: "MM".utf8) {
                pieces.append(.month)
                rest = rest.dropFirst(2)
            } else if rest.starts(with: "dd".utf8) {
                pieces.append(.day)
                rest = rest.dropFirst(2)
            } else {
                guard 0x20...0x7E ~= byte, !byte.isASCIILetter, !byte.isASCIIDigit else { return nil }
                pieces.append(.literal(byte))
                rest = rest.dropFirst()
            }
        }
        for piece in [Piece.year, .month, .day] where pieces.count(where: { $0 == piece }) != 1 { return nil }
        self.pattern = pattern
        self.pieces = pieces
        length = pattern.utf8.count
    }

    private init(year: Int, _ separator: Unicode.Scalar?) {
        let literal = separator.map { [Piece.literal(UInt8(ascii: $0))] } ?? []
        let text = separator.map { String(Character($0)) } ?? ""
        pattern = "yyyy" + text + "MM" + text + "dd"
        pieces = [.year] + literal + [.month] + literal + [.day]
        length = pattern.utf8.count
    }

    public var description: String { pattern }

    /// What bytes are, read in this way.
    enum Reading: Hashable {
        case otherFormat
        /// Written in this way, but the calendar has no such day.
        case noSuchDay
        case day(CalendarDay)
    }

    func read(_ bytes: Span<UInt8>) -> Reading {
        guard bytes.count == length else { return .otherFormat }
        var offset = 0
        var year = 0
        var month = 0
        var day = 0
        for piece in pieces {
            switch piece {
            case .year: guard Self.take(4, of: bytes, at: &offset, into: &year) else { return .otherFormat }
            case .month: guard Self.take(2, of: bytes, at: &offset, into: &month) else { return .otherFormat }
            case .day: guard Self.take(2, of: bytes, at: &offset, into: &day) else { return .otherFormat }
            case .literal(let byte):
                guard bytes[offset] == byte else { return .otherFormat }
                offset += 1
            }
        }
        return CalendarDay(year: year, month: month, day: day).map(Reading.day) ?? .noSuchDay
    }

    /// The day written in this way.
    public func text(of day: CalendarDay) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .year: text += Self.padded(day.year, 4)
            case .month: text += Self.padded(day.month, 2)
            case .day: text += Self.padded(day.day, 2)
            case .literal(let byte): text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text
    }

    private static func take(_ count: Int, of bytes: Span<UInt8>, at offset: inout Int, into number: inout Int) -> Bool {
        for _ in 0..<count {
            let byte = bytes[offset]
            guard byte.isASCIIDigit else { return false }
            number = number * 10 + Int(byte &- 0x30)
            offset += 1
        }
        return true
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
