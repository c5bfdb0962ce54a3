import Testing
import TextLayout
import Watchdog

@Suite(.watched) struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("ｱ", 1), ("Ａ", 2), ("한글", 4),
        ("\u{1112}\u{1161}\u{11AB}", 2),
        ("👍", 2), ("👍🏽", 2), ("👩‍🚀", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("❤", 1), ("❤\u{FE0F}", 2), ("1\u{FE0F}\u{20E3}", 2),
        ("⌚", 2), ("\u{200B}", 0), ("\u{200D}", 0), ("\u{FEFF}", 0), ("\u{AD}", 1), ("•", 1), ("─", 1), ("–", 1),
        ("√", 1),
        ("क्षि", 1), ("ก็", 1), ("\t", 1), ("\u{1B}", 1), ("\r\n", 1), ("\u{301}", 0), ("𠀋", 2), ("ﷺ", 1), ("\u{3000}", 2),
    ])
    func `text takes columns`(text: String, columns: Int) {
        #expect(text.displayWidth == columns)
    }

    @Test func `text is padded to a width in columns`() {
        #expect("漢".padded(to: 4) == "漢  ")
        #expect("abc".padded(to: 2) == "abc")
    }

    @Test func `every scalar has a width`() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            guard !(0...2).contains(Character(scalar).displayWidth) else { continue }
            Issue.record("U+\(String(value, radix: 16))")
        }
    }
}
