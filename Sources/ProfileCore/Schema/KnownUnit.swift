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
        let (prefix, suffix) = texts(beside: text)
        return prefix.isEmpty != suffix.isEmpty && isKnown(Array(prefix.isEmpty ? suffix : prefix))
    }

    /// Returns the texts before the first digit and after the last digit, without white space and without the signs of
    /// the number. Both are empty if there is no digit.
    static func texts(beside text: Span<UInt8>) -> (prefix: [UInt8], suffix: [UInt8]) {
        guard let first = text.indices.first(where: { text[$0].isASCIIDigit }),
            let last = text.indices.last(where: { text[$0].isASCIIDigit })
        else { return ([], []) }
        let prefix = trimmed(text, 0..<first)
        // In `$.50` the point belongs to the number, but in `Fr. 50` it belongs to the unit.
        let isPoint = prefix.last == UInt8(ascii: ".") || prefix.last == UInt8(ascii: ",")
        return (isPoint && !isKnown(prefix) ? prefix.dropLast() : prefix, trimmed(text, last + 1..<text.count))
    }

    private static func trimmed(_ text: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var bytes = range.map { text[$0] }[...]
        while let next = around.first(where: { bytes.starts(with: $0) }) { bytes = bytes.dropFirst(next.count) }
        while let next = around.first(where: { bytes.suffix($0.count).elementsEqual($0) }) {
            bytes = bytes.dropLast(next.count)
        }
        return Array(bytes)
    }

    /// The spaces and signs around a unit. U+00A0 and U+202F are spaces too.
    private static let around: [[UInt8]] = [" ", "\u{A0}", "\u{202F}", "-", "+"].map { Array($0.utf8) }

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

/// The unit of a field. It finds values that name another unit.
struct FieldUnit: Sendable {
    let text: String
    private let bytes: [UInt8]

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    /// Returns the known unit beside the number of a value, if it is another unit than this one.
    ///
    /// An unknown text is no unit, and a number without a text has the unit of its field.
    func other(in value: Span<UInt8>) -> String? {
        // Fast path: most numbers stand alone.
        if let first = value.indices.first, value[first].isASCIIDigit, value[value.count - 1].isASCIIDigit {
            return nil
        }
        let (prefix, suffix) = KnownUnit.texts(beside: value)
        let other = [prefix, suffix].first { KnownUnit.isKnown($0) && !KnownUnit.areEqual($0, bytes) }
        return other.map { String(decoding: $0, as: UTF8.self) }
    }
}
