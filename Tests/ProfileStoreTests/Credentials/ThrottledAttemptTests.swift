import Dispatch
import ProfileCore
@testable import ProfileStore
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// P9 as the store keeps it: counted before the hash, across processes and restarts.
@Suite(.watched) struct ThrottledAttemptTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(registering: ["abel"])
    }

    private func guess(_ username: String = "abel", in other: ProfileRepository? = nil) async -> CredentialError? {
        await outcome(Secret("wrong1A"), username, in: other)
    }

    private func outcome(
        _ secret: Secret, _ username: String = "abel", in other: ProfileRepository? = nil
    ) async -> CredentialError? {
        do throws(CredentialError) {
            _ = try await (other ?? repository).passwords.validate(secret, for: username)
            return nil
        } catch {
            return error
        }
    }

    /// Stores this number of failed attempts without computing hashes.
    private func fail(_ count: Int, _ username: String = "abel") throws {
        let now = store.clock.timestamp.millisecondsSince1970
        try store.execute(
            """
            INSERT OR REPLACE INTO throttles (name, kind, failures, blocked_until, attempted_at, is_known)
            VALUES ('\(username)', 'password', \(count), \(now), \(now), 1)
            """)
    }

    private func failures() async throws -> Int { try await store.failedAttempts().map(\.failures).reduce(0, +) }

    @Test(arguments: ["abel", "zoe"])
    func `P9: five guesses are free, then each waits twice as long, and costs no hash while it waits`(
        username: String
    ) async throws {
        for _ in 1...5 { #expect(await guess(username) == .wrong) }
        for seconds in [1, 2, 4] as [Int64] {
            let runs = repository.hasher.argon2Runs
            #expect(await guess(username) == .throttled(milliseconds: seconds * 1_000))
            store.clock.advance(by: .milliseconds(seconds * 1_000 - 1))
            #expect(await guess(username) == .throttled(milliseconds: 1))
            #expect(await outcome(People.secret, username) == .throttled(milliseconds: 1), "the right secret waits too")
            #expect(repository.hasher.argon2Runs == runs)
            store.clock.advance(by: .milliseconds(1))
            #expect(await guess(username) == .wrong)
        }
        #expect(try await failures() == 8)
        #expect(await guess(username.uppercased()) == .throttled(milliseconds: 8_000))
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `P9: the wait grows to fifteen minutes, and after a hundred failures only an unlock helps`() async throws {
        try fail(20)
        #expect(await guess() == .wrong)
        #expect(await guess() == .throttled(milliseconds: 900_000))
        try fail(99)
        store.clock.advance(by: .seconds(900))
        #expect(await guess() == .wrong)
        store.clock.advance(by: .seconds(100_000))
        let runs = repository.hasher.argon2Runs
        #expect(await outcome(People.secret) == .locked)
        #expect(repository.hasher.argon2Runs == runs)
        try await repository.unlock("ABEL")
        #expect(await outcome(People.secret) == nil)
        await #expect(throws: CredentialError.store(.notFound(username: "zoe"))) { try await repository.unlock("zoe") }
    }

    @Test func `P9: a success forgets the failures before it, and only those of its own kind`() async throws {
        try await repository.passcodes.create(Secret("parislondon"), for: "abel")
        for _ in 1...3 { #expect(await guess() == .wrong) }
        await #expect(throws: CredentialError.wrong) {
            try await repository.passcodes.validate(Secret("wrong"), for: "abel")
        }
        #expect(try await failures() == 4)
        #expect(await outcome(People.secret) == nil)
        #expect(try await failures() == 1)
        for _ in 1...5 { #expect(await guess() == .wrong) }
        #expect(await guess() == .throttled(milliseconds: 1_000))
    }

    @Test func `P9: failures outlive the process, and count across repositories`() async throws {
        let other = try await store.open()
        for number in 1...5 { #expect(await guess(in: number.isMultiple(of: 2) ? other : repository) == .wrong) }
        #expect(await guess(in: other) == .throttled(milliseconds: 1_000))
        await other.close()
        await repository.close()
        let reopened = try await store.open()
        #expect(await guess(in: reopened) == .throttled(milliseconds: 1_000))
    }

    @Test func `P9: two hundred guesses at once cost five hashes`() async throws {
        let repository = repository
        let runs = repository.hasher.argon2Runs
        let errors = await withTaskGroup(of: CredentialError?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    do throws(CredentialError) {
                        _ = try await repository.passwords.validate(Secret("guess\(number)A"), for: "abel")
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.count { $0 == .wrong } == 5)
        #expect(errors.count { $0 == .throttled(milliseconds: 1_000) } == 195)
        #expect(repository.hasher.argon2Runs - runs == 5)
    }

    @Test func `P9: the old passcode of an edit counts, a new one that breaks the rules does not`() async throws {
        try await repository.passcodes.create(Secret("marsvenus"), for: "abel")
        func edit(_ present: String, _ new: String) async -> CredentialError? {
            do throws(CredentialError) {
                try await repository.passcodes.edit(from: Secret(present), to: Secret(new), for: "abel")
                return nil
            } catch {
                return error
            }
        }
        for _ in 1...3 { #expect(await edit("marsvenus", "short") == .violation(.tooShort(minimum: 8))) }
        #expect(try await failures() == 0)
        for _ in 1...5 { #expect(await edit("mercuryjupiter", "morningafternoon") == .wrong) }
        #expect(await edit("marsvenus", "morningafternoon") == .throttled(milliseconds: 1_000))
        store.clock.advance(by: .seconds(1))
        #expect(await edit("marsvenus", "morningafternoon") == nil)
        #expect(try await failures() == 0)
    }

    @Test func `P9: setting a new secret or removing it resets the failures`() async throws {
        for _ in 1...6 { _ = await guess() }
        _ = try await repository.edit("abel") { $0["address"] = "2" }
        #expect(await guess() == .throttled(milliseconds: 1_000), "an edit of something else does not help")
        _ = try await repository.edit("abel") { $0.password = Secret("bL9pjp") }
        #expect(await outcome(Secret("bL9pjp")) == nil)

        try await repository.passcodes.create(Secret("marsvenus"), for: "abel")
        for _ in 1...6 { _ = try? await repository.passcodes.validate(Secret("wrong"), for: "abel") }
        #expect(try await failures() == 5)
        try await repository.passcodes.remove(of: "abel")
        #expect(try await failures() == 0)
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `P9: attempts before a registration, or before a passcode is set, do not lock the name`() async throws {
        try fail(100, "bert")
        try await repository.register("Bert")
        #expect(await outcome(People.secret, "bert") == nil)
        for _ in 1...6 { _ = try? await repository.passcodes.validate(Secret("wrong"), for: "bert") }
        try await repository.passcodes.create(Secret("marsvenus"), for: "bert")
        #expect(try await repository.passcodes.validate(Secret("marsvenus"), for: "bert").username == "Bert")

        try fail(100, "carl")
        _ = try await repository.edit("bert") { draft in
            draft["username"] = "carl"
            draft.password = Secret("bL9pjp")
        }
        #expect(await outcome(Secret("bL9pjp"), "carl") == nil)
    }

    @Test func `P9: failures follow a renamed profile, and the old name answers like an unknown name`() async throws {
        try await repository.passcodes.create(Secret("parislondon"), for: "abel")
        await #expect(throws: CredentialError.wrong) {
            try await repository.passcodes.validate(Secret("wrong"), for: "abel")
        }
        for _ in 1...7 {
            for name in ["abel", "nobody"] { _ = await guess(name) }
            store.clock.advance(by: .seconds(2))
        }
        _ = try await repository.edit("abel") { $0["username"] = "ABEL" }
        let expected = await guess("nobody")
        #expect(expected == .throttled(milliseconds: 2_000))
        #expect(await guess("abel") == expected, "letters of another case make no other name")
        _ = try await repository.edit("abel") { $0["username"] = "adam" }
        for name in ["adam", "abel", "nobody"] { #expect(await guess(name) == expected, "\(name)") }
        #expect(await outcome(People.secret, "adam") == expected, "the right secret waits too")
        let kept = try await store.failedAttempts().map { "\($0.name) \($0.failures)" }.sorted()
        #expect(kept == ["abel 1", "abel 7", "adam 1", "adam 7", "nobody 7"])
        // A rename there and back does not reset the failures.
        _ = try await repository.edit("adam") { $0["username"] = "Abel" }
        for name in ["adam", "abel"] { #expect(await guess(name) == expected, "\(name)") }
        #expect(try await repository.isSound())
        // A new password resets the failures, even together with a rename.
        _ = try await repository.edit("abel") { draft in
            draft["username"] = "adam"
            draft.password = Secret("bL9pjp")
        }
        #expect(await outcome(Secret("bL9pjp"), "adam") == nil)
        #expect(await guess("abel") == expected)
    }

    @Test func `P9: failures at a name do not count for a profile that takes it later`() async throws {
        for _ in 1...5 { #expect(await guess("adam") == .wrong) }
        #expect(await guess("abel") == .wrong)
        _ = try await repository.edit("abel") { $0["username"] = "adam" }
        for _ in 1...4 { #expect(await guess("adam") == .wrong) }
        #expect(await guess("adam") == .throttled(milliseconds: 1_000))
        #expect(try await repository.isSound())
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `P9: after a rename, the stricter of the counts of both names applies`() async throws {
        for (old, new, name) in [(99, 3, "adam"), (3, 99, "carl")] {
            let before = "old\(name)"
            try await repository.register(before)
            try fail(old, before)
            try fail(new, name)
            _ = try await repository.edit(before) { $0["username"] = name }
            #expect(try store.number("SELECT failures FROM throttles WHERE name = '\(name)' AND is_known = 1") == 99)
        }
        #expect(try await repository.isSound())
    }

    @Test func `P9: a profile that is removed takes its failures with it`() async throws {
        for _ in 1...6 { _ = await guess() }
        try await repository.remove("abel")
        #expect(try await failures() == 0)
    }

    @Test func `P9: of the names without a profile the oldest are forgotten first`() async throws {
        let few = try await store.open(store.options { $0.mostUnknownNames = 10 })
        for _ in 1...2 { #expect(await guess("abel", in: few) == .wrong) }
        for number in 0..<12 {
            store.clock.advance(by: .milliseconds(1))
            #expect(await guess("nobody\(number)", in: few) == .wrong)
        }
        let names = try await store.failedAttempts().map(\.name)
        #expect(Set(names) == Set(["abel"] + (2..<12).map { "nobody\($0)" }))
        #expect(repository.options.mostUnknownNames == 100_000)
    }

    @Test func `P9: any name can be tried, even one that no profile can have`() async throws {
        for name in ["", " ", "a\0b", String(repeating: "\u{E9}", count: 5_000), "Ünï", "' OR 1=1 --"] {
            #expect(await guess(name) == .wrong, "\(name.prefix(10))")
        }
        if store.engine == .sqlite {
            #expect(try store.number("SELECT max(length(CAST(name AS BLOB))) FROM throttles") <= 1_026)
        }
        #expect(try await repository.statistics().profiles == 1)
    }

    // MARK: Attempts that do not count

    /// A repository whose one hashing thread is busy until the gate is opened.
    private func busyRepository() async throws -> (ProfileRepository, gate: DispatchSemaphore) {
        let busy = try await store.open(store.options { $0.hashingThreads = 1 })
        return (busy, await busy.occupyHashingThread())
    }

    @Test func `P11: an attempt that finds the queue for hashes full does not count`() async throws {
        let (busy, gate) = try await busyRepository()
        let waiting = (0..<64).map { _ in Task { try await busy.hasher.pool.run {} } }
        try await waitUntil { busy.hasher.pool.waiting >= 64 }
        for _ in 1...10 { #expect(await guess(in: busy) == .hashing(.busy)) }
        #expect(try await store.failedAttempts().isEmpty)
        gate.signal()
        for task in waiting { try await task.value }
        #expect(await outcome(People.secret, in: busy) == nil)
    }

    @Test func `P9: an attempt that was cancelled before its hash does not count`() async throws {
        let (busy, gate) = try await busyRepository()
        for _ in 1...6 {
            let attempt = Task { await guess(in: busy) }
            try await waitUntil { busy.hasher.pool.waiting != 0 }
            #expect(try await failures() == 1, "it counts while it waits")
            attempt.cancel()
            #expect(await attempt.value == .hashing(.cancelled))
            #expect(try await failures() == 0)
        }
        gate.signal()
        #expect(await guess(in: busy) == .wrong)
    }
}
