import ProfileCore
import ProfileStore
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// Passcodes and passwords as the store keeps them.
@Suite(.watched) struct StoredCredentialTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(registering: ["abel"])
    }

    private func storedHash(_ kind: CredentialKind, of username: String = "abel") async throws -> String? {
        try await repository.engine.credential(kind, of: username)?.hash?.text
    }

    // MARK: Creating and validating

    @Test func `P1, P2, P5: a passcode that is created is right, and another one is wrong`() async throws {
        try await repository.passcodes.create(Secret("parislondon"), for: "ABEL")
        #expect(try await repository.passcodes.validate(Secret("parislondon"), for: "abel").username == "abel")
        await #expect(throws: CredentialError.wrong) {
            try await repository.passcodes.validate(Secret("parislondon1"), for: "abel")
        }
        #expect(try await storedHash(.passcode)?.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$") == true)
        #expect(try await repository.profile(username: "abel")?.revision == 1, "a profile is no other for its passcode")
    }

    @Test func `P1: a passcode that exists is never overwritten, also not by one at the same moment`() async throws {
        let repository = repository
        let outcomes = await withTaskGroup(of: (Int, CredentialError?).self) { group in
            for number in 0..<4 {
                group.addTask {
                    do throws(CredentialError) {
                        try await repository.passcodes.create(Secret("passcode \(number)"), for: "abel")
                    } catch {
                        return (number, error)
                    }
                    return (number, nil)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let winners = outcomes.filter { $0.1 == nil }.map(\.0)
        #expect(winners.count == 1)
        #expect(outcomes.count { $0.1 == .passcodeExists } == 3)
        let winner = try #require(winners.first)
        #expect(try await repository.passcodes.validate(Secret("passcode \(winner)"), for: "abel").id == 1)
    }

    @Test func `P6: a passcode that breaks the policy is not created`() async throws {
        await #expect(throws: CredentialError.violation(.empty)) {
            try await repository.passcodes.create(Secret(""), for: "abel")
        }
        await #expect(throws: CredentialError.violation(.tooShort(minimum: 8))) {
            try await repository.passcodes.create(Secret("short"), for: "abel")
        }
        #expect(try await storedHash(.passcode) == nil)
        await #expect(throws: CredentialError.store(.notFound(username: "zoe"))) {
            try await repository.passcodes.create(Secret("parislondon"), for: "zoe")
        }
    }

    // MARK: Editing

    @Test func `P3, P5: an edit with the right passcode replaces it`() async throws {
        try await repository.passcodes.create(Secret("marsvenus"), for: "abel")
        try await repository.passcodes.edit(from: Secret("marsvenus"), to: Secret("morningafternoon"), for: "abel")
        #expect(try await repository.passcodes.validate(Secret("morningafternoon"), for: "abel").id == 1)
        await #expect(throws: CredentialError.wrong) {
            try await repository.passcodes.validate(Secret("marsvenus"), for: "abel")
        }
    }

    @Test func `P3, P5: any other edit changes nothing`() async throws {
        try await repository.passcodes.create(Secret("marsvenus"), for: "abel")
        let before = try await storedHash(.passcode)
        func edit(_ present: String, _ new: String, _ username: String = "abel") async throws(CredentialError) {
            try await repository.passcodes.edit(from: Secret(present), to: Secret(new), for: username)
        }
        await #expect(throws: CredentialError.wrong) { try await edit("mercuryjupiter", "morningafternoon") }
        await #expect(throws: CredentialError.notDifferent) { try await edit("marsvenus", "marsvenus") }
        await #expect(throws: CredentialError.violation(.tooShort(minimum: 8))) { try await edit("marsvenus", "short") }
        await #expect(throws: CredentialError.wrong) { try await edit("marsvenus", "morningafternoon", "zoe") }
        #expect(try await storedHash(.passcode) == before)
    }

    @Test func `P3: of edits at the same moment one succeeds, and its passcode is the one that counts`() async throws {
        try await repository.passcodes.create(Secret("marsvenus"), for: "abel")
        let repository = repository
        let winners = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<4 {
                group.addTask {
                    do throws(CredentialError) {
                        try await repository.passcodes.edit(
                            from: Secret("marsvenus"), to: Secret("passcode \(number)"), for: "abel")
                        return number
                    } catch {
                        return nil
                    }
                }
            }
            return await group.reduce(into: []) { if let number = $1 { $0.append(number) } }
        }
        #expect(winners.count == 1)
        let winner = try #require(winners.first)
        #expect(try await repository.passcodes.validate(Secret("passcode \(winner)"), for: "abel").id == 1)
    }

    @Test func `P9: a passcode that is removed can be created again`() async throws {
        await #expect(throws: CredentialError.noPasscode) { try await repository.passcodes.remove(of: "abel") }
        await #expect(throws: CredentialError.store(.notFound(username: "zoe"))) {
            try await repository.passcodes.remove(of: "zoe")
        }
        try await repository.passcodes.create(Secret("marsvenus"), for: "abel")
        try await repository.passcodes.remove(of: "ABEL")
        await #expect(throws: CredentialError.wrong) {
            try await repository.passcodes.validate(Secret("marsvenus"), for: "abel")
        }
        try await repository.passcodes.create(Secret("parislondon"), for: "abel")
        #expect(try await repository.passcodes.validate(Secret("parislondon"), for: "abel").id == 1)
    }

    // MARK: Imported hashes

    @Test(arguments: [People.weakHash, People.bcryptHash])
    func `P7, P8: a hash that is weaker or foreign is replaced when its secret is known`(hash: String) async throws {
        try await repository.register("bert", ["password_hash": hash])
        await #expect(throws: CredentialError.wrong) {
            try await repository.passwords.validate(Secret("bL9pjp"), for: "bert")
        }
        #expect(try await storedHash(.password, of: "bert") == hash)
        #expect(try await repository.passwords.validate(People.secret, for: "bert").revision == 1)
        let replaced = try #require(try await storedHash(.password, of: "bert"))
        #expect(replaced.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(try await repository.passwords.validate(People.secret, for: "bert").id == 2)
        #expect(try await storedHash(.password, of: "bert") == replaced, "what is as strong as the policy stays")
    }

    @Test(.onlyOnSQLite("needs a second process"))
    func `P7: a rehash does not replace a password that was changed during the verification`() async throws {
        try await repository.register("bert", ["password_hash": People.weakHash])
        // The rehash is the last write of the attempt, so that it waits for the lock while the password changes.
        let writes = try await attemptHeldAtEachWrite(of: "bert") {
            "UPDATE profiles SET password_hash = '\(People.bcryptHash)' WHERE username = 'bert'"
        }
        #expect(writes == 2, "one before the hash, one after")
        #expect(try store.number("SELECT count(*) FROM profiles WHERE password_hash = '\(People.bcryptHash)'") == 1)
    }

    /// Makes an attempt while other processes hold the write lock, once before the first write of the attempt and once
    /// before the second. The SQL runs before the second write.
    private func attemptHeldAtEachWrite(of username: String, _ sql: () -> String) async throws -> Int {
        let repository = repository
        let first = try ExerciserProcess("hold", store.path, "tester")
        #expect(first.waitForSign())
        let attempt = Task { try await repository.passwords.validate(People.secret, for: username) }
        try await WaitingWriters.wait(for: store.path + "-lock")
        // This process waits for the lock behind the first write of the attempt, and holds it before the second write,
        // which follows the hash.
        let second = try ExerciserProcess("hold", store.path, "tester")
        _ = await first.finish()
        #expect(second.waitForSign())
        try await WaitingWriters.wait(for: store.path + "-lock")
        #expect(try store.number("SELECT count(*) FROM throttles") == 1)
        try store.execute(sql())
        _ = await second.finish()
        #expect(try await attempt.value.username == username)
        #expect(try store.number("SELECT count(*) FROM throttles") == 0)
        return 2
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `P8: a stored hash that cannot be read matches no secret`() async throws {
        try store.execute("UPDATE profiles SET password_hash = 'plain text'")
        await #expect(throws: CredentialError.wrong) {
            try await repository.passwords.validate(Secret("plain text"), for: "abel")
        }
    }

    @Test func `P10: an unknown user costs as many hashes as a wrong secret, and gets the same error`() async throws {
        try await repository.passcodes.create(Secret("parislondon"), for: "abel")
        try await repository.register("bert")
        func cost(_ attempt: () async throws -> Profile) async -> Int {
            let before = repository.hasher.argon2Runs
            await #expect(throws: CredentialError.wrong) { try await attempt() }
            return repository.hasher.argon2Runs - before
        }
        for secret in ["wrong secret", "caf\u{E9} wrong", "cafe\u{301} wrong"] {
            let secret = Secret(secret)
            let known = await cost { try await repository.passcodes.validate(secret, for: "abel") }
            let unknown = await cost { try await repository.passcodes.validate(secret, for: "zoe") }
            let withoutOne = await cost { try await repository.passcodes.validate(secret, for: "bert") }
            let password = await cost { try await repository.passwords.validate(secret, for: "abel") }
            let unknownPassword = await cost { try await repository.passwords.validate(secret, for: "zoe") }
            #expect(known > 0)
            #expect([unknown, withoutOne, password, unknownPassword] == [known, known, known, known])
        }
    }
}
