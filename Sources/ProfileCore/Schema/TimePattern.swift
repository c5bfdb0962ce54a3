/// A pattern in the notation of Python's `strptime`. Table Schema's `format` uses this notation.
///
/// The supported directives do not depend on a language or a location: `%Y %y %m %b %B %d %H %I %p %M %S %f %z %%`. As
/// in Python, the case of letters is ignored, and any white space matches any other white space.
struct TimePattern: Hashable, Sendable {
    private let pieces: [Piece]
    /// The style of each part that is not written in the default way.
    private let styles: [Part: Style]

    /// A way to write a part. It has no effect on reading.
    fileprivate enum Style: Hashable {
        /// Without a leading zero, as in `%-d` of strftime(3).
        case unpadded
        /// In upper case, as in `%^b` of strftime(3).
        case upperCase
        /// In lower case, as in `%P` of strftime(3).
        case lowerCase
        /// A fraction with this number of digits, as in `%3f`.
        case digits(Int)
    }

    fileprivate enum Piece: Hashable {
        case part(Part)
        /// One byte. The case of an ASCII letter is ignored.
        case literal(UInt8)
        case space
    }

    fileprivate enum Part: UInt8, Hashable {
        case year = 0x59
        case shortYear = 0x79
        case month = 0x6D
        case monthName = 0x42
        case shortMonthName = 0x62
        case day = 0x64
        case hour = 0x48
        case hourOfHalf = 0x49
        case half = 0x70
        case minute = 0x4D
        case second = 0x53
        case fraction = 0x66
        case zone = 0x7A
    }

    /// Parses a pattern.
    ///
    /// If `isWritten`, the pattern may have directives that are only for writing, such as `%-d`, `%-m`, `%^b`, `%P` and
    /// `%3f`; see `Style`.
    ///
    /// Returns nil if a directive is unknown or repeated. Also returns nil if the pattern contains a control character
    /// that is not white space, or if the pattern begins or ends with white space. Values are trimmed, so they cannot
    /// begin or end with white space.
    init?(_ text: String, isWritten: Bool = false) {
        var pieces: [Piece] = []
        var styles: [Part: Style] = [:]
        var bytes = text.utf8[...]
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "%") {
                let style = isWritten ? Self.takeStyle(from: &bytes) : nil
                guard var letter = bytes.popFirst() else { return nil }
                if style == .lowerCase { letter |= 0x20 }
                if let style {
                    guard let part = Part(rawValue: letter), part.mayBe(style) else { return nil }
                    styles[part] = style
                }
                if letter == UInt8(ascii: "%") {
                    pieces.append(.literal(letter))
                } else if let part = Part(rawValue: letter), !pieces.contains(.part(part)) {
                    pieces.append(.part(part))
                } else {
                    return nil
                }
            } else if byte.isASCIIWhitespace {
                if pieces.last != .space { pieces.append(.space) }
            } else {
                guard byte > 0x20, byte != 0x7F else { return nil }
                pieces.append(.literal(byte))
            }
        }
        guard pieces.first != .space, pieces.last != .space else { return nil }
        self.pieces = pieces
        self.styles = styles
    }

    /// Takes the flag of a directive; nil if it has none. The letter of the directive remains in `bytes`.
    private static func takeStyle(from bytes: inout Substring.UTF8View) -> Style? {
        guard let byte = bytes.first else { return nil }
        let style: Style
        switch byte {
        case UInt8(ascii: "-"): style = .unpadded
        case UInt8(ascii: "^"): style = .upperCase
        case UInt8(ascii: "1")...UInt8(ascii: "6"): style = .digits(Int(byte - 0x30))
        case UInt8(ascii: "P"): return .lowerCase
        default: return nil
        }
        bytes.removeFirst()
        return style
    }

    private func count(_ parts: Part...) -> Int { parts.count { pieces.contains(.part($0)) } }

    /// Whether the pattern contains every part that the type needs, and contains no part twice.
    func isComplete(for type: FieldType) -> Bool {
        let years = count(.year, .shortYear)
        let months = count(.month, .monthName, .shortMonthName)
        let days = count(.day)
        let hours = count(.hour, .hourOfHalf)
        // A pattern with a 12-hour clock must contain AM or PM. A pattern with a 24-hour clock must not contain AM or
        // PM.
        guard count(.half) == count(.hourOfHalf), hours <= 1 else { return false }
        // A pattern with a minute must also contain an hour, a pattern with a second must contain a minute, and a
        // pattern with a fraction must contain a second.
        guard hours >= count(.minute), count(.minute) >= count(.second), count(.second) >= count(.fraction) else {
            return false
        }
        let hasDay = (years, months, days) == (1, 1, 1)
        return switch type {
        case .date, .dateTime: hasDay
        case .time: hours == 1 && years + months + days == 0
        default: false
        }
    }

    /// The shape of the texts that match the pattern; see `DateFormat`. `B` is the name of a month, `P` is AM or PM,
    /// and `Z` is a time zone.
    var shape: [UInt8] {
        Self.collapsed(
            pieces.map { piece in
                switch piece {
                case .literal(let byte): byte.asciiFolded
                case .space: 0x20
                case .part(.monthName), .part(.shortMonthName): UInt8(ascii: "B")
                case .part(.half): UInt8(ascii: "P")
                case .part(.zone): UInt8(ascii: "Z")
                case .part: UInt8(ascii: "9")
                }
            })
    }

    /// Returns the shape with each run of 9 replaced by a single 9.
    static func collapsed(_ shape: [UInt8]) -> [UInt8] {
        shape.indices.filter { shape[$0] != UInt8(ascii: "9") || $0 == 0 || shape[$0 - 1] != shape[$0] }
            .map { shape[$0] }
    }

    /// The length of the longest text in bytes. Each run of white space is counted as one byte, although a text may
    /// have a longer run.
    var longestLength: Int { pieces.reduce(0) { $0 + $1.longestLength } }
}

