internal import ProfileCore

/// A value that consists of a number and a unit, such as `$85,000`, `-45,67 €`, `80 %` or `12 kg`.
struct WrittenUnit {
    let unit: [UInt8]
    /// The unit with the spaces between it and the number.
    let surroundings: Surroundings
    /// Whether a minus is between the unit and the digits, as in `$-5`; nil if there is no minus.
    private(set) var isMinusInside: Bool?
    /// The number without the unit. If the value has a minus before the unit, the minus is moved before the digits.
    let number: [UInt8]

    /// The text around a number, without its minus.
    struct Surroundings: Hashable, Sendable {
        let before: [UInt8]
        let after: [UInt8]
    }

    /// Splits a value; nil if it is no number with exactly one unit. The text of the number itself is not checked.
    ///
    /// A currency may be on either side. Any other unit must follow the number. After a number, a word that is not a
    /// known unit needs a space before it, and so does a unit of one ASCII character other than `%`. So `A12` and `12a`
    /// stay codes.
    init?(_ value: Span<UInt8>) {
        guard value.count <= Self.longest, let sides = NumberSides(of: value),
            sides.before.isEmpty != sides.after.isEmpty
        else { return nil }
        let digits = sides.digits
        var before = 0..<digits.lowerBound
        if let sign = sides.sign {
            guard value[sign] == Self.minus else { return nil }
            if sign == 0 {
                // A minus before a space may be a dash, so the value is not split.
                guard value[1] != UInt8(ascii: " ") else { return nil }
                before = 1..<digits.lowerBound
            } else {
                guard sign + 1 == digits.lowerBound else { return nil }
                before = 0..<sign
            }
            isMinusInside = sign > 0
        }
        let after = digits.upperBound..<value.count
        surroundings = Surroundings(before: Self.bytes(of: value, before), after: Self.bytes(of: value, after))
        if sides.before.isEmpty {
            unit = Self.bytes(of: value, sides.after)
            guard Self.isUnit(unit, isSpaced: sides.after.count < after.count) else { return nil }
        } else {
            unit = Self.bytes(of: value, sides.before)
            guard KnownUnit.isCurrency(unit) else { return nil }
        }
        number = (isMinusInside == nil ? [] : [Self.minus]) + Self.bytes(of: value, digits)
    }

    /// Returns whether a value cannot have a unit, because it begins and ends like a number.
    @inline(__always)
    static func isBare(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty, value[value.count - 1].isASCIIDigit else { return false }
        return value[0].isASCIIDigit || value[0] == minus && value.count > 1 && value[1].isASCIIDigit
    }

    fileprivate static let longest = 40
    fileprivate static let minus = UInt8(ascii: "-")

    private static func bytes(of value: Span<UInt8>, _ range: Range<Int>) -> [UInt8] { range.map { value[$0] } }

    private static func isUnit(_ suffix: [UInt8], isSpaced: Bool) -> Bool {
        if KnownUnit.isKnown(suffix) { return isSpaced || suffix.count > 1 || suffix == [UInt8(ascii: "%")] }
        return isSpaced && isWord(suffix)
    }

    private static func isWord(_ suffix: [UInt8]) -> Bool {
        guard suffix.count <= longestWord else { return false }
        let word = String(decoding: suffix, as: UTF8.self)
        return word.allSatisfy(\.isLetter) && !others.contains(word.lowercased())
    }

    private static let longestWord = 12
    /// Words that are not units, for example in times, dates and ordinal numbers.
    private static let others: Set<String> = [
        "am", "pm", "st", "nd", "rd", "th", "ad", "bc", "uhr", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug",
        "sep", "oct", "nov", "dec", "mai", "okt", "dez", "january", "february", "march", "april", "june", "july",
        "august", "september", "october", "november", "december", "januar", "februar", "märz", "juni", "juli",
        "oktober",
        "dezember", "and", "or", "x", "e",
    ]
}

