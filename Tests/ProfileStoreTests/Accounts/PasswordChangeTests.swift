import ProfileCore
@testable import ProfileStore
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// A new password of a person who is logged in.
@Suite(.watched) struct PasswordChangeTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository
    private let new = Secret("bL9pjp")

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(registering: ["abel", "bert"])
    }

    private func session(of username: String = "abel") async throws -> LoginSession {
        try await repository.sessions.start(vouchingFor: username, label: AccountLabel("Firefox")).value
    }

    private func change(
        from present: Secret = People.secret, to new: Secret? = nil, in session: LoginSession
    ) async -> CredentialError? {
        do throws(CredentialError) {
            _ = try await repository.sessions.changePassword(from: present, to: new ?? self.new, in: session)
            return nil
        } catch {
            return error
        }
    }

    private func login(_ password: Secret, _ username: String = "abel") async -> CredentialError? {
        do throws(CredentialError) {
            _ = try await repository.passwords.validate(password, for: username)
            return nil
        } catch {
            return error
        }
    }

    @Test func `H4: a new password ends all sessions and the reset, and starts one session`() async throws {
        let first = try await repository.sessions.start(vouchingFor: "abel", label: AccountLabel("Firefox"))
        let second = try await repository.sessions.start(vouchingFor: "abel")
        let other = try await repository.sessions.start(vouchingFor: "bert")
        let reset = try await repository.passwords.issueReset(of: "abel")
        for token in [first.token, second.token] { #expect(try await repository.sessions.find(token) != nil) }
        let number = try await repository.changes.latestNumber
        let changed = try await repository.sessions.changePassword(
            from: People.secret, to: new, in: first.value, by: Author("profile 1"))
        let started = changed.session
        #expect(changed.device == nil)
        #expect(started.value.label == first.value.label && started.value.id != first.value.id)
        #expect(try await repository.sessions.list(of: "abel") == [started.value])
        #expect(try await repository.sessions.find(started.token) == started.value)
        for token in [first.token, second.token] { #expect(try await repository.sessions.find(token) == nil) }
        #expect(try await repository.passwords.findReset(reset.token) == nil)
        #expect(try await repository.sessions.find(other.token) != nil)
        let changes = try await repository.changes.page(after: number, limit: 5)
        #expect(changes.map(\.kind) == [.edited, .credentialChanged] && changes.first?.revision == 2)
        #expect(changes.allSatisfy { $0.author == "profile 1" })
        #expect(await login(People.secret) == .wrong)
        #expect(await login(new) == nil)
        #expect(await login(People.secret, "bert") == nil)
    }

    @Test func `P9: attempts at the old password count for the session, and not for the name`() async throws {
        let (first, second) = (try await session(), try await session())
        for _ in 0..<ThrottleState.freeAttempts {
            #expect(await change(from: Secret("wrong1A"), in: first) == .wrong)
        }
        let runs = repository.hasher.argon2Runs
        #expect(await change(in: first) == .throttled(milliseconds: 1_000))
        #expect(repository.hasher.argon2Runs == runs)
        // Neither a login nor another session waits.
        #expect(await login(People.secret) == nil)
        #expect(await change(from: Secret("wrong1A"), in: second) == .wrong)
        store.clock.advance(by: .seconds(1))
        #expect(await change(in: first) == nil)
        // The success has forgotten the count of its session.
        #expect(try await store.failedAttempts().map(\.failures) == [1])
    }

    @Test func `P9: a name that strangers have locked does not keep its owner from a new password`() async throws {
        let session = try await session()
        for _ in 0..<ThrottleState.freeAttempts { #expect(await login(Secret("wrong1A")) == .wrong) }
        #expect(await login(People.secret) == .throttled(milliseconds: 1_000))
        #expect(await change(in: session) == nil)
        // As with an edit, the guesses at the old password no longer count.
        #expect(await login(new) == nil)
        #expect(try await store.failedAttempts().isEmpty)
    }

    @Test func `a session that has ended changes no password`() async throws {
        let ended = try await session()
        try await repository.sessions.end(ended.id)
        #expect(await change(in: ended) == .wrong)
        let idle = try await session()
        store.clock.advance(by: .seconds(3_600))
        #expect(await change(in: idle) == .wrong)
        let changed = try await session()
        _ = try await repository.edit("abel") { $0.password = new }
        #expect(await change(from: new, to: People.secret, in: changed) == .wrong)
        let removed = try await session(of: "bert")
        try await repository.remove("bert")
        #expect(await change(in: removed) == .wrong)
        try await repository.register("bert")
        #expect(await change(in: removed) == .wrong)
        #expect(await login(new) == nil)
        #expect(await login(People.secret, "bert") == nil)
    }

    @Test func `a session stays with its profile when names are exchanged`() async throws {
        let session = try await session()
        for (old, new) in [("abel", "carl"), ("bert", "abel")] {
            _ = try await repository.edit(old) { $0["username"] = new }
        }
        #expect(await change(in: session) == nil)
        #expect(await login(new, "carl") == nil)
        #expect(await login(People.secret, "abel") == nil)
    }

    @Test func `a password that the rules refuse costs no attempt, and the session goes on`() async throws {
        let session = try await session()
        let runs = repository.hasher.argon2Runs
        for password in ["", "aB", "poytrl"] {
            let error = await change(to: Secret(password), in: session)
            #expect(error?.kind == .invalid, "\(String(describing: error))")
        }
        #expect(repository.hasher.argon2Runs == runs)
        #expect(try await store.failedAttempts().isEmpty)
        #expect(try await repository.sessions.list(of: "abel") == [session])
        #expect(try await repository.profile(username: "abel")?.revision == 1)
    }

    @Test func `H4: of two concurrent password changes, one succeeds`() async throws {
        let (first, second) = (try await session(), try await session())
        async let one = change(to: Secret("bL9pjp"), in: first)
        async let two = change(to: Secret("cM8qkq"), in: second)
        let outcomes = await [one, two]
        #expect(outcomes.count { $0 == nil } == 1 && outcomes.contains(.wrong), "\(outcomes)")
        #expect(try await repository.sessions.list(of: "abel").count == 1)
        #expect(try await repository.profile(username: "abel")?.revision == 2)
    }
}