/// The parts of a date and time that were read from a text.
struct TimeParts {
    fileprivate(set) var year = 0
    fileprivate(set) var month = 0
    fileprivate(set) var dayOfMonth = 0
    fileprivate(set) var hour = 0
    /// Whether the time is PM. Nil if the text uses a 24-hour clock.
    fileprivate(set) var isAfternoon: Bool?
    fileprivate(set) var minute = 0
    fileprivate(set) var second = 0
    fileprivate(set) var nanosecond = 0
    /// The offset from UTC in minutes. Nil if the text has no time zone.
    fileprivate(set) var offset: Int?

    /// The day; nil if the calendar has no such day.
    var day: CalendarDay? { CalendarDay(year: year, month: month, day: dayOfMonth) }

    /// The time as written, without conversion to UTC.
    var time: TimeOfDay? {
        let hour = isAfternoon.map { self.hour % 12 + ($0 ? 12 : 0) } ?? self.hour
        return TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond)
    }
}

// Reading.
extension TimePattern {
    /// Reads a text, or returns nil if the text does not match the pattern.
    func read(_ text: Span<UInt8>) -> TimeParts? {
        var parts = TimeParts()
        return read(text, from: 0, piece: 0, &parts) ? parts : nil
    }

    /// Returns whether the rest of the text matches the remaining pieces. Writes the values into `parts`.
    ///
    /// A number first takes as many digits as possible. If the rest of the text then does not match, the number takes
    /// fewer digits. Regular expressions call this backtracking. A pattern has few pieces, so there is little
    /// backtracking.
    private func read(_ text: Span<UInt8>, from start: Int, piece index: Int, _ parts: inout TimeParts) -> Bool {
        guard index < pieces.count else { return start == text.count }
        switch pieces[index] {
        case .literal(let byte):
            guard start < text.count, text[start].asciiFolded == byte.asciiFolded else { return false }
            return read(text, from: start + 1, piece: index + 1, &parts)
        case .space:
            var end = start
            while end < text.count, text[end].isASCIIWhitespace { end += 1 }
            return end > start && read(text, from: end, piece: index + 1, &parts)
        case .part(let part):
            for length in part.lengths.reversed() where start + length <= text.count {
                let piece = text.extracting(start..<start + length)
                if part.set(piece, in: &parts), read(text, from: start + length, piece: index + 1, &parts) {
                    return true
                }
            }
            return false
        }
    }
}

extension TimePattern.Piece {
    fileprivate var longestLength: Int {
        switch self {
        case .literal, .space: 1
        case .part(let part): part.lengths.upperBound
        }
    }
}

extension TimePattern.Part {
    /// Whether the part can be written in this style.
    fileprivate func mayBe(_ style: TimePattern.Style) -> Bool {
        switch style {
        case .unpadded: [.month, .day, .hour, .hourOfHalf, .minute, .second].contains(self)
        case .upperCase: self == .monthName || self == .shortMonthName
        case .lowerCase: self == .half
        case .digits: self == .fraction
        }
    }

    /// The possible lengths of the part in bytes.
    fileprivate var lengths: ClosedRange<Int> {
        switch self {
        case .year: 4...4
        case .shortYear, .half: 2...2
        case .month, .day, .hour, .hourOfHalf, .minute, .second: 1...2
        case .monthName: 3...9
        case .shortMonthName: 3...3
        case .fraction: 1...6
        case .zone: 1...6
        }
    }

