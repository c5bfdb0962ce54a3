internal import ProfileCore

/// How many decimals the numbers of a column have. It is meaningful only while a number format fits the values.
struct DecimalEvidence: Sendable {
    /// Counts numbers. The index is made of the last decimal sign, the number of digits after this sign, and whether
    /// the last digit is zero. A number without a decimal sign has the index 0. Empty until there is a number.
    private var counts: [Int] = []
    /// Whether a number has more than three characters before its last decimal sign, without a minus, or begins with a
    /// zero.
    private var isUngrouped = false

    private static let most = 15

    private static func index(_ sign: Int, _ digits: Int, isPadded: Bool) -> Int {
        (sign * 2 + (isPadded ? 1 : 0)) * (most + 1) + digits
    }

    /// Adds a number without its unit.
    mutating func add(_ number: Span<UInt8>) {
        guard !number.isEmpty, number[number.count - 1].isASCIIDigit else { return }
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.index(2, 0, isPadded: false)) }
        var start = number.count - 1
        while start > 0, number[start - 1].isASCIIDigit { start -= 1 }
        let digits = number.count - start
        if start > 0, digits <= Self.most, let sign = Self.signs.firstIndex(of: number[start - 1]) {
            counts[Self.index(sign, digits, isPadded: number[number.count - 1] == UInt8(ascii: "0"))] += 1
            let first = number[0] == UInt8(ascii: "-") ? 1 : 0
            if start - 1 - first > 3 || number[first] == UInt8(ascii: "0") { isUngrouped = true }
        } else {
            counts[0] += 1
        }
    }

    /// The decimal signs.
    private static let signs = [UInt8(ascii: "."), UInt8(ascii: ",")]

    mutating func merge(_ later: DecimalEvidence) {
        isUngrouped = isUngrouped || later.isUngrouped
        guard !counts.isEmpty, !later.counts.isEmpty else {
            if counts.isEmpty { counts = later.counts }
            return
        }
        for index in counts.indices { counts[index] += later.counts[index] }
    }

    /// Returns whether three digits follow each decimal sign, and one to three are before it, as if the sign separates
    /// thousands.
    func mayBeThousands(_ sign: UInt8) -> Bool {
        guard let sign = Self.signs.firstIndex(of: sign), !counts.isEmpty, !isUngrouped else { return false }
        return (1...Self.most).allSatisfy { digits in
            let count =
                counts[Self.index(sign, digits, isPadded: false)] + counts[Self.index(sign, digits, isPadded: true)]
            return (count > 0) == (digits == 3)
        }
    }

    /// Returns the smallest number of decimals with which an export writes the most numbers unchanged. If all numbers
    /// have the same number of decimals, returns that number.
    ///
    /// A number with exactly this many decimals is written unchanged. A number with more decimals is written unchanged
    /// if its last decimal is not a zero.
    func decimals(_ sign: UInt8) -> Int {
        guard let sign = Self.signs.firstIndex(of: sign), !counts.isEmpty else { return 0 }
        func exact(_ digits: Int) -> Int { counts[Self.index(sign, digits, isPadded: false)] }
        func padded(_ digits: Int) -> Int { counts[Self.index(sign, digits, isPadded: true)] }
        let range = 1...Self.most
        let fractions = range.reduce(0) { $0 + exact($1) + padded($1) }
        let found = range.filter { exact($0) + padded($0) > 0 }
        // If all numbers have the same number of decimals, further numbers have it too.
        if found.count == 1, fractions == counts.reduce(0, +) { return found[0] }
        var best = (decimals: 0, count: range.reduce(0) { $0 + exact($1) })
        // If the number of decimals is 0, an export also writes whole numbers unchanged.
        best.count += counts.reduce(0, +) - fractions
        for decimals in found {
            let count = padded(decimals) + range.reduce(0) { $0 + ($1 < decimals ? 0 : exact($1)) }
            if count > best.count { best = (decimals, count) }
        }
        return best.decimals
    }
}

/// The padding and the case of the parts of days and times. This evidence is meaningful only while a format of dates or
/// times fits the values.
struct MomentEvidence: Sendable {
    /// For each part of a date or time, the number of values in which this part has one digit.
    private var short = Parts(repeating: 0)
    /// For each part of a date or time, the number of values in which this part has two digits and begins with a zero.
    private var padded = Parts(repeating: 0)
    /// The number of values by the number of digits in the fraction of a second, which is 0 if there is no fraction.
    private var fractions = Parts(repeating: 0)
    private var months = WordCases()
    /// The cases of `am` and `pm`.
    private var dayHalves = WordCases()
    /// The number of values with a space between the day and the time.
    private var spaced = 0
    private var inUTC = 0
    private var values = 0

