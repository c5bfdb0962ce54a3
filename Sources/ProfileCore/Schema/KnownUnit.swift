/// The units that have a known meaning: currencies and units of measurement.
package enum KnownUnit {
    /// Whether a text is known to be a unit, and not a word that happens to stand beside numbers.
    package static func isKnown(_ text: [UInt8]) -> Bool { all[text] != nil }

    package static func isCurrency(_ text: [UInt8]) -> Bool { currencies[text] != nil }

    /// Whether two texts are the same unit, such as `€` and `EUR`. A text that is no known unit is only equal to itself.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one == other || all[one].map { $0 == all[other] } ?? false
    }

    /// Whether a text is a number with a known unit on one side, such as `$85,000` or `12 kg`.
    package static func isAmount(_ text: Span<UInt8>) -> Bool {
        guard let sides = NumberSides(of: text, decimals: decimals) else { return false }
        if sides.beforeDecimal.isEmpty { return isKnown(sides.after.map { text[$0] }) }
        return sides.after.isEmpty
            && (isKnown(sides.before.map { text[$0] }) || isKnown(sides.beforeDecimal.map { text[$0] }))
    }

    private static let decimals = [[UInt8(ascii: ".")], [UInt8(ascii: ",")]]

    /// The texts of one unit stand together, joined by `=`. `$` and `USD` do not, because other dollars are also written
    /// `$`.
    private static let currencies = units(
        "$ €=EUR £=GBP ¥ ₹=INR ₽=RUB ₩=KRW ₺=TRY ₴=UAH ₪=ILS ₫=VND ฿=THB ₱=PHP ₦=NGN zł=PLN Kč=CZK kr=kr. Fr.=CHF Rs=Rs. "
            + "R$=BRL US$=USD CA$=C$=CAD A$=AUD NZ$=NZD HK$=HKD S$=SGD JPY CNY SEK NOK DKK HUF RON BGN MXN ZAR IDR MYR "
            + "AED SAR EGP KES ARS CLP COP PEN ISK")
    private static let all = units(
        "% ‰ ° °C °F K kg g mg µg t lb=lbs oz km m cm mm µm nm mi ft in yd ha m² km² cm² mm² ft² m³ cm³ l=L ml=mL cl "
            + "dl hl h min s=sec ms µs d W kW MW GW kWh MWh GWh Wh V mV kV A mA Hz kHz MHz GHz J kJ MJ kcal cal Pa "
            + "hPa kPa MPa bar mbar psi N kN Nm km/h m/s mph kn B kB=KB MB GB TB KiB MiB GiB TiB bit Mbit/s Gbit/s "
            + "px pt dB rpm ppm ppb mol mmol mmol/l mg/l mg/dl g/l kg/m³ bpm"
    ).merging(currencies) { unit, _ in unit }

    /// Maps each text of a unit to the first text of the same unit.
    private static func units(_ texts: String) -> [[UInt8]: String] {
        var units: [[UInt8]: String] = [:]
        for unit in texts.split(separator: " ") {
            let names = unit.split(separator: "=")
            for name in names { units[Array(name.utf8)] = String(names[0]) }
        }
        return units
    }
}

