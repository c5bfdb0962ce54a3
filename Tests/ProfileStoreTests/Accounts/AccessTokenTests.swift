import ProfileCore
@testable import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// Access tokens, with which programs authenticate.
@Suite(.watched) struct AccessTokenTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open()
    }

    private func create(
        _ name: String, _ scopes: Set<AccessScope> = [.read], validFor validity: Duration? = nil
    ) async throws -> IssuedToken<AccessToken> {
        let label = try #require(AccountLabel(name))
        return try await repository.tokens.create(label, scopes: scopes, validFor: validity)
    }

    @Test func `H4: an access token is shown once, and gives access with its scopes`() async throws {
        let own = try #require(AccessScope("reports:daily"))
        let issued = try await create("nightly", [.write, own, .read])
        #expect(String(issued.token.bytes).hasPrefix("pt_") && issued.token.count == 46)
        #expect(issued.value.scopes == [.read, own, .write])
        #expect(issued.value.expiresAt == nil && issued.value.lastUsedAt == nil)
        let found = try #require(try await repository.tokens.find(issued.token))
        #expect(found.id == issued.value.id && found.name == issued.value.name && found.scopes == issued.value.scopes)
        #expect(try await repository.tokens.find(Secret("pt_" + String(repeating: "A", count: 43))) == nil)
        #expect(try await create("without scopes", []).value.scopes == [])
        #expect(try await repository.tokens.list().map(\.name.text) == ["nightly", "without scopes"])
    }

    @Test func `H4: a presented token is found by one call, whether a person or a program has it`() async throws {
        try await repository.register("abel")
        let session = try await repository.sessions.start(vouchingFor: "abel")
        let access = try await create("nightly")
        #expect(session.text.hasPrefix("ps_") && Secret(session.text) == session.token)
        #expect(access.text.hasPrefix("pt_") && Secret(access.text) == access.token)
        #expect(try await repository.bearer(Secret(session.text)) == .session(session.value))
        guard case .access(let found) = try await repository.bearer(Secret(access.text)) else {
            Issue.record("no access token")
            return
        }
        #expect(found.id == access.value.id && found.lastUsedAt == store.clock.timestamp)

        let reset = try await repository.passwords.issueReset(of: "abel")
        for text in [reset.text, "", "ps_" + access.text.dropFirst(3), "pt_" + session.text.dropFirst(3)] {
            #expect(try await repository.bearer(Secret(text)) == nil)
        }
        try await repository.sessions.end(session.value.id)
        try await repository.tokens.revoke(access.value.id)
        for token in [session.token, access.token] { #expect(try await repository.bearer(token) == nil) }
    }

    @Test func `names of access tokens are unique regardless of case, until a token is revoked`() async throws {
        let first = try await create("nightly")
        await #expect(throws: ProfileStoreError.tokenExists(name: "Nightly")) { _ = try await create("Nightly") }
        #expect(try await repository.tokens.find(first.token) != nil)
        #expect(try await repository.tokens.revoke(first.value.id)?.name.text == "nightly")
        #expect(try await repository.tokens.revoke(first.value.id) == nil)
        #expect(try await repository.tokens.find(first.token) == nil)
        _ = try await create("Nightly")
    }

    @Test func `an expired access token is refused, and stays in the list`() async throws {
        let issued = try await create("nightly", validFor: .seconds(60))
        store.clock.advance(by: .milliseconds(59_999))
        #expect(try await repository.tokens.find(issued.token) != nil)
        store.clock.advance(by: .milliseconds(1))
        #expect(try await repository.tokens.find(issued.token) == nil)
        #expect(try await repository.tokens.list().map { $0.isExpired(at: store.clock.timestamp) } == [true])
        // A validity of any length makes a token that is valid now.
        for validity in [Duration.seconds(Int64.max), .seconds(-1), .zero] {
            let odd = try await create("\(validity)".prefix(40) + "x", validFor: validity)
            #expect((try await repository.tokens.find(odd.token) != nil))
        }
    }

    @Test func `the last use of a token is written once a minute`() async throws {
        let issued = try await create("nightly")
        func lastUse() async throws -> Timestamp? {
            await repository.tokenUses.wait()
            return try await repository.tokens.list().first?.lastUsedAt
        }
        #expect(try await lastUse() == nil)
        let first = store.clock.timestamp
        for _ in 0..<60 {
            #expect(try await repository.tokens.find(issued.token)?.lastUsedAt == first)
            #expect(try await lastUse() == first)
            store.clock.advance(by: .seconds(1))
        }
        #expect(try await repository.tokens.find(issued.token)?.lastUsedAt == store.clock.timestamp)
        #expect(try await lastUse() == store.clock.timestamp)
    }

    @Test func `H4: every process refuses a token within 250 ms of its end`() async throws {
        let other = try await store.open()
        let issued = try await create("nightly")
        #expect(try await other.tokens.find(issued.token) != nil)
        try await repository.tokens.revoke(issued.value.id)
        #expect(try await repository.tokens.find(issued.token) == nil)
        store.clock.advance(by: .milliseconds(249))
        #expect(try await other.tokens.find(issued.token) != nil)
        store.clock.advance(by: .milliseconds(1))
        #expect(try await other.tokens.find(issued.token) == nil)
        await other.close()
    }
}
