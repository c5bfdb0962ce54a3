import Testing
import Watchdog

@testable import ProfileCore

@Suite(.watched) struct NumberFormatTests {
    private static let german = NumberFormat(decimal: ",", group: ".")
    private static let loose = NumberFormat(isBare: false)

    @Test(
        arguments: [
            (german, "1.234,5", 1234.5), (german, "-1.234.567", -1_234_567), (german, "0,5", 0.5), (german, ",5", 0.5),
            (german, "12,34", 12.34), (german, "1e3", 1000), (german, "1.5", nil), (german, "1.50", nil),
            (german, "1234.567", nil), (german, "12.34.567", 1_234_567), (german, "1.2.345", nil),
            (german, "1.234", 1234), (german, "1.2,3,4", nil), (german, "1..2", nil),
            (german, ".5", nil), (german, "5.", nil), (german, "1,2.3", nil), (german, "1 234", nil),
            (NumberFormat(decimal: ","), "1.5", nil), (NumberFormat(decimal: ","), "1,5", 1.5),
            (NumberFormat(group: "\u{202F}"), "1\u{202F}234.5", 1234.5), (NumberFormat(group: "'"), "1'234", 1234),
            (loose, "$1.50", 1.5), (loose, "95%", 95), (loose, "€ -5", -5), (loose, "$.50", 0.5), (loose, "No.5", 5),
            (loose, ".50", 0.5), (loose, "x.5", 5),
            (loose, "5 kg", 5), (loose, "5", 5), (loose, "(5)", nil), (loose, "none", nil), (loose, "- 5", nil),
            (loose, "-$5", -5), (loose, "-EUR .5", -0.5), (loose, "-$-5", nil), (loose, "-x", nil),
            (loose, "\u{2212}5", nil), (loose, "EUR \u{2013}7", nil), (loose, "5-", nil), (loose, "$1 \u{2212}", nil),
            (loose, "5,-", nil), (loose, "5 (net)", 5), (loose, "7\u{FF0D}", nil), (loose, "\u{FE63}7", nil),
            (loose, "\u{2012}7", nil), (NumberFormat(group: ","), "1,23e4", nil),
            (NumberFormat(group: ","), "1,2e10", nil), (NumberFormat(group: ","), "1,234e2", 123_400),
            (NumberFormat(group: ","), "1e1,000", nil), (NumberFormat(group: ","), "1,23E4", nil),
            (loose, "5-10", nil), (NumberFormat(decimal: ",", group: ".", isBare: false), "1.234,50 €", 1234.5),
        ] as [(NumberFormat, String, Double?)])
    func `S6: a number is read as its field is written`(format: NumberFormat, text: String, number: Double?) {
        #expect(NumberReader(format).number(text.utf8Span.span) == number)
    }

    @Test(
        arguments: [
            (NumberFormat(group: ","), "1,234,567", 1_234_567), (NumberFormat(group: ","), "+12,345", 12_345),
            (NumberFormat(group: ","), "12,34", nil), (NumberFormat(group: ","), "-1,234", -1_234),
            (NumberFormat(group: ","), "1,", nil), (NumberFormat(group: ","), ",1", nil),
            (NumberFormat(group: ","), "1,,2", nil), (NumberFormat(group: ","), "1.0", nil),
            (loose, "No. 5", 5), (loose, "5.5", nil), (loose, "-", nil), (loose, "5-", nil),
            (NumberFormat(group: "."), "1.234", 1_234), (NumberFormat(group: "."), "1.234.567", 1_234_567),
            (NumberFormat(group: "."), "1.2", nil), (NumberFormat(group: ".", isBare: false), "€ 1.234", 1_234),
        ] as [(NumberFormat, String, Int64?)])
    func `S6: an integer is read as its field is written`(format: NumberFormat, text: String, number: Int64?) {
        #expect(NumberReader(format).integer(text.utf8Span.span) == number)
    }

    @Test func `S6: a separator between digits is not a letter, a digit or a sign of any alphabet`() {
        for character: Character in ["é", "٣", "5", "x", "+", "-", "\u{2212}", "\u{2013}"] {
            #expect(!NumberFormat.isSeparator(character), "\(character)")
        }
        for character: Character in [".", ",", " ", "'", "\u{202F}", "٫"] {
            #expect(NumberFormat.isSeparator(character), "\(character)")
        }
    }

    @Test func `a number is typed as its field is written`() {
        #expect(Self.german.typedForm(of: "-1234.5") == "-1234,5")
        #expect(NumberFormat.plain.typedForm(of: "-1234.5") == "-1234.5")
    }
}