/// The byte ranges of the number in a value, and of the texts before and after the number. The texts have no white
/// space around them, and the text before the number has no sign.
package struct NumberSides {
    /// The text from the first digit to the last.
    package let digits: Range<Int>
    /// The position of the sign at the start or the end of the text before the first digit; nil if there is none.
    package let sign: Int?
    /// The text before the first digit.
    package let before: Range<Int>
    /// ``before`` without a decimal character directly before the digits. In `$.50` the point belongs to the number, but
    /// in `Fr. 50` it belongs to the unit.
    let beforeDecimal: Range<Int>
    /// The text after the last digit.
    package let after: Range<Int>

    /// Returns nil if the value has no digit.
    package init?(of value: Span<UInt8>, decimals: [[UInt8]] = []) {
        guard let first = value.indices.first(where: { value[$0].isASCIIDigit }),
            let last = value.indices.last(where: { value[$0].isASCIIDigit })
        else { return nil }
        let decimal = decimals.first { value.has($0, before: first) }
        // In `No.5` the point follows a letter, so it is not a decimal character. See `NumberReader`.
        let end = decimal.map { first - $0.count } ?? first
        let isAfterLetter = end < first && end > 0 && value[end - 1].isASCIILetter
        digits = first..<last + 1
        (before, sign) = Self.withoutSign(value, Self.trimmed(value, 0..<first))
        beforeDecimal = isAfterLetter ? before : Self.withoutSign(value, Self.trimmed(value, 0..<end)).text
        after = Self.trimmed(value, last + 1..<value.count)
    }

    /// Returns the range without one sign at its start or its end.
    private static func withoutSign(_ value: Span<UInt8>, _ range: Range<Int>) -> (text: Range<Int>, sign: Int?) {
        guard let first = range.first, let last = range.last else { return (range, nil) }
        if isSign(value[first]) { return (trimmed(value, first + 1..<range.upperBound), first) }
        return isSign(value[last]) ? (trimmed(value, range.lowerBound..<last), last) : (range, nil)
    }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") }

    private static func trimmed(_ value: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while let space = spaces.first(where: { start + $0.count <= end && value.has($0, before: start + $0.count) }) {
            start += space.count
        }
        while let space = spaces.first(where: { end - $0.count >= start && value.has($0, before: end) }) {
            end -= space.count
        }
        return start..<end
    }

    /// The ordinary space, and the spaces that may separate a number and its unit: U+00A0, U+2009 and U+202F.
    private static let spaces: [[UInt8]] = [" ", "\u{A0}", "\u{2009}", "\u{202F}"].map { Array($0.utf8) }
}

/// The unit of a field. It finds values that have a text other than this unit beside the number.
struct FieldUnit: Sendable {
    let text: String
    private let bytes: [UInt8]
    private let decimals: [[UInt8]]

    /// Returns nil if the field has no unit, or if its values must not contain a unit.
    init?(of rules: FieldRules) {
        guard !rules.numberFormat.isBare, let unit = rules.unit?.trimmed, !unit.isEmpty else { return nil }
        text = unit
        bytes = Array(unit.utf8)
        // An integer has no fraction, so `$.50` is no integer.
        decimals = rules.type == .number ? [Array(String(rules.numberFormat.decimalCharacter).utf8)] : []
    }

    /// Returns the text before or after the number of a value, unless this text is the unit or another name of the
    /// unit. Returns nil if the number has no other text beside it.
    ///
    /// A number without a text has the unit of its field. Most values of a column have no text, or exactly this unit.
    /// For these values, no memory is allocated.
    func other(in value: Span<UInt8>) -> String? {
        guard let last = value.indices.last else { return nil }
        let start = value[0] == UInt8(ascii: "-") ? 1 : 0
        if start <= last, value[start].isASCIIDigit, value[last].isASCIIDigit { return nil }
        guard let sides = NumberSides(of: value, decimals: decimals) else { return nil }
        if !isOwn(sides.before, of: value), !isOwn(sides.beforeDecimal, of: value) {
            return text(sides.beforeDecimal, of: value)
        }
        return isOwn(sides.after, of: value) ? nil : text(sides.after, of: value)
    }

    private func isOwn(_ range: Range<Int>, of value: Span<UInt8>) -> Bool {
        if range.isEmpty || range.count == bytes.count && value.has(bytes, before: range.upperBound) { return true }
        return KnownUnit.areEqual(range.map { value[$0] }, bytes)
    }

    private func text(_ range: Range<Int>, of value: Span<UInt8>) -> String { String(value.extracting(range)) }
}

extension Span<UInt8> {
    /// Whether the given bytes are directly before an index.
    fileprivate func has(_ bytes: [UInt8], before end: Int) -> Bool {
        let start = end - bytes.count
        guard start >= 0 else { return false }
        for index in bytes.indices where self[start + index] != bytes[index] { return false }
        return true
    }
}
