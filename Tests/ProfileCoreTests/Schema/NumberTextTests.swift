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
        ("5e-324", "5e-324"), ("1.7976931348623157e308", "1.7976931348623157e+308"),
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
        "0" + String(repeating: "0", count: 64),
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

    @Test func `the stored form of any integer reads back as the same integer`() {
        var random = SeededGenerator(seed: 64)
        for _ in 0..<rounds(20_000) {
            let value = Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
            if NumberText.integer(Array(String(value).utf8).span) != value { Issue.record("\(value)") }
        }
    }
}
