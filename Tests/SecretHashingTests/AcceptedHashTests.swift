import Platform
import ProfileCore
import ProfileTesting
import Testing
import Watchdog

@testable import SecretHashing

@Suite(.watched) struct AcceptedHashTests {
    /// Cheap hashes of every scheme and variant.
    private static let seeds = [
        "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2i$v=19$m=64,t=3,p=1$c29tZXNhbHQ$T/XOJ2mh1/TIpJHfCdQan76Q5esCFVoT5MAeIM1Oq2E",
        "$2b$04$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$6$rounds=1000$salt$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1",
        "$7$4/..../....SodiumChloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8D",
        "$y$j30$LdJMENpBABJJ3hIHjB1Bi.$pLOAA.GWfQElzJMkN.JqzcItGXS.DsOZsBOX0fO4NDC",
        "$y$j30.0$LdJMENpBABJJ3hIHjB1Bi.$pLOAA.GWfQElzJMkN.JqzcItGXS.DsOZsBOX0fO4NDC",
        "$y$j3000/$LdJMENpBABJJ3hIHjB1Bi.$pLOAA.GWfQElzJMkN.JqzcItGXS.DsOZsBOX0fO4NDC",
        "$y$.30$LdJMENpBABJJ3hIHjB1Bi.$pLOAA.GWfQElzJMkN.JqzcItGXS.DsOZsBOX0fO4NDC",
        "$y$/30/1$LdJMENpBABJJ3hIHjB1Bi.$pLOAA.GWfQElzJMkN.JqzcItGXS.DsOZsBOX0fO4NDC",
    ]

    @Test(arguments: seeds)
    func `P8: whatever is accepted can be verified`(seed: String) throws {
        try Argon2.prepare()
        var random = SplitMix64(state: 8)
        let secret = Secret("password")
        let rounds = Length.isLong ? 80_000 : 4000
        var verified = 0
        for _ in 0..<rounds {
            let mutant = mutate(Array(seed.utf8), using: &random)
            guard let hash = try? PasswordHash(parsing: mutant.span), isCheap(hash) else { continue }
            verified += 1
            // It may not match; what counts is that it is computed and throws nothing.
            let matches =
                hash.scheme == .argon2id || hash.scheme == .argon2i
                ? try Argon2.matches(secret, hash) : try SystemCrypt.matches(secret, hash)
            #expect(!matches)
        }
        #expect(verified > 20, "too few mutants were accepted to say anything")
    }

    private func isCheap(_ hash: PasswordHash) -> Bool {
        switch hash.parameters {
        case .argon2id(let cost), .argon2i(let cost): cost.memoryKiB * cost.iterations <= 2048
        case .bcrypt(let cost): cost <= 4
        case .sha512crypt(let rounds): rounds <= 2000
        case .scrypt(let cost), .yescrypt(let cost): cost.memoryKiB * cost.parallelism * (cost.time + 1) <= 1024
        }
    }

    private func mutate(_ original: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        let alphabet = Array("$./0123456789ABCDUVabcdjz=,:+".utf8)
        var bytes = original
        for _ in 0...Int.random(in: 0..<2, using: &random) {
            // The parameters stand in front: half of the mutations go there.
            let end = Bool.random(using: &random) ? bytes.count : min(bytes.count, 24)
            let index = Int.random(in: 3..<end, using: &random)
            let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.insert(byte, at: index)
            case 1: bytes.remove(at: index)
            default: bytes[index] = byte
            }
        }
        return bytes
    }
}

private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
