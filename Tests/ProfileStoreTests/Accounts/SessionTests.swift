import ProfileCore
@testable import ProfileStore
import ProfileTesting
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// Sessions: how they start, how long they last, and how they are listed and ended.
@Suite(.watched) struct SessionTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(registering: ["abel", "bert"])
    }

    private func session(for token: Secret) async throws -> LoginSession? { try await repository.sessions.find(token) }

    private func later(_ duration: Duration) { store.clock.advance(by: duration) }

    // MARK: Starting

    @Test func `H4: the right password starts a session, which its token alone finds`() async throws {
        let label = try #require(AccountLabel("Firefox on Linux"))
        let issued = try await repository.sessions.start(People.secret, for: "ABEL", label: label)
        let session = issued.value
        #expect(session.username == "abel" && session.profileID == 1 && session.label == label)
        let now = store.clock.timestamp
        #expect(session.createdAt == now && session.lastUsedAt == now)
        #expect(session.idleExpiresAt == now.advanced(by: .seconds(3_600)))
        #expect(session.expiresAt == now.advanced(by: .seconds(86_400)))
        #expect(try await self.session(for: issued.token) == session)
        #expect(issued.token.count == 46 && String(issued.token.bytes).hasPrefix("ps_"))

        let other = try await repository.sessions.start(People.secret, for: "abel")
        #expect(other.value.id != session.id && other.token != issued.token)
        #expect(try await self.session(for: other.token) == other.value)
        for text in ["", "ps_", String(session.id.description), "ps_" + String(repeating: "A", count: 43)] {
            #expect(try await self.session(for: Secret(text)) == nil)
        }
    }

    @Test func `H4: no token is taken for one of another kind`() async throws {
        let name = try #require(AccountLabel("nightly"))
        let tokens = [
            try await repository.sessions.start(People.secret, for: "abel").token,
            try await repository.tokens.create(name, scopes: [.read]).token,
            try await repository.passwords.issueReset(of: "abel").token,
        ]
        for (index, token) in tokens.enumerated() {
            // Each token unchanged, and with the prefix of another kind.
            for prefix in ["ps_", "pt_", "pr_"] {
                let text = Secret(index == ["ps_", "pt_", "pr_"].firstIndex(of: prefix) ? "" : prefix)
                let forged = Secret(String(text.bytes) + String(String(token.bytes).dropFirst(text.isEmpty ? 0 : 3)))
                #expect((try await repository.sessions.find(forged) != nil) == (index == 0 && text.isEmpty))
                #expect((try await repository.tokens.find(forged) != nil) == (index == 1 && text.isEmpty))
                #expect((try await repository.passwords.findReset(forged) != nil) == (index == 2 && text.isEmpty))
            }
        }
    }

    @Test func `P9, P10: a wrong password starts no session, and counts and costs like any other attempt`() async throws
    {
        func start(_ password: String, _ username: String) async throws(CredentialError) {
            _ = try await repository.sessions.start(Secret(password), for: username)
        }
        var costs: [Int] = []
        for username in ["abel", "zoe"] {
            let before = repository.hasher.argon2Runs
            await #expect(throws: CredentialError.wrong) { try await start("wrong1A", username) }
            costs.append(repository.hasher.argon2Runs - before)
        }
        #expect(costs[0] == costs[1] && costs[0] > 0)
        for _ in 0..<4 { await #expect(throws: CredentialError.wrong) { try await start("wrong1A", "abel") } }
        // Now even the right password is refused without a check.
        let error = await #expect(throws: CredentialError.self) { try await start("aK8oio", "abel") }
        guard case .throttled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await repository.sessions.list(of: "abel") == [])
        later(.seconds(60))
        try await start("aK8oio", "abel")
        #expect(try await store.failedAttempts().map(\.name) == ["zoe"])
        #expect(try await repository.sessions.list(of: "abel").count == 1)
    }

    @Test func `H4: no session starts if the password changes while it is verified`() async throws {
        let stored = try #require(try await repository.engine.credential(.password, of: "abel")?.hash)
        let other = try PasswordHash(parsing: People.weakHash.utf8.span)
        for (hashes, rehash, starts) in [([stored], nil, true), ([other], nil, false), ([stored, other], other, true)] {
            let token = try NewToken(.session)
            let attempt = LoginAttempt(
                username: "abel", kind: .password, isKnown: true, time: store.clock.timestamp)
            let new = NewSession(token.hash, label: nil, under: .standard, at: store.clock.timestamp)
            let success = try await repository.engine.settle(
                attempt,
                .right(
                    profileID: 1, rehash: rehash.map { LoginAttempt.Rehash(old: stored, new: $0) },
                    session: LoginAttempt.ProvenSession(new, hashes: hashes)))
            #expect(success?.profile.username == "abel")
            #expect((success?.session != nil) == starts)
            #expect((try await session(for: token.text) != nil) == starts)
        }
    }

    @Test func `a caller can start a session without the password, if the profile exists`() async throws {
        let issued = try await repository.sessions.start(vouchingFor: "Bert")
        #expect(try await session(for: issued.token)?.username == "bert")
        await #expect(throws: ProfileStoreError.notFound(username: "zoe")) {
            _ = try await repository.sessions.start(vouchingFor: "zoe")
        }
    }

    // MARK: Expiry

    @Test func `an unused session ends after its idle time, and a used one after its lifetime`() async throws {
        let policy = SessionPolicy(idleTime: .seconds(600), lifetime: .seconds(1_500))
        let idle = try await repository.sessions.start(People.secret, for: "abel", policy: policy)
        let used = try await repository.sessions.start(People.secret, for: "abel", policy: policy)
        later(.milliseconds(599_999))
        #expect(try await session(for: used.token) != nil)
        await repository.tokenUses.wait()
        #expect(try await repository.sessions.list(of: "abel").count == 2)
        later(.milliseconds(1))
        #expect(try await session(for: idle.token) == nil)
        #expect(try await repository.sessions.list(of: "abel").map(\.id) == [used.value.id])
        later(.seconds(599))
        let before = try #require(try await session(for: used.token))
        #expect(before.idleExpiresAt <= before.expiresAt)
        await repository.tokenUses.wait()
        later(.milliseconds(300_999))
        #expect(try await session(for: used.token) != nil)
        later(.milliseconds(1))
        #expect(try await session(for: used.token) == nil, "1,500 seconds after it was started")
        #expect(try await repository.sessions.end(used.value.id) == nil, "it has ended already")
    }

    @Test func `a request is no write: last use is written once a minute, or in a tenth of the idle time`() async throws
    {
        for (idleTime, interval) in [(3_600, 60_000), (100, 10_000)] {
            let policy = SessionPolicy(idleTime: .seconds(idleTime))
            let issued = try await repository.sessions.start(People.secret, for: "abel", policy: policy)
            func lastUse() async throws -> Timestamp? {
                await repository.tokenUses.wait()
                return try await repository.sessions.list(of: "abel").first { $0.id == issued.value.id }?.lastUsedAt
            }
            for _ in 0..<20 {
                later(.milliseconds(interval / 20 - 1))
                #expect(try await session(for: issued.token) != nil)
            }
            #expect(try await lastUse() == issued.value.createdAt)
            later(.milliseconds(20))
            let time = store.clock.timestamp
            // Many requests at once write the use once, and the next look-up returns it immediately.
            for _ in 0..<20 { #expect(try await session(for: issued.token) != nil) }
            #expect(try await session(for: issued.token)?.lastUsedAt == time)
            #expect(try await lastUse() == time)
            later(.milliseconds(interval / 2))
            #expect(try await session(for: issued.token)?.lastUsedAt == time)
            #expect(try await lastUse() == time)
        }
    }

    @Test func `a pending last use is written when the repository is closed`() async throws {
        let issued = try await repository.sessions.start(People.secret, for: "abel")
        later(.seconds(61))
        let time = store.clock.timestamp
        #expect(try await session(for: issued.token) != nil)
        await repository.close()
        let again = try await store.open()
        #expect(try await again.sessions.list(of: "abel").map(\.lastUsedAt) == [time])
        await again.close()
    }

    @Test(.onlyOnSQLite("needs a second process"))
    func `a session is found while another process writes, although its use cannot be stored`() async throws {
        let issued = try await repository.sessions.start(People.secret, for: "abel")
        later(.seconds(61))
        let holder = try ExerciserProcess("hold", store.path, "tester")
        #expect(holder.waitForSign())
        #expect(try await session(for: issued.token) != nil)
        _ = await holder.finish()
        await repository.tokenUses.wait()
        #expect(try await repository.sessions.list(of: "abel").map(\.lastUsedAt) == [store.clock.timestamp])
    }

    @Test func `a use that is written late does not revive an expired session`() async throws {
        let policy = SessionPolicy(idleTime: .seconds(10))
        let issued = try await repository.sessions.start(People.secret, for: "abel", policy: policy)
        let hash = try #require(TokenHash(of: issued.token, .session))
        later(.seconds(10))
        try await repository.engine.note([TokenUse(hash, at: store.clock.timestamp)])
        #expect(try await session(for: issued.token) == nil)
        // An earlier use does not move the last use back.
        let second = try await repository.sessions.start(People.secret, for: "abel", policy: policy)
        let secondHash = try #require(TokenHash(of: second.token, .session))
        let before = store.clock.timestamp.advanced(byMilliseconds: -5_000)
        try await repository.engine.note([TokenUse(secondHash, at: before)])
        #expect(try await session(for: second.token) == second.value)
    }

    @Test func `H4: a field of the schema may have the name of a column of the tokens' table`() async throws {
        let names = ["name", "kind", "hash", "label", "scopes", "profile_id", "expires_at", "last_used_at"]
        let fields = names.map { "{\"name\":\"\($0)\"}" }.joined(separator: ",")
        try await repository.rules.adopt(People.standard(and: fields))
        try await repository.register("carl", Dictionary(uniqueKeysWithValues: names.map { ($0, "7") }))
        let label = AccountLabel("Firefox")
        let issued = try await repository.sessions.start(People.secret, for: "carl", label: label)
        #expect(issued.value.profileID == 3 && issued.value.username == "carl" && issued.value.label == label)
        #expect(try await session(for: issued.token) == issued.value)
        #expect(try await repository.sessions.list() == [issued.value])
        #expect(try await repository.sessions.list(of: "carl") == [issued.value])
        let reset = try await repository.passwords.issueReset(of: "carl")
        #expect(try await repository.passwords.findReset(reset.token) == reset.value)
        #expect(try await repository.sessions.end(issued.value.id) == issued.value)
    }

    // MARK: Limits

    @Test func `a profile has a maximum of sessions, and the sessions used last stay`() async throws {
        let policy = SessionPolicy(mostOfProfile: 3)
        var tokens: [Secret] = []
        for _ in 0..<3 {
            tokens.append(try await repository.sessions.start(vouchingFor: "abel", policy: policy).token)
            later(.seconds(100))
        }
        let bert = try await repository.sessions.start(vouchingFor: "bert", policy: policy)
        // The oldest is the one that was used last.
        #expect(try await session(for: tokens[0]) != nil)
        await repository.tokenUses.wait()
        later(.seconds(1))
        tokens.append(try await repository.sessions.start(vouchingFor: "abel", policy: policy).token)
        var isThere: [Bool] = []
        for token in tokens { isThere.append(try await session(for: token) != nil) }
        #expect(isThere == [true, false, true, true])
        #expect(try await session(for: bert.token) != nil)
    }

    @Test func `a new session removes a few expired ones, and removeExpired removes the rest`() async throws {
        let short = SessionPolicy(idleTime: .seconds(10), lifetime: .seconds(10))
        for _ in 0..<20 { _ = try await repository.sessions.start(vouchingFor: "abel", policy: short) }
        _ = try await repository.passwords.issueReset(of: "abel", validFor: .seconds(5))
        later(.seconds(10))
        let bert = try await repository.sessions.start(vouchingFor: "bert")
        #expect(try await repository.engine.removeExpired(at: store.clock.timestamp) == 13, "12 and the reset")
        #expect(try await repository.removeExpired() == 0)
        #expect(try await repository.sessions.list().map(\.id) == [bert.value.id])
    }

    // MARK: Listing and ending

    @Test func `sessions are listed by profile, page by page`() async throws {
        var ids: Set<TokenID> = []
        for username in ["abel", "bert", "abel", "abel", "bert"] {
            ids.insert(try await repository.sessions.start(vouchingFor: username).value.id)
        }
        var pages: [[LoginSession]] = []
        var last: LoginSession?
        repeat {
            pages.append(try await repository.sessions.list(after: last, limit: 2))
            last = pages.last?.last
        } while last != nil
        #expect(pages.map(\.count) == [2, 2, 1, 0])
        #expect(Set(pages.flatMap { $0.map(\.id) }) == ids)
        #expect(pages.flatMap { $0.map(\.username) } == ["abel", "abel", "abel", "bert", "bert"])
        await #expect(throws: ProfileStoreError.notFound(username: "zoe")) {
            try await repository.sessions.list(of: "zoe")
        }
    }

    @Test func `a session is ended by its id or its token, and other sessions stay`() async throws {
        let sessions = [
            try await repository.sessions.start(vouchingFor: "abel"),
            try await repository.sessions.start(vouchingFor: "abel"),
            try await repository.sessions.start(vouchingFor: "abel"),
            try await repository.sessions.start(vouchingFor: "bert"),
        ]
        for session in sessions { #expect(try await self.session(for: session.token) != nil) }
        #expect(try await repository.sessions.end(sessions[0].value.id)?.id == sessions[0].value.id)
        #expect(try await repository.sessions.end(sessions[0].value.id) == nil)
        #expect(try await repository.sessions.end(for: sessions[1].token)?.id == sessions[1].value.id)
        #expect(try await repository.sessions.end(for: Secret("nonsense")) == nil)
        var isThere: [Bool] = []
        for session in sessions { isThere.append(try await self.session(for: session.token) != nil) }
        #expect(isThere == [false, false, true, true], "at once in this process")
        #expect(try await repository.sessions.endAll(of: "ABEL") == 1)
        #expect(try await repository.sessions.endAll(of: "abel") == 0)
        #expect(try await session(for: sessions[2].token) == nil)
        #expect(try await session(for: sessions[3].token) != nil)
        await #expect(throws: ProfileStoreError.notFound(username: "zoe")) {
            try await repository.sessions.endAll(of: "zoe")
        }
    }

    @Test func `a session has the current username of its profile`() async throws {
        let issued = try await repository.sessions.start(vouchingFor: "abel")
        _ = try await repository.edit("abel") { $0["username"] = "abelard" }
        later(.milliseconds(250))
        #expect(try await session(for: issued.token)?.username == "abelard")
    }
}
