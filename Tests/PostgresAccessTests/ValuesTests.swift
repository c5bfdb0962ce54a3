@testable import PostgresAccess
import Testing
import Watchdog

@Suite(.watched) struct ValuesTests {
    @Test func `numbers, texts and flags stand one after another, and NULL has no bytes`() {
        let values: Values = [.number(-2), .text(nil), .text(""), .text("ßK"), .flag(true), .flag(false), .number(nil)]
        #expect(values.bytes == [255, 255, 255, 255, 255, 255, 255, 254, 0xC3, 0x9F, 0x4B, 1, 0])
        #expect(values.ends == [8, nil, 8, 11, 12, 13, nil])
        var more = Values()
        more.append(7)
        more.append("a")
        more.append(nil)
        let text = Array("é".utf8)
        more.append(utf8: text.span)
        #expect(more.bytes == [0, 0, 0, 0, 0, 0, 0, 7, 97, 0xC3, 0xA9])
        #expect(more.ends == [8, 9, nil, 11])
    }

    @Test func `an array has a head, and each element its size`() {
        let numbers: Values = [.numbers([1])]
        #expect(
            numbers.bytes == [
                0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1,
            ])
        let texts: Values = [.texts(["a", nil, ""])]
        #expect(
            texts.bytes == [
                0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 25, 0, 0, 0, 3, 0, 0, 0, 1,
                0, 0, 0, 1, 97, 255, 255, 255, 255, 0, 0, 0, 0,
            ])
        let none: Values = [.texts([])]
        #expect(none.bytes == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 25])
    }
}
