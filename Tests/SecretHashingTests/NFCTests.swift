import ProfileCore
import Testing
import Watchdog

@testable import SecretHashing

@Suite(.watched) struct NFCTests {
    // From the normalization test suite of the Unicode Character Database, and the examples of UAX #15.
    @Test(arguments: [
        ("e\u{301}", "\u{E9}"),
        ("\u{E9}", "\u{E9}"),
        ("\u{212B}", "\u{C5}"),
        ("\u{1E0B}\u{323}", "\u{1E0D}\u{307}"),
        ("q\u{307}\u{323}", "q\u{323}\u{307}"),
        ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"),
        ("\u{FB01}", "\u{FB01}"),
        ("\u{1D160}", "\u{1D158}\u{1D165}\u{1D16E}"),
        ("pa\0e\u{301}", "pa\0\u{E9}"),
        ("", ""),
    ])
    func `P6: a secret is brought into NFC`(typed: String, normalised: String) {
        #expect(NFC.form(of: Secret(typed)) == Secret(normalised))
    }

    @Test func `P6: every scalar that grows under NFC fits`() {
        // UAX #15, table of expansion factors: these two have the largest in UTF-8.
        for scalar in ["\u{1D160}", "\u{0390}", "\u{FB2C}"] {
            let typed = String(repeating: scalar, count: 40)
            let once = NFC.form(of: Secret(typed))
            #expect(NFC.form(of: once) == once)
            #expect(once.count == Array(typed._nfcCodeUnits).count)
        }
    }

    @Test func `P6: bytes that are not UTF-8 stay as they are`() {
        let bytes: [UInt8] = [0x65, 0xCC, 0x81, 0xFF, 0x00]
        let secret = Secret(bytes.span)
        #expect(NFC.form(of: secret) == secret)
    }
}