    /// A count for each group of digits, or for each number of digits of a fraction.
    private typealias Parts = InlineArray<7, Int>

    @inline(__always)
    mutating func add(_ value: Span<UInt8>) {
        values += 1
        var index = 0
        var part = 0
        var fraction = 0
        while index < value.count {
            let start = index
            if value[index].isASCIIDigit {
                while index < value.count, value[index].isASCIIDigit { index += 1 }
                let digits = index - start
                if part >= 3, digits < Self.mostParts, value[start - 1] == UInt8(ascii: ".") {
                    fraction = digits
                } else if part < Self.mostParts {
                    if digits == 1 { short[part] += 1 }
                    if digits == 2, value[start] == UInt8(ascii: "0") { padded[part] += 1 }
                }
                part += 1
            } else if value[index].isASCIILetter {
                while index < value.count, value[index].isASCIILetter { index += 1 }
                if index - start == 2, value[start + 1] | 0x20 == UInt8(ascii: "m") {
                    dayHalves.add(value.extracting(start..<index))
                } else if index - start > 1 {
                    months.add(value.extracting(start..<index))
                }
            } else {
                index += 1
            }
        }
        fractions[fraction] += 1
        if value.count > 10, value[10] == UInt8(ascii: " ") { spaced += 1 }
        if value[value.count - 1] | 0x20 == UInt8(ascii: "z") { inUTC += 1 }
    }

    private static let mostParts = 7

    mutating func merge(_ later: MomentEvidence) {
        for part in 0..<Self.mostParts {
            short[part] += later.short[part]
            padded[part] += later.padded[part]
            fractions[part] += later.fractions[part]
        }
        months.merge(later.months)
        dayHalves.merge(later.dayHalves)
        spaced += later.spaced
        inUTC += later.inUTC
        values += later.values
    }

    /// Returns the pattern in which most values are written. Nil if an export needs no pattern to write the values in
    /// this form. The values are read by `pattern`, which is nil for ISO 8601.
    func written(_ pattern: String?, _ type: String) -> String? {
        guard values > 0 else { return nil }
        guard let pattern else { return type == "datetime" || type == "time" ? iso(type) : nil }
        guard pattern.utf8.contains(UInt8(ascii: "%")) else { return nil }
        var written = ""
        var part = 0
        var isDirective = false
        for character in pattern {
            if isDirective {
                isDirective = false
                switch character {
                case "b", "B": written += months.areUpper ? "^\(character)" : "\(character)"
                case "p": written += dayHalves.areLower ? "P" : "p"
                case "f":
                    written += fractionDigits.map { "\($0)f" } ?? "f"
                    part += 1
                case "m", "d", "H", "I", "M", "S":
                    let isShort = part < Self.mostParts && short[part] > padded[part]
                    written += isShort ? "-\(character)" : "\(character)"
                    part += 1
                default:
                    written.append(character)
                    part += character == "Y" || character == "y" ? 1 : 0
                }
            } else {
                isDirective = character == "%"
                written.append(character)
            }
        }
        return written == pattern ? nil : written
    }

    /// Returns the pattern of values in ISO 8601; nil if they have the stored form.
    private func iso(_ type: String) -> String? {
        let isSpaced = 2 * spaced > values
        guard isSpaced || fractionDigits != nil else { return nil }
        let day = type == "datetime" ? "%Y-%m-%d\(isSpaced ? " " : "T")" : ""
        let fraction = fractionDigits.map { ".%\($0)f" } ?? ""
        return "\(day)%H:%M:%S\(fraction)\(2 * inUTC > values ? "%z" : "")"
    }

    /// The number of digits of the fraction in more than half of the values; nil if there is no such number.
    private var fractionDigits: Int? {
        (1..<Self.mostParts).max { fractions[$0] < fractions[$1] }.flatMap { fractions[$0] * 2 > values ? $0 : nil }
    }
}

/// The cases of words.
private struct WordCases {
    private var upper = 0
    private var lower = 0
    private var mixed = 0

    mutating func add(_ word: Span<UInt8>) {
        var count = 0
        for index in word.indices where word[index] & 0x20 == 0 { count += 1 }
        if count == word.count { upper += 1 } else if count == 0 { lower += 1 } else { mixed += 1 }
    }

    mutating func merge(_ later: WordCases) {
        upper += later.upper
        lower += later.lower
        mixed += later.mixed
    }

    /// Whether most words are in upper case.
    var areUpper: Bool { upper > lower + mixed }
    /// Whether most words are in lower case.
    var areLower: Bool { lower > upper + mixed }
}
