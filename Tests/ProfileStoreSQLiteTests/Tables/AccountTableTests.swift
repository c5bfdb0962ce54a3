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

    @Test func `H4: a request reads only a few rows, and so does the removal of expired tokens`() throws {
        let statements = [
            TokenTable.selectByHash, TokenTable.selectOfProfile, TokenTable.selectOfProfiles,
            "DELETE FROM tokens WHERE profile_id = 1", "DELETE FROM profiles WHERE id = 1",
            """
            SELECT hash FROM tokens WHERE kind <> 'access' AND expires_at <= 1 ORDER BY expires_at, hash LIMIT 8
            """,
            "SELECT hash FROM tokens WHERE hash > 'a' AND hash < 'a' || 'g' AND kind = 'access'",
        ]
        for statement in statements {
            let plan = try store.plan(statement).filter { !$0.hasPrefix("CORRELATED SCALAR SUBQUERY") }
            #expect(!plan.isEmpty && plan.allSatisfy { $0.hasPrefix("SEARCH ") }, "\(statement): \(plan)")
        }
        // The tokens of one profile are few enough to be sorted.
        let plan = try store.plan(
            "SELECT hash FROM tokens WHERE profile_id = 1 AND kind = 'session' ORDER BY last_used_at DESC, hash")
        #expect(plan.contains { $0.hasPrefix("SEARCH tokens USING INDEX tokens_profile (profile_id=?)") }, "\(plan)")
        // This index contains only access tokens, so their list reads no sessions.
        let list = try store.plan(TokenTable.selectAccess)
        #expect(list.contains { $0 == "SCAN tokens USING INDEX tokens_name" }, "\(list)")
        #expect(!list.contains { $0.contains("TEMP B-TREE") }, "\(list)")
    }

    @Test func `H4: sessions and resets are removed with their profile, even by another program`() async throws {
        for username in ["abel", "bert"] {
            _ = try await repository.sessions.start(vouchingFor: username)
            _ = try await repository.passwords.issueReset(of: username)
        }
        try store.execute("DELETE FROM profiles WHERE username = 'abel'")
        #expect(try store.rows("tokens").map { $0[2] } == ["2", "2"])
        #expect(try await repository.check().danglingRows == [])
        await repository.close()
    }

    @Test func `the table refuses impossible rows, even from another program`() throws {
        let hash = String(repeating: "a", count: 64)
        func values(_ changes: [String: String] = [:]) -> String {
            let session = [
                ("hash", "'\(hash)'"), ("kind", "'session'"), ("profile_id", "1"), ("name", "NULL"), ("scopes", "NULL"),
                ("created_at", "0"), ("last_used_at", "0"), ("expires_at", "1"), ("idle_time", "1"),
                ("latest_expiry", "1"),
            ]
            return session.map { changes[$0.0] ?? $0.1 }.joined(separator: ", ")
        }
        let access = [
            "kind": "'access'", "profile_id": "NULL", "name": "'a'", "scopes": "'read'", "idle_time": "NULL",
            "latest_expiry": "NULL",
        ]
        let reset = ["kind": "'reset'", "idle_time": "NULL", "latest_expiry": "NULL"]
        var wrong: [[String: String]] = [
            ["hash": "'abc'"], ["hash": "NULL"], ["kind": "'other'"], ["profile_id": "9"], ["profile_id": "NULL"],
            ["name": "''"], ["scopes": "'read'"], ["idle_time": "0"], ["idle_time": "NULL"], ["expires_at": "2"],
            ["expires_at": "'soon'"], ["expires_at": "NULL"], ["latest_expiry": "NULL"],
        ]
        for change in [["name": "''"], ["name": "NULL"], ["scopes": "NULL"], ["profile_id": "1"], ["idle_time": "1"]] {
            wrong.append(access.merging(change) { $1 })
        }
        let device = ["kind": "'device'", "idle_time": "NULL", "latest_expiry": "NULL"]
        for change in [["profile_id": "NULL"], ["expires_at": "NULL"], ["scopes": "''"], ["idle_time": "1"]] {
            wrong.append(device.merging(change) { $1 })
        }
        for change in [["profile_id": "9"], ["expires_at": "NULL"], ["scopes": "''"], ["latest_expiry": "1"]] {
            wrong.append(reset.merging(change) { $1 })
        }
        for changes in wrong {
            #expect(throws: SQLiteError.self, "\(changes)") {
                try store.execute("INSERT INTO tokens VALUES (\(values(changes)))")
            }
        }
        for right in [[:], access, reset, device] {
            try store.execute("INSERT INTO tokens VALUES (\(values(right))); DELETE FROM tokens")
        }
    }

    @Test(arguments: [Int64.max, .min, -1, 0])
    func `any number in a session, a token or a reset is taken as it is`(number: Int64) async throws {
        let name = try #require(AccountLabel("nightly"))
        let access = try await repository.tokens.create(name, scopes: [.read], validFor: .seconds(60))
        let reset = try await repository.passwords.issueReset(of: "abel")
        let device = try #require(try await repository.sessions.start(People.secret, for: "abel", on: nil).device)
        try await repository.sessions.endAll(of: "abel")
        let session = try await repository.sessions.start(vouchingFor: "abel")
        try RawDatabase(store.path).execute(
            """
            PRAGMA ignore_check_constraints = ON;
            UPDATE tokens SET created_at = \(number), last_used_at = \(number), expires_at = \(number);
            UPDATE tokens SET idle_time = \(number), latest_expiry = \(number), name = char(10) || 'x'
                WHERE kind = 'session';
            UPDATE tokens SET name = char(10), scopes = 'read  Nonsense' WHERE kind = 'access'
            """)
        let isLater = number == .max
        #expect((try await repository.sessions.find(session.token) != nil) == isLater)
        #expect((try await repository.tokens.find(access.token) != nil) == isLater)
        #expect((try await repository.passwords.findReset(reset.token) != nil) == isLater)
        await repository.tokenUses.wait()
        #expect(try await repository.sessions.list().count == (isLater ? 1 : 0))
        #expect(try await repository.tokens.list().map(\.scopes) == [[.read]])
        for session in try await repository.sessions.list() { #expect(!session.json.text().isEmpty) }
        for token in try await repository.tokens.list() { #expect(!token.json.text().isEmpty) }
        for device in try await repository.devices.list(of: "abel") { #expect(!device.json.text().isEmpty) }
        #expect(try await repository.devices.list(of: "abel").count == (isLater ? 1 : 0))
        let started = try await repository.sessions.start(People.secret, for: "abel", on: device.token)
        #expect((started.device?.token == device.token) == isLater)
        _ = try await repository.removeExpired()
        _ = try await repository.sessions.start(vouchingFor: "abel")
        try await repository.sessions.endAll(of: "abel")
        await repository.close()
    }

    @Test func `a restored backup ends sessions and resets, and keeps access tokens`() async throws {
        let session = try await repository.sessions.start(People.secret, for: "abel")
        let reset = try await repository.passwords.issueReset(of: "abel")
        let name = try #require(AccountLabel("nightly"))
        let access = try await repository.tokens.create(name, scopes: [.read])
        let path = store.directory + "/backup.sqlite"
        try await repository.backup(to: path)
        _ = try await repository.edit("abel") { $0.password = Secret("bL9pjp") }
        let since = try await repository.sessions.start(Secret("bL9pjp"), for: "abel")
        await repository.close()
        try await StoreBackup(at: path, options: store.options()).restore(to: store.path, options: store.options())
        let restored = try await store.open()
        for token in [session.token, since.token] { #expect(try await restored.sessions.find(token) == nil) }
        #expect(try await restored.passwords.findReset(reset.token) == nil)
        #expect(try await restored.tokens.find(access.token)?.name == name)
        #expect(try await restored.check().isSound)
        await restored.close()
    }

    @Test func `N6: a store that has an access token is not removed as unused`() async throws {
        let other = try TemporaryStore(named: "other.sqlite")
        let made = try await other.open()
        let name = try #require(AccountLabel("nightly"))
        let token = try await made.tokens.create(name, scopes: [.read])
        #expect(try await made.removeIfUnused() == false)
        try await made.tokens.revoke(token.value.id)
        #expect(try await made.removeIfUnused())
        await made.close()
        await repository.close()
    }
}
