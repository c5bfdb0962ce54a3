import ProfileCore
import SecretHashing
import Testing
import Watchdog

@Suite(.watched) struct BearerTokenTests {
    /// The text of 32 zero bytes, without a prefix.
    private static let zeros = String(repeating: "A", count: 43)

    @Test func `H4: tokens are 256 random bits, and none is drawn twice`() throws {
        var hashes: Set<String> = []
        var texts: Set<String> = []
        var ones = [Int](repeating: 0, count: 43)
        let count = 4_000
        for _ in 0..<count {
            let token = try BearerToken()
            let text = String(token.text(prefix: "ps_").bytes)
            hashes.insert(token.hash)
            texts.insert(text)
            // The last bit of each character is random, except in the last character, where it is always 0.
            for (index, byte) in text.utf8.dropFirst(3).enumerated() where Self.value(of: byte) & 1 == 1 {
                ones[index] += 1
            }
        }
        #expect(hashes.count == count && texts.count == count)
        // Ten standard deviations: wrong by chance once in 10^22 runs.
        for index in 0..<42 { #expect(abs(ones[index] - count / 2) < 316, "character \(index)") }
    }

    private static func value(of byte: UInt8) -> Int {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        return alphabet.firstIndex(of: byte) ?? -1
    }

    @Test func `a token that is read from its text is the same token`() throws {
        let token = try BearerToken()
        let text = token.text(prefix: "pt_")
        #expect(text.count == 46)
        let read = try #require(BearerToken(text, prefix: "pt_"))
        #expect(read.hash == token.hash)
        #expect(read.text(prefix: "pt_") == text)
        #expect(String(describing: text) == "•••")
    }

    @Test func `H4: the stored hash is SHA-256 of the 32 bytes`() throws {
        let token = try #require(BearerToken(Secret("ps_" + Self.zeros), prefix: "ps_"))
        #expect(token.hash == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925")
    }

    /// Texts that look like tokens, but are not.
    private static let others: [String] = {
        let all = "ps_" + zeros
        let allButOne = String(all.dropLast())
        let allButFirst = String(zeros.dropFirst())
        return [
            "", "ps_", zeros, "pt_" + zeros, "PS_" + zeros, " " + all, all + "A", all + "=", allButOne,
            // The last two bits are not zero, although they belong to no byte.
            allButOne + "B", allButOne + " ", allButOne + "\n", allButOne + "\0", "ps_+" + allButFirst,
            "ps_/" + allButFirst, String(allButOne.dropLast()) + "é",
        ]
    }()

    @Test(arguments: others) func `nothing else is a token`(text: String) {
        #expect(BearerToken(Secret(text), prefix: "ps_") == nil)
    }
}
