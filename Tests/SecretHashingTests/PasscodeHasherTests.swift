import ProfileCore
import ProfileTesting
import SecretHashing
import Synchronization
import Testing
import Watchdog

/// Published test vectors: see the sources named in `PasswordHashTests`.
private let brought: [(secret: [UInt8], hash: String)] = [
    (Array("password".utf8), "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"),
    (Array("password".utf8), "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"),
    (Array("password".utf8), "$argon2i$v=19$m=256,t=2,p=2$c29tZXNhbHQ$T/XOJ2mh1/TIpJHfCdQan76Q5esCFVoT5MAeIM1Oq2E"),
    (Array("U*U".utf8), "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    (Array("U*U".utf8), "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    ([0xFF, 0xFF, 0xA3], "$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"),
    (Array("pleaseletmein".utf8), "$7$C6..../....SodiumChloride$kBGj9fHznVYFQMEn/qDCfrDevf9YDtcDdKvEqHJLV8D"),
    (Array("openwall".utf8), "$y$j9T$AAt9R641xPvCI9nXw1HHW/$cuQRBMN3N/f8IcmVN.4YrZ1bHMOiLOoz9/XQMKV/v0A"),
    (
        Array("Hello world!".utf8),
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
    ),
    (
        Array("Hello world!".utf8),
        "$6$rounds=10000$saltstringsaltst$"
            + "OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v."
    ),
]

@Suite(.watched) struct PasscodeHasherTests {
    private let hasher: PasscodeHasher

    init() throws {
        hasher = try PasscodeHasher(threads: 2)
    }

    /// Verifies a secret, and returns the number of Argon2 hashes that were computed.
    private func verify(
        _ secret: Secret, against hash: PasswordHash?
    ) async throws -> (PasscodeHasher.Verification, runs: Int) {
        let before = hasher.argon2Runs
        let verification = try await hasher.verify(secret, against: hash)
        return (verification, hasher.argon2Runs - before)
    }

    @Test func `P7: our hashes are Argon2id PHC strings under the policy, each with a salt of its own`() async throws {
        let first = try await hasher.hash(Secret("parislondon"))
        let second = try await hasher.hash(Secret("parislondon"))
        #expect(first.text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(first != second)
        #expect(try await hasher.verify(Secret("parislondon"), against: first) == .right(rehash: false))
        #expect(try await hasher.verify(Secret("parislondon1"), against: second) == .wrong)
    }

    @Test func `P7: a weaker policy is refused, a stronger one asks for a rehash`() async throws {
        #expect(throws: HashingPolicyError.memory(kibibytes: 19_455, allowed: 19_456...1_048_576)) {
            try HashingPolicy(memoryKiB: 19_455, iterations: 2)
        }
        #expect(throws: HashingPolicyError.iterations(1, allowed: 2...10)) {
            try HashingPolicy(memoryKiB: 65_536, iterations: 1)
        }
        #expect(throws: HashingPolicyError.self) { try HashingPolicy(memoryKiB: 1_048_577, iterations: 2) }
        #expect(throws: HashingPolicyError.self) { try HashingPolicy(memoryKiB: 19_456, iterations: 11) }
        #expect(try HashingPolicy(memoryKiB: 19_456, iterations: 2) == .standard)

        let hash = try await hasher.hash(Secret("parislondon"))
        let stronger = try PasscodeHasher(policy: HashingPolicy(memoryKiB: 19_456, iterations: 3), threads: 1)
        #expect(try await stronger.verify(Secret("parislondon"), against: hash) == .right(rehash: true))
        let strongHash = try await stronger.hash(Secret("parislondon"))
        #expect(try await hasher.verify(Secret("parislondon"), against: strongHash) == .right(rehash: false))
    }

    @Test func `P6: NUL and bytes after the 72nd count`() async throws {
        for (stored, other) in [
            ("paris\0london", "paris\0lisbon"), ("paris\0london", "paris"),
            (String(repeating: "x", count: 72) + "a", String(repeating: "x", count: 72) + "b"),
        ] {
            let hash = try await hasher.hash(Secret(stored))
            #expect(try await hasher.verify(Secret(stored), against: hash) == .right(rehash: false))
            #expect(try await hasher.verify(Secret(other), against: hash) == .wrong)
        }
    }

    @Test func `P6: our hashes take the NFC form, so that it does not matter how a character was typed`() async throws {
        let composed = Secret("caf\u{E9} secret")
        let decomposed = Secret("cafe\u{301} secret")
        for (stored, typed) in [(composed, decomposed), (decomposed, composed), (decomposed, decomposed)] {
            let hash = try await hasher.hash(stored)
            #expect(try await hasher.verify(typed, against: hash) == .right(rehash: false))
        }
    }

    @Test func `P6, P8: a brought hash takes the bytes as typed`() async throws {
        // The hash is of the decomposed form. A bcrypt hash is never one of our own hashes.
        let bcrypt = try hash("$2b$04$CCCCCCCCCCCCCCCCCCCCC.sxSe/OFUnuea61bIlzWVB/RYXb2U1eS")
        #expect(try await hasher.verify(Secret("cafe\u{301} secret"), against: bcrypt) == .right(rehash: true))
        #expect(try await hasher.verify(Secret("caf\u{E9} secret"), against: bcrypt) == .wrong)
    }

    @Test(arguments: brought)
    func `P7, P8: a brought hash is verified and asks for a rehash, with a policy hash for a wrong guess`(
        secret: [UInt8], text: String
    ) async throws {
        let hash = try hash(text)
        let isArgon2 = hash.scheme == .argon2id || hash.scheme == .argon2i
        let right = try await verify(Secret(secret.span), against: hash)
        #expect(right.0 == .right(rehash: true))
        #expect(right.runs == (isArgon2 ? 1 : 0))

        let wrong = try await verify(Secret("wrong"), against: hash)
        #expect(wrong.0 == .wrong)
        #expect(wrong.runs == (isArgon2 ? 2 : 1))
    }

    @Test func `P8: a secret with NUL never matches a hash of crypt, at the price of a policy hash`() async throws {
        let bcrypt = try hash("$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
        for typed in ["U*U\0", "U*U\0more"] {
            let result = try await verify(Secret(typed), against: bcrypt)
            #expect(result.0 == .wrong)
            #expect(result.runs == 1)
        }
    }

    @Test func `P8: a bcrypt hash is not replaced for a secret of more than 72 bytes`() async throws {
        let bcrypt = try hash("$2y$04$CCCCCCCCCCCCCCCCCCCCC.9IMwEEB6ngnCQ877bhhi.EzQPLJPeC6")
        for (length, rehash) in [(72, true), (73, false), (80, false), (2000, false)] {
            let secret = Secret(String(repeating: "p", count: length))
            #expect(try await hasher.verify(secret, against: bcrypt) == .right(rehash: rehash), "\(length) bytes")
        }
        let short = Secret(String(repeating: "p", count: 71))
        #expect(try await hasher.verify(short, against: bcrypt) == .wrong)
    }

    @Test func `P8: a secret that crypt cannot take is wrong, not an error`() async throws {
        let sha512 = try hash(brought[8].hash)
        #expect(try await hasher.verify(Secret(String(repeating: "p", count: 600)), against: sha512) == .wrong)
    }

    @Test func `P10: an unknown user and a wrong secret cost the same hashes`() async throws {
        let own = try await hasher.hash(Secret("parislondon"))
        // The second is not in NFC, so that both of its forms are tried.
        for (typed, runs) in [("parislondon1", 1), ("cafe\u{301} secret", 2), ("", 1)] {
            let wrong = try await verify(Secret(typed), against: own)
            let unknown = try await verify(Secret(typed), against: nil)
            #expect(wrong.0 == .wrong)
            #expect(unknown.0 == .wrong)
            #expect(wrong.runs == runs)
            #expect(unknown.runs == runs)
        }
    }

    @Test func `P10: a right secret costs what a wrong one does`() async throws {
        let decomposed = Secret("cafe\u{301} secret")
        let own = try await hasher.hash(decomposed)
        let right = try await verify(decomposed, against: own)
        #expect(right.0 == .right(rehash: false))
        #expect(right.runs == 2)
    }

    @Test func `P11, I9: many secrets are hashed in order, with progress, and through a short queue`() async throws {
        let hasher = try PasscodeHasher(threads: 2, queueLimit: 1)
        let secrets = (0..<9).map { Secret("passcode\($0)") }
        let progress = Mutex<[Int]>([])
        let hashes = try await hasher.hashAll(secrets) { done in progress.withLock { $0.append(done) } }
        #expect(progress.withLock(\.self) == Array(1...9))
        try #require(hashes.count == secrets.count)
        for (secret, hash) in zip(secrets, hashes) {
            #expect(try await hasher.verify(secret, against: hash) == .right(rehash: false))
        }
        #expect(try await hasher.hashAll([]).isEmpty)
    }

    @Test func `P11: cancelling many hashes removes the hashes that still wait`() async throws {
        let hasher = try PasscodeHasher(threads: 1)
        let secrets = (0..<200).map { Secret("passcode\($0)") }
        let task = Task { try await hasher.hashAll(secrets) }
        try await waitUntil { hasher.argon2Runs != 0 }
        task.cancel()
        await #expect(throws: HashingError.cancelled) { try await task.value }
        #expect(hasher.argon2Runs < secrets.count)
    }

    private func hash(_ text: String) throws -> PasswordHash {
        try PasswordHash(parsing: text.utf8Span.span)
    }
}
