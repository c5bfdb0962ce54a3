import Testing
import Watchdog

@testable import ProfileCore
import ProfileTesting

@Suite(.watched) struct NumberTextTests {
    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("+7", 7), ("007", 7), ("-007", -7), ("9223372036854775807", .max),
            ("-9223372036854775808", .min),
            ("00000000000000000000000000000001", 1),
        ] as [(String, Int64)])
    func `an integer is read`(text: String, value: Int64) {
        #expect(NumberText.integer(Array(text.utf8).span) == value)
    }

    @Test(arguments: [
        "", "-", "+", "--1", "+-1", "1.0", "1e3", "0x10", " 1", "1 ", "٣", "1_000", "1,000", "9223372036854775808",
        "-9223372036854775809", "18446744073709551616", "99999999999999999999999999", "-", "1-", "\u{0}",
    ])
    func `what is no 64-bit integer is not read`(text: String) {
        #expect(NumberText.integer(Array(text.utf8).span) == nil)
    }

    @Test(arguments: [
        ("0", "0"), ("-0.0", "0"), ("1.50", "1.5"), ("+2", "2"), ("1e3", "1000"), ("1E3", "1000"), ("0.1", "0.1"),
        ("1e300", "1e+300"),
        ("5e-324", "5e-324"), ("-2.4703282292062328e-324", "-5e-324"), ("0.000e-400", "0"), ("-0e999", "0"),
        ("0E+0", "0"), ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("123456789012345678", "1.2345678901234568e+17"), ("0010", "10"),
    ])
    func `a number is stored in its one form`(text: String, canonical: String) {
        let value = NumberText.number(Array(text.utf8).span)
        #expect(value.map(NumberText.canonical) == canonical)
    }

    @Test(arguments: [
        "", "e", "1e", "--1", "1.2.3", "1e400", "-1e999", "nan", "inf", "Infinity", "0x1p3", "1,5", " 1", "1 ", "٣",
        "1f", "-", ".", "+e1",
        "0" + String(repeating: "0", count: 64), "1e-400", "-1E-400", "2.4703282292062327e-324", "0.000001e-320",
        "1e-99999999999999999999", "1e99999999999999999999", "1.7976931348623159e308",
    ])
    func `what is no finite decimal number is not read`(text: String) {
        #expect(NumberText.number(Array(text.utf8).span) == nil)
    }

    @Test func `the stored form of any double reads back as the same double, and has itself for stored form`() {
        var random = SeededGenerator(seed: 754)
        for _ in 0..<rounds(20_000) {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let text = NumberText.canonical(value)
            let back = NumberText.number(Array(text.utf8).span)
            if back != value || back.map(NumberText.canonical) != text { Issue.record("\(value): \(text)") }
        }
    }

    /// By comparing digits, without a `Double`.
    @Test func `a number is read exactly if a double that is neither zero nor infinite is nearest to it`() {
        var random = SeededGenerator(printingSeedOf: "numbers at the extremes")
        // Half of the least double, and the middle between the greatest one and what would follow it.
        let least = "2.47032822920623272088284396434110686182529901307162382212792841250337753635104e-324"
        let greatest = "1.79769313486231580793728971405303415079934132710037826936173778980444968292e308"
        for _ in 0..<rounds(20_000) {
            let isSmall = Bool.random(using: &random)
            let bound = isSmall ? least : greatest
            var digits = String(bound.prefix(Int.random(in: 1...24, using: &random))).filter { $0 != "." }
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                digits += String(Int.random(in: 0...9, using: &random))
            }
            // The point anywhere, and the exponent that goes with it.
            let place = Int.random(in: 0...digits.count, using: &random)
            let shift = Int.random(in: -1...1, using: &random)
            let exponent = (isSmall ? -323 : 309) - place + shift
            let sign = ["", "-", "+"].randomElement(using: &random) ?? ""
            let text =
                "\(sign)\(digits.prefix(place)).\(digits.dropFirst(place))\(random.once(in: 2) ? "e" : "E")\(exponent)"
            guard text.utf8.count <= 64, let size = Self.order(text.trimmingPrefix(/[-+]/), bound) else {
                Issue.record("\(text)")
                continue
            }
            let isRead = isSmall ? size > 0 : size < 0
            let value = NumberText.number(text.utf8Span.span)
            #expect((value != nil) == isRead, "\(text)")
            #expect(value?.isFinite != false && value != 0, "\(text)")
        }
    }

    private static func order(_ text: some StringProtocol, _ other: String) -> Int? {
        let (left, right) = (Array(text.utf8), Array(other.utf8))
        guard let number = DecimalNumber(left.span), let bound = DecimalNumber(right.span) else { return nil }
        return number.compare(left.span, bound, right.span)
    }

    @Test func `the stored form of any integer reads back as the same integer`() {
        var random = SeededGenerator(seed: 64)
        for _ in 0..<rounds(20_000) {
            let value = Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
            if NumberText.integer(Array(String(value).utf8).span) != value { Issue.record("\(value)") }
        }
    }
}
