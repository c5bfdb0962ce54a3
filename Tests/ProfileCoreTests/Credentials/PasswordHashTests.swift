import ProfileCore
import ProfileTesting
import Testing
import Watchdog

/// Hashes that are taken, with their parameters. Argon2: test vectors of the reference implementation; bcrypt: of
/// crypt_blowfish; SHA-512-crypt: of its specification; scrypt and yescrypt: of their reference implementations.
private let accepted: [(text: String, parameters: PasswordHash.Parameters)] = [
    (
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        .argon2id(.init(memoryKiB: 65_536, iterations: 2, parallelism: 1))
    ),
    (
        "$argon2i$v=19$m=256,t=2,p=2$c29tZXNhbHQ$T/XOJ2mh1/TIpJHfCdQan76Q5esCFVoT5MAeIM1Oq2E",
        .argon2i(.init(memoryKiB: 256, iterations: 2, parallelism: 2))
    ),
    ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", .bcrypt(cost: 5)),
    ("$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", .bcrypt(cost: 5)),
    ("$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e", .bcrypt(cost: 5)),
    (
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
        .sha512crypt(rounds: 5000)
    ),
    (
        "$6$rounds=10000$saltstringsaltst$"
            + "OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.",
        .sha512crypt(rounds: 10_000)
    ),
    (
        "$7$C6..../....SodiumChloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8D",
        .scrypt(.init(logarithmOfN: 14, blockSize: 8, parallelism: 1, time: 0))
    ),
    (
        "$y$jD5.7$LdJMENpBABJJ3hIHjB1Bi.$HboGM6qPrsK.StKYGt6KErmUYtioHreJd98oIugoNB6",
        .yescrypt(.init(logarithmOfN: 16, blockSize: 8, parallelism: 11, time: 0))
    ),
    (
        "$y$j9T$AAt9R641xPvCI9nXw1HHW/$cuQRBMN3N/f8IcmVN.4YrZ1bHMOiLOoz9/XQMKV/v0A",
        .yescrypt(.init(logarithmOfN: 12, blockSize: 32, parallelism: 1, time: 0))
    ),
    // Block sizes of two and three characters, as libxcrypt reads them.
    (
        "$y$j7l3$LdJMENpBABJJ3hIHjB1Bi.$778RvgW6lO3ZTcsXwVEBPdi01veAprPvTP3Y68gqKn0",
        .yescrypt(.init(logarithmOfN: 10, blockSize: 118, parallelism: 1, time: 0))
    ),
    (
        "$y$j7sT1$LdJMENpBABJJ3hIHjB1Bi.$8sK9x2a4bR67QgEt8n84XeVwcPnNuqa88xA21yruix2",
        .yescrypt(.init(logarithmOfN: 10, blockSize: 2_548, parallelism: 1, time: 0))
    ),
]

/// How a hash begins, and what is out of bounds in it.
private let outOfBounds: [(String, UnsupportedHash.Measure, Int, ClosedRange<Int>)] = [
    ("$argon2id$v=19$m=4194304,t=2,p=1$", .memoryKiB, 4_194_304, 8...1_048_576),
    ("$argon2id$v=19$m=19456,t=3000000,p=1$", .iterations, 3_000_000, 1...10),
    ("$argon2id$v=19$m=19456,t=0,p=1$", .iterations, 0, 1...10),
    ("$argon2id$v=19$m=19456,t=2,p=17$", .parallelism, 17, 1...16),
    ("$argon2id$v=19$m=127,t=2,p=16$", .memoryKiB, 127, 128...1_048_576),
    ("$argon2id$v=16$m=19456,t=2,p=1$", .version, 16, 19...19),
    ("$argon2i$m=19456,t=2,p=1$", .version, 16, 19...19),
    ("$argon2id$v=19$m=99999999999999999999999,t=2,p=1$", .memoryKiB, Int.max, 8...1_048_576),
    // The smallest number of more than 18 digits, which is not read.
    ("$argon2id$v=19$m=1000000000000000000,t=2,p=1$", .memoryKiB, Int.max, 8...1_048_576),
    ("$2b$17$", .logarithmicCost, 17, 4...16),
    ("$2b$31$", .logarithmicCost, 31, 4...16),
    ("$2b$03$", .logarithmicCost, 3, 4...16),
    ("$6$rounds=1000001$", .iterations, 1_000_001, 1000...1_000_000),
    ("$6$rounds=999$", .iterations, 999, 1000...1_000_000),
    // One character of log₂ N, five of r, five of p, the lowest six bits first.
    ("$7$M6..../....", .logarithmicCost, 24, 2...23),
    ("$7$C/./../....", .blockSize, 4097, 1...4096),
    ("$7$C6..../6...", .parallelism, 513, 1...512),
    ("$7$IE..../....", .memoryKiB, 2_097_152, 0...1_048_576),
    ("$7$I6....1....", .work, 3 << 23, 0...1 << 24),
    ("$y$jH5/1", .work, 5 << 23, 0...1 << 24),
]