    /// Stores the value of a text in `parts`. Returns false if the text is not a valid value of this part.
    fileprivate func set(_ text: Span<UInt8>, in parts: inout TimeParts) -> Bool {
        switch self {
        case .monthName:
            guard let month = Self.months.firstIndex(where: { text.isCaseless($0) }) else { return false }
            parts.month = month + 1
        case .shortMonthName:
            guard let month = Self.months.firstIndex(where: { text.isCaseless($0.prefix(3)) }) else { return false }
            parts.month = month + 1
        case .half:
            guard text[1] | 0x20 == UInt8(ascii: "m"), text[0].isASCIILetter else { return false }
            switch text[0] | 0x20 {
            case UInt8(ascii: "a"): parts.isAfternoon = false
            case UInt8(ascii: "p"): parts.isAfternoon = true
            default: return false
            }
        case .zone:
            guard let offset = TimeOfDay.offset(text), text.count != 3 else { return false }
            parts.offset = offset
        default:
            guard let number = text.digits(0..<text.count) else { return false }
            return set(number, of: text.count, in: &parts)
        }
        return true
    }

    private func set(_ number: Int, of digits: Int, in parts: inout TimeParts) -> Bool {
        switch self {
        case .year: parts.year = number
        // POSIX defines that 69 to 99 mean 1969 to 1999, and that 0 to 68 mean 2000 to 2068.
        case .shortYear: parts.year = number + (number < 69 ? 2_000 : 1_900)
        case .month where 1...12 ~= number: parts.month = number
        case .day where 1...31 ~= number: parts.dayOfMonth = number
        case .hour where number < 24: parts.hour = number
        case .hourOfHalf where 1...12 ~= number: parts.hour = number
        case .minute where number < 60: parts.minute = number
        case .second where number < 60: parts.second = number
        case .fraction: parts.nanosecond = (digits..<9).reduce(number) { value, _ in value * 10 }
        default: return false
        }
        return true
    }

    fileprivate static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

extension Span<UInt8> {
    /// Whether the bytes equal an ASCII text, ignoring case.
    fileprivate func isCaseless(_ text: some StringProtocol) -> Bool {
        guard text.utf8.count == count else { return false }
        for (index, byte) in text.utf8.enumerated() where self[index].asciiFolded != byte.asciiFolded { return false }
        return true
    }
}

// Writing.
extension TimePattern {
    /// Formats a day and an optional time with this pattern.
    func text(of day: CalendarDay, _ time: TimeOfDay?) -> String {
        let hour = time?.hour ?? 0
        var bytes: [UInt8] = []
        func append(_ number: Int, _ part: Part) {
            bytes.append(number, digits: number < 10 && styles[part] == .unpadded ? 1 : 2)
        }
        func append(_ word: some StringProtocol, _ part: Part) {
            switch styles[part] {
            case .upperCase: bytes.append(contentsOf: word.uppercased().utf8)
            case .lowerCase: bytes.append(contentsOf: word.lowercased().utf8)
            default: bytes.append(contentsOf: word.utf8)
            }
        }
        for piece in pieces {
            switch piece {
            case .literal(let byte): bytes.append(byte)
            case .space: bytes.append(0x20)
            case .part(let part):
                switch part {
                case .year: bytes.append(day.year, digits: 4)
                case .shortYear: bytes.append(day.year % 100, digits: 2)
                case .month: append(day.month, part)
                case .monthName: append(Part.months[day.month - 1], part)
                case .shortMonthName: append(Part.months[day.month - 1].prefix(3), part)
                case .day: append(day.day, part)
                case .hour: append(hour, part)
                case .hourOfHalf: append((hour + 11) % 12 + 1, part)
                case .half: append(hour < 12 ? "AM" : "PM", part)
                case .minute: append(time?.minute ?? 0, part)
                case .second: append(time?.second ?? 0, part)
                case .fraction:
                    let digits = if case .digits(let digits) = styles[part] { digits } else { 6 }
                    let divisor = (digits..<9).reduce(1) { value, _ in value * 10 }
                    bytes.append((time?.nanosecond ?? 0) / divisor, digits: digits)
                case .zone: bytes.append(UInt8(ascii: "Z"))
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a decimal number with the given number of digits.
    fileprivate mutating func append(_ number: Int, digits: Int) {
        var number = number
        let start = count
        for _ in 0..<digits {
            insert(0x30 + UInt8(number % 10), at: start)
            number /= 10
        }
    }
}
