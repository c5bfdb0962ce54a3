import ProfileCore
import ProfileStore
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileStoreSQLite

/// P9: an attempt without memory for its hash is not a failed attempt. The attempts run in a process that has 64 MiB
/// left.
@Suite(.unsanitized, .watched) struct MemoryShortageTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open()
    }

    /// Hashes of `aK8oio` that take 128 MiB.
    private static let large = [
        // crypto_pwhash can compute these hashes, and reports that it has no memory.
        "$argon2id$v=19$m=131072,t=1,p=1$c2l4dGVlbiBieXRlcyBvaw$Mnqm/Y/UOAp9e1knOk/HB0ee7u8VcpyYhwlG5+pxcGE",
        "$argon2i$v=19$m=131072,t=3,p=1$c2l4dGVlbiBieXRlcyBvaw$eGLlqME8BgbW8JB3Drf9jMtOndscE2heQwKwXL2GruY",
        // crypto_pwhash cannot compute these hashes: a salt of 22 bytes, two lanes, fewer passes than it accepts, or
        // another scheme.
        "$argon2id$v=19$m=131072,t=1,p=1$dHdlbnR5LXR3byBieXRlcyBvZiBpdA$aKKbHHuvQrUc9b+KYhHRp6ePgxosZg9JoSlAltqLjbw",
        "$argon2id$v=19$m=131072,t=1,p=2$c2l4dGVlbiBieXRlcyBvaw$2YYROUqwR+blGXAxtWSt9AIO7Xv2SZwENg3PD988fyY",
        "$argon2i$v=19$m=131072,t=1,p=1$c2l4dGVlbiBieXRlcyBvaw$viDcfzOGTazP/CNbJj8ueFb/xoOwlUaTcTBpsnwqVlY",
        "$y$jCT$nZ4SoJKNi/WMtFLNn/mPf/$8MYUKU2JEuSxSGUDqIV37M8MrFRVgQYruauqyf/8sP8",
        "$7$DU..../....nZ4SoJKNi/WMtFLNn/mPf/$NDJ.YxeQpeyjRQiZ6rbYCRXZM188tBr2koWu3s5fPc.",
    ]

    /// The outcomes of six attempts in a process that has 64 MiB left.
    private func attempts(
        _ password: String, policyKiB: Int = HashingPolicy.standard.cost.memoryKiB
    ) async throws -> [String] {
        // A heap of its own for each thread would reserve 64 MiB at once.
        let process = try ExerciserProcess(
            "log-in-without-memory", store.path, "abel", password, String(policyKiB),
            environment: ["MALLOC_ARENA_MAX": "1"])
        let outcome = await process.finish()
        #expect(outcome.code == 0, "\(outcome)")
        return outcome.lines
    }

    private func failures() throws -> Int64 { try store.number("SELECT coalesce(sum(failures), 0) FROM throttles") }

    private static let noMemory = [String](repeating: "hashing(SecretHashing.HashingError.outOfMemory)", count: 6)

    @Test(arguments: large)
    func `P9: without memory no password counts as a failure, and afterwards the right one is accepted`(
        hash: String
    ) async throws {
        try await repository.register("abel", ["password_hash": hash])
        #expect(try await attempts("aK8oio") == Self.noMemory)
        #expect(try await attempts("aK8oiO") == Self.noMemory)
        #expect(try failures() == 0)
        await #expect(throws: CredentialError.wrong) {
            try await repository.passwords.validate(Secret("aK8oiO"), for: "abel")
        }
        #expect(try await repository.passwords.validate(Secret("aK8oio"), for: "abel").username == "abel")
    }

    @Test func `P9: a hash that fits into the memory that is left is computed`() async throws {
        try await repository.register("abel")
        #expect(try await attempts("aK8oiO").first == "wrong")
        #expect(try failures() == 5)
        try await repository.unlock("abel")
        #expect(try await attempts("aK8oio") == [String](repeating: "right", count: 6))
    }

    // For a wrong password, a brought hash costs a hash of our own in addition. If only our own hash had no memory, and
    // the attempt did not count, an attacker could guess without limit, and would recognise the right password by the
    // answer.
    @Test(arguments: ["aK8oio", "aK8oiO"])
    func `P9, P10: a brought hash is not tried if there is no memory for a hash of our own`(password: String)
        async throws
    {
        try await repository.register("abel", ["password_hash": People.bcryptHash])
        #expect(try await attempts(password, policyKiB: 1_048_576) == Self.noMemory)
        #expect(try failures() == 0)
    }
}