@Suite(.watched) struct PasswordHashTests {
    @Test(arguments: accepted)
    func `P8: a known hash is taken with its parameters`(
        text: String, parameters: PasswordHash.Parameters
    ) throws {
        #expect(check(text) == nil)
        let hash = try parse(text)
        #expect(hash.text == text)
        #expect(hash.parameters == parameters)
        #expect(hash.scheme == parameters.scheme)
    }

    @Test(arguments: outOfBounds)
    func `P8: a hash whose cost is out of bounds is refused, and the bound is named`(
        beginning: String, measure: UnsupportedHash.Measure, value: Int, allowed: ClosedRange<Int>
    ) {
        let text = beginning + "c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        #expect(check(text) == .outOfBounds(measure, value: value, allowed: allowed))
    }

    @Test func `P8: numbers of yescrypt that would overflow a product are refused`() {
        // N = 2²³, r = 1, p = 2 with the longest t that can be written; then the largest of every number.
        for beginning in ["$y$jK..0.zzzzzz", "$y$jJzzzzzz0zzzzzzzzzzzz", "$y$zzzzzz", "$y$jzzzzzz"] {
            #expect(check(beginning + "$LdJMENpBABJJ3hIHjB1Bi.$") != nil)
        }
    }

    @Test func `P8: an Argon2 salt has 8 bytes or more and a hash 16 or more`() {
        func checkLengths(salt: Int, hash: Int) -> UnsupportedHash? {
            let text = "$argon2id$v=19$m=19456,t=2,p=1$" + base64(salt) + "$" + base64(hash)
            return check(text)
        }
        #expect(checkLengths(salt: 8, hash: 16) == nil)
        #expect(checkLengths(salt: 64, hash: 128) == nil)
        // Base 64 without unused bits: the last character may be any.
        let wholeGroups = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzYWx1$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph/"
        #expect(check(wholeGroups) == nil)
        #expect(checkLengths(salt: 7, hash: 16) == .outOfBounds(.saltBytes, value: 7, allowed: 8...64))
        #expect(checkLengths(salt: 65, hash: 16) == .outOfBounds(.saltBytes, value: 65, allowed: 8...64))
        #expect(checkLengths(salt: 8, hash: 15) == .outOfBounds(.hashBytes, value: 15, allowed: 16...128))
        #expect(checkLengths(salt: 8, hash: 129) == .outOfBounds(.hashBytes, value: 129, allowed: 16...128))
    }

    @Test func `P8: a salt of SHA-512-crypt may contain printable ASCII that has no meaning in a password file`() {
        let hash = String(repeating: ".", count: 86)
        for byte in UInt8(0x20)...0x7F {
            let character = Character(Unicode.Scalar(byte))
            let isAllowed = byte != 0x20 && byte != 0x7F && !"!*:;\\$".contains(character)
            #expect((check("$6$a\(character)b$\(hash)") == nil) == isAllowed, "\(byte)")
        }
    }

    @Test(
        arguments: [
            // Four characters of yescrypt's salt are three bytes. The other salts are used as they are written.
            ("$y$j9T$", 0, 0, 1...64), ("$y$j9T$", 2, 1, nil), ("$y$j9T$", 86, 64, nil), ("$y$j9T$", 87, 65, 1...64),
            ("$7$C6..../....", 0, 0, 1...86), ("$7$C6..../....", 1, 1, nil), ("$7$C6..../....", 86, 86, nil),
            ("$7$C6..../....", 87, 87, 1...86), ("$6$", 0, 0, 1...16), ("$6$", 1, 1, nil), ("$6$", 16, 16, nil),
            ("$6$", 17, 17, 1...16),
        ] as [(String, Int, Int, ClosedRange<Int>?)])
    func `P8: a salt that is too short or too long for its scheme is refused`(
        beginning: String, characters: Int, bytes: Int, allowed: ClosedRange<Int>?
    ) {
        let hash = String(repeating: ".", count: beginning == "$6$" ? 86 : 43)
        let text = beginning + String(repeating: ".", count: characters) + "$" + hash
        #expect(check(text) == allowed.map { .outOfBounds(.saltBytes, value: bytes, allowed: $0) })
    }