/// The units of the numbers in a column. These units are meaningful only while a number format fits the values.
struct UnitEvidence: Sendable {
    /// The first distinct units, at most ``most``.
    private(set) var units: [[UInt8]] = []
    /// Whether a value is a number without a unit.
    private(set) var hasBareNumber = false
    /// The characters of the numbers that have a unit.
    private(set) var characters = SeenASCII()
    /// The first distinct texts around numbers, at most ``mostSurroundings``, with the number of values.
    private var surroundings: [(text: WrittenUnit.Surroundings, count: Int)] = []
    private var minusesInside = 0
    private var minusesOutside = 0

    /// The maximum number of kept units. Two units already prove that the units differ. Further units are kept only for
    /// a report.
    private static let most = 3
    private static let mostSurroundings = 8

    mutating func add(_ value: WrittenUnit) {
        for byte in value.number { characters.insert(byte) }
        note(value.unit)
        note(value.surroundings, 1)
        if let isInside = value.isMinusInside {
            if isInside { minusesInside += 1 } else { minusesOutside += 1 }
        }
    }

    /// Adds a value with the same text around its number as the first value with a unit. Most values of a column are
    /// such values, and this method allocates no memory for them.
    ///
    /// - Returns: The range of the number in the value; nil for another value, which is not added.
    mutating func addSimilar(_ value: Span<UInt8>) -> Range<Int>? {
        guard let known = surroundings.first?.text else { return nil }
        let hasMinus = known.before.isEmpty && value[0] == WrittenUnit.minus
        let start = hasMinus ? 1 : known.before.count
        let end = value.count - known.after.count
        guard start < end, value.count <= WrittenUnit.longest, value[start].isASCIIDigit, value[end - 1].isASCIIDigit,
            hasMinus || known.before.indices.allSatisfy({ value[$0] == known.before[$0] }),
            known.after.indices.allSatisfy({ value[end + $0] == known.after[$0] })
        else { return nil }
        let number = (hasMinus ? 0 : start)..<end
        for index in number { characters.insert(value[index]) }
        surroundings[0].count += 1
        if hasMinus { minusesOutside += 1 }
        return number
    }

    mutating func addBareNumber() { hasBareNumber = true }

    mutating func merge(_ later: UnitEvidence) {
        for unit in later.units { note(unit) }
        hasBareNumber = hasBareNumber || later.hasBareNumber
        characters.formUnion(later.characters)
        for (text, count) in later.surroundings { note(text, count) }
        minusesInside += later.minusesInside
        minusesOutside += later.minusesOutside
    }

    private mutating func note(_ text: WrittenUnit.Surroundings, _ count: Int) {
        if let known = surroundings.firstIndex(where: { $0.text == text }) {
            surroundings[known].count += count
        } else if surroundings.count < Self.mostSurroundings {
            surroundings.append((text, count))
        }
    }

    /// Returns zero with this number of decimals. If all values have the same unit, zero is written in the most
    /// frequent form of these values, for example `$0.00`.
    func zero(decimals: Int) -> String {
        let zero = "0" + (decimals > 0 ? "." + String(repeating: "0", count: decimals) : "")
        // The first of several texts with the same count is used.
        guard unit != nil, let most = surroundings.map(\.count).max(),
            let text = surroundings.first(where: { $0.count == most })?.text
        else { return zero }
        let before = String(decoding: text.before, as: UTF8.self)
        let isInside = !before.isEmpty && minusesInside > minusesOutside
        return before + (isInside ? "-" : "") + zero + String(decoding: text.after, as: UTF8.self)
    }

    private mutating func note(_ unit: [UInt8]) {
        if units.count < Self.most, !units.contains(unit) { units.append(unit) }
    }

    /// Whether some values have another unit than others, or none.
    var isMixed: Bool { units.count + (hasBareNumber ? 1 : 0) > 1 && !units.isEmpty }

    /// The unit of all values; nil if there is none, or several.
    var unit: [UInt8]? { isMixed ? nil : units.first }

    /// The units as text, and an empty text for values without a unit.
    var texts: [String] { units.map { String(decoding: $0, as: UTF8.self) } + (hasBareNumber ? [""] : []) }
}
