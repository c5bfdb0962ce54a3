import ProfileCore
import ProfileTesting
import RawSQLite
import SQLiteAccess
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileStore
@testable import ProfileStoreSQLite

/// Sessions, access tokens and resets as tables keep them.
@Suite(.watched) struct AccountTableTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open()
        for name in ["abel", "bert"] { try await repository.register(name) }
    }

    private func count(_ table: String) throws -> Int64 { try store.number("SELECT count(*) FROM \(table)") }

    @Test func `H4: a request looks at a few rows, and so does what goes by the way`() throws {
        let statements = [
            SessionTable.selectByHash, SessionTable.selectOfProfile, SessionTable.selectAll,
            "DELETE FROM sessions WHERE profile_id = 1", "DELETE FROM profiles WHERE id = 1",
            "SELECT hash FROM sessions WHERE idle_expires_at <= 1 ORDER BY idle_expires_at, hash LIMIT 8",
            "SELECT hash FROM resets WHERE hash = '' AND expires_at > 1",
            "SELECT profile_id FROM resets WHERE expires_at <= 1 ORDER BY expires_at, profile_id LIMIT 8",
            "SELECT hash FROM access_tokens WHERE hash > 'a' AND hash < 'a' || 'g'",
        ]
        for statement in statements {
            let plan = try store.plan(statement)
            #expect(!plan.isEmpty && plan.allSatisfy { $0.hasPrefix("SEARCH ") }, "\(statement): \(plan)")
        }
        // Of one profile alone are they sorted.
        let plan = try store.plan("SELECT hash FROM sessions WHERE profile_id = 1 ORDER BY last_used_at DESC, hash")
        #expect(
            plan.contains { $0.hasPrefix("SEARCH sessions USING INDEX sessions_profile (profile_id=?)") }, "\(plan)")
    }

    @Test func `H4: sessions and resets go with their profile, whoever removes it`() async throws {
        for username in ["abel", "bert"] {
            _ = try await repository.startSession(vouchingFor: username)
            _ = try await repository.issueReset(of: username)
        }
        try store.execute("DELETE FROM profiles WHERE username = 'abel'")
        #expect(try store.rows("sessions").map { $0[1] } == ["2"])
        #expect(try store.rows("resets").map { $0[0] } == ["2"])
        #expect(try await repository.check().foreignKeys == [])
        await repository.close()
    }

    @Test func `what cannot be is refused, whoever writes it`() throws {
        let hash = String(repeating: "a", count: 64)
        for values in [
            "'abc', 1, NULL, 0, 0, 1, 1, 1", "'\(hash)', 9, NULL, 0, 0, 1, 1, 1", "'\(hash)', 1, '', 0, 0, 1, 1, 1",
            "'\(hash)', 1, NULL, 0, 0, 0, 1, 1", "'\(hash)', 1, NULL, 0, 0, 1, 2, 1",
            "'\(hash)', 1, NULL, 0, 0, 1, 'soon', 1", "NULL, 1, NULL, 0, 0, 1, 1, 1",
        ] {
            #expect(throws: SQLiteError.self, "\(values)") {
                try store.execute("INSERT INTO sessions VALUES (\(values))")
            }
        }
        for values in ["'\(hash)', '', 'read', 0, NULL, NULL", "'abc', 'a', 'read', 0, NULL, NULL"] {
            #expect(throws: SQLiteError.self, "\(values)") {
                try store.execute("INSERT INTO access_tokens VALUES (\(values))")
            }
        }
        #expect(throws: SQLiteError.self) { try store.execute("INSERT INTO resets VALUES (9, '\(hash)', 0, 1)") }
    }

    @Test(arguments: [Int64.max, .min, -1, 0])
    func `any number in a session, a token or a reset is taken as it is`(number: Int64) async throws {
        let session = try await repository.startSession(vouchingFor: "abel")
        let name = try #require(AccountLabel("nightly"))
        let access = try await repository.createAccessToken(name, scopes: [.read], validFor: .seconds(60))
        let reset = try await repository.issueReset(of: "abel")
        try RawDatabase(store.path).execute(
            """
            PRAGMA ignore_check_constraints = ON;
            UPDATE sessions SET created_at = \(number), last_used_at = \(number), idle_time = \(number),
                idle_expires_at = \(number), expires_at = \(number), label = char(10) || 'x';
            UPDATE access_tokens SET created_at = \(number), expires_at = \(number), last_used_at = \(number),
                name = char(10), scopes = 'read  Nonsense';
            UPDATE resets SET created_at = \(number), expires_at = \(number)
            """)
        let isLater = number == .max
        #expect((try await repository.session(for: session.token) != nil) == isLater)
        #expect((try await repository.accessToken(for: access.token) != nil) == isLater)
        #expect((try await repository.reset(for: reset.token) != nil) == isLater)
        await repository.tokenUses.wait()
        #expect(try await repository.sessions().count == (isLater ? 1 : 0))
        #expect(try await repository.accessTokens().map(\.scopes) == [[.read]])
        for session in try await repository.sessions() { #expect(!session.json.text().isEmpty) }
        for token in try await repository.accessTokens() { #expect(!token.json.text().isEmpty) }
        _ = try await repository.removeExpired()
        _ = try await repository.startSession(vouchingFor: "abel")
        try await repository.endSessions(of: "abel")
        await repository.close()
    }

    @Test func `a backup that is restored lets nobody in who was logged in, and programs as it did`() async throws {
        let session = try await repository.startSession(People.secret, for: "abel")
        let reset = try await repository.issueReset(of: "abel")
        let name = try #require(AccountLabel("nightly"))
        let access = try await repository.createAccessToken(name, scopes: [.read])
        let path = store.directory + "/backup.sqlite"
        try await repository.backup(to: path)
        _ = try await repository.edit("abel") { $0.password = Secret("bL9pjp") }
        let since = try await repository.startSession(Secret("bL9pjp"), for: "abel")
        await repository.close()
        try await StoreBackup(at: path, options: store.options()).restore(to: store.path, options: store.options())
        let restored = try await store.open()
        for token in [session.token, since.token] { #expect(try await restored.session(for: token) == nil) }
        #expect(try await restored.reset(for: reset.token) == nil)
        #expect(try await restored.accessToken(for: access.token)?.name == name)
        #expect(try await restored.check().isSound)
        await restored.close()
    }

    @Test func `N6: a store that has an access token is not removed as unused`() async throws {
        let other = try TemporaryStore(named: "other.sqlite")
        let made = try await other.open()
        let name = try #require(AccountLabel("nightly"))
        let token = try await made.createAccessToken(name, scopes: [.read])
        #expect(try await made.removeIfUnused() == false)
        try await made.revokeAccessToken(token.value.id)
        #expect(try await made.removeIfUnused())
        await made.close()
        await repository.close()
    }
}