    @Test(arguments: [
        "$argon2id$v=19$m=019456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=+9456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$t=2,m=19456,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=19456,t=2,p=1,keyid=AAAA$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHR$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ=$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPd",
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc=",
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc\n",
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ",
        "$argon2id$v=19$m=,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$",
        "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe",
        "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWW",
        "$2b$05$CCCCCCCCCCCCCCCCCCCCCCE5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2b$5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2b$0:$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2b$0/$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2b$05$CCCCCCCCCCCCCCCCCCCC+.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$6$rounds=05000$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
        "$6$salt:ring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz2",
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz",
        "$7$C6..../....SodiumChloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8z",
        "$7$C6..../....Sodium$Chloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8D",
        "$7$C6..../",
        "$y$j75$LdJMENpBABJJ3hIHjB1Bz.$pLOAA.GWfQElzJMkN.JqzcItGXS.DsOZsBOX0fO4NDCC",
        "$y$k75$LdJMENpBABJJ3hIHjB1Bi.$pLOAA.GWfQElzJMkN.JqzcItGXS.DsOZsBOX0fO4NDC",
        "$y$j75$LdJMENpBABJJ3hIHjB1Bi.$pLOAA.GWfQElzJMkN.JqzcItGXS.DsOZsBOX0fO4NDz",
        "$y$j755.$LdJMENpBABJJ3hIHjB1Bi.$pLOAA.GWfQElzJMkN.JqzcItGXS.DsOZsBOX0fO4NDC",
        "$y$",
    ])
    func `P8: a malformed hash is refused`(text: String) {
        guard case .malformed = check(text) else {
            Issue.record("\(String(describing: check(text)))")
            return
        }
    }

    @Test(arguments: [
        "", "$", "password", "$1$salt$hash", "$2x$05$CCCCCCCCCCCCCCCCCCCCC.", "$5$salt$x", "$argon2d$v=19$",
    ])
    func `P8: a hash of no known scheme is refused`(text: String) {
        #expect(check(text) == .unknownScheme)
    }

    @Test func `P8: a text of a megabyte is refused by its length`() {
        let text = "$argon2id$v=19$m=" + String(repeating: "9", count: 1_000_000)
        #expect(
            check(text)
                == .outOfBounds(.textBytes, value: text.utf8.count, allowed: 0...512))
    }

    @Test func `P8: whatever is cut off or changed in a hash, parsing never traps and always agrees with itself`() {
        var random = SeededGenerator(seed: 8)
        let alphabet = Array("$./0123456789ABCxyz=,:+mtpv\0\u{FF}".utf8)
        for text in accepted.map(\.text) {
            // An Argon2 hash may be of many lengths; the others have one each.
            let shortest = text.hasPrefix("$argon2") ? text.utf8.count - 43 + 21 : text.utf8.count - 1
            for length in 0...shortest { #expect(check(String(text.prefix(length))) != nil) }
            for _ in 0..<2000 {
                var bytes = Array(text.utf8)
                for _ in 0...Int.random(in: 0..<3, using: &random) {
                    let index = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[index] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                    case 1: bytes.insert(alphabet[Int.random(in: 0..<alphabet.count, using: &random)], at: index)
                    default: bytes.remove(at: index)
                    }
                }
                let hash = try? PasswordHash(parsing: bytes.span)
                let refusal = PasswordHash.check(bytes.span)
                #expect((hash == nil) == (refusal != nil))
                if let hash { #expect(Array(hash.text.utf8) == bytes) }
            }
        }
    }

    @Test func `P12: the description of a hash does not contain it`() throws {
        let text = accepted[0].text
        let hash = try parse(text)
        var dumped = ""
        dump(hash, to: &dumped)
        for shown in ["\(hash)", String(reflecting: hash), dumped] { #expect(!shown.contains("CTFhFd")) }
    }

    private func check(_ text: String) -> UnsupportedHash? {
        PasswordHash.check(text.utf8Span.span)
    }

    private func parse(_ text: String) throws -> PasswordHash {
        try PasswordHash(parsing: text.utf8Span.span)
    }

    private func base64(_ byteCount: Int) -> String {
        String(repeating: "A", count: (byteCount * 8 + 5) / 6)
    }
}

/// SplitMix64.
private struct SeededGenerator: RandomNumberGenerator {
    var seed: UInt64

    mutating func next() -> UInt64 {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var value = seed
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
