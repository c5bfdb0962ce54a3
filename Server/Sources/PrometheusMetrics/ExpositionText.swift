/// Writes metrics in the text format of Prometheus, version 0.0.4.
struct ExpositionText {
    private(set) var text = ""

    /// Begins a metric. Its samples follow.
    mutating func begin(_ name: String, _ kind: MetricKind, help: String?) {
        if let help {
            text += "# HELP \(name) \(Self.escapedHelp(help))\n"
        }
        text += "# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func add(_ name: String, labels: String, value: String) {
        text += name
        if !labels.isEmpty {
            text += "{"
            text += labels
            text += "}"
        }
        text += " "
        text += value
        text += "\n"
    }

    static func escapedLabelValue(_ value: String) -> String { escaped(value, quotes: true) }

    private static func escapedHelp(_ help: String) -> String { escaped(help, quotes: false) }

    private static func escaped(_ value: String, quotes: Bool) -> String {
        var result = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Writes nanoseconds as seconds without rounding.
    static func seconds(nanoseconds: UInt64) -> String {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        if rest == 0 { return String(seconds) }
        var digits = String(rest)
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(seconds).\(digits)"
    }
}
