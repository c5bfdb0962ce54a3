import Testing
import Watchdog

@testable import ProfileCore

@Suite(.watched) struct MaskTests {
    @Test(arguments: ["####-####", "#", "+#", "(###)###-####", "AB-##", "##"])
    func `a mask is printable ASCII with a # for each digit`(pattern: String) {
        #expect(Mask(pattern)?.pattern == pattern)
    }

    @Test(arguments: ["", "-", "####-1###", "## ##", "##\n##", "##–##", "###é", "\u{0}#", "#\u{7F}#"])
    func `a pattern without a place for a digit, or with digits, spaces or other characters, is no mask`(
        pattern: String
    ) {
        #expect(Mask(pattern) == nil)
    }

    @Test(
        arguments: [
            ("####-####", "7876-1241", Mask.Match.displayed), ("####-####", "78761241", .digitsOnly),
            ("####-####", "7876124", .tooShort),
            ("####-####", "787612415", .tooLong), ("####-####", "787-61241", .misplaced),
            ("####-####", "7876--1241", .misplaced),
            ("####-####", "-78761241", .misplaced), ("####-####", "7876 1241", .badCharacter),
            ("####-####", "7876-124a", .badCharacter),
            ("####-####", "７876-1241", .badCharacter), ("####-####", "####-####", .badCharacter),
            ("####-####", "-", .tooShort),
            ("+##(#)", "+12(3)", .displayed), ("+##(#)", "123", .digitsOnly), ("+##(#)", "+123", .misplaced),
            ("##", "12", .displayed),
            ("####-####", "1467834527891471247", .tooLong),
        ] as [(String, String, Mask.Match)])
    func `a value is matched`(pattern: String, value: String, match: Mask.Match) throws {
        #expect(try #require(Mask(pattern)).match(Array(value.utf8).span) == match)
    }

    @Test func `digits are shown with the literals between`() throws {
        #expect(try #require(Mask("+##(#)-#!")).text(ofDigits: Array("1234".utf8).span) == "+12(3)-4!")
    }
}
