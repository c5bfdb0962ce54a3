import Dispatch
import PostgresAccess
import PostgresProxy
import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// Writes whose connection is cut at their `COMMIT`. The tables have the result that the caller got, and no write is
/// done twice.
@Suite(.onlyWithPostgres, .watched(for: .seconds(300))) struct CutCommitTests {
    typealias Moment = PostgresProxy.Action.Moment

    /// The name of a profile that several of the writes use.
    private static let name = "shared"
    private static let moments: [Moment] = [.beforeForwarding, .afterForwarding, .afterAnswer]

    /// A write whose connections are cut. Its result is checked without the repository.
    private struct Verb: Sendable {
        let name: String
        /// Makes what the write needs in the store.
        var prepare: @Sendable (Case) async throws -> Void = { _ in }
        let run: @Sendable (Case) async throws -> Void
    }

    private struct Case: Sendable {
        let number: Int
        let repository: ProfileRepository
        let store: PostgresStore

        var username: String { "u\(number)" }

        /// Expects that a statement finds this number.
        func expect(_ expected: Int, _ sql: String, _ place: SourceLocation = #_sourceLocation) async throws {
            #expect(try await store.number(sql) == Int64(expected), "case \(number): \(sql)", sourceLocation: place)
        }
    }

    private static let verbs = [
        Verb(name: "register") { it in
            let profile = try await it.repository.register(it.username)
            #expect(profile.revision == 1)
            try await it.expect(1, "SELECT count(*) FROM profiles WHERE username = '\(it.username)'")
            try await it.expect(1, "SELECT count(*) FROM changes WHERE first_profile_id = \(profile.id)")
        },
        Verb(name: "edit") { it in
            let before = try #require(try await it.repository.profile(username: name))
            let profile = try await it.repository.edit(name) { $0["address"] = "\(it.number)" }
            #expect(profile.revision == before.revision + 1)
            try await it.expect(Int(profile.revision), "SELECT revision FROM profiles WHERE username = '\(name)'")
            #expect(
                try await it.store.text("SELECT address FROM profiles WHERE username = '\(name)'") == "\(it.number)")
        },
        Verb(name: "remove", prepare: { it in try await it.repository.register(it.username) }) { it in
            #expect(try await it.repository.remove(it.username).username == it.username)
            try await it.expect(0, "SELECT count(*) FROM profiles WHERE username = '\(it.username)'")
        },
        Verb(name: "wrong password", prepare: { it in try await it.repository.unlock(name) }) { it in
            await #expect(throws: CredentialError.wrong) {
                try await it.repository.passwords.validate(Secret("Wr0ng"), for: name)
            }
            try await it.expect(1, "SELECT failures FROM throttles WHERE name = '\(name)'")
        },
        Verb(name: "right password") { it in
            #expect(try await it.repository.passwords.validate(People.secret, for: name).username == name)
            try await it.expect(0, "SELECT count(*) FROM throttles WHERE name = '\(name)'")
        },
        Verb(name: "start a session", prepare: { it in _ = try await it.repository.sessions.endAll(of: name) }) { it in
            let issued = try await it.repository.sessions.start(vouchingFor: name)
            #expect(issued.value.username == name)
            try await it.expect(1, "SELECT count(*) FROM tokens WHERE kind = 'session'")
        },
        Verb(name: "log in", prepare: { it in _ = try await it.repository.sessions.endAll(of: name) }) { it in
            let issued = try await it.repository.sessions.start(People.secret, for: name)
            #expect(issued.value.username == name)
            try await it.expect(1, "SELECT count(*) FROM tokens WHERE kind = 'session'")
            try await it.expect(0, "SELECT count(*) FROM throttles WHERE name = '\(name)'")
        },
        Verb(name: "adopt") { it in
            let before = try await it.store.number("SELECT schema_version FROM store")
            let schema =
                before.isMultiple(of: 2) ? ProfileSchema.standard : try People.standard(and: People.uniqueEmail)
            #expect(try await it.repository.rules.adopt(schema) == Int(before) + 1)
            try await it.expect(Int(before) + 1, "SELECT schema_version FROM store")
            try await it.expect(Int(before) + 1, "SELECT count(*) FROM schemas")
            try await it.expect(
                before.isMultiple(of: 2) ? 0 : 1,
                """
                SELECT count(*) FROM pg_indexes
                WHERE schemaname = '\(it.store.schema)' AND indexname LIKE 'profiles\\_unique\\_%'
                """)
        },
        Verb(
            name: "set a passcode",
            prepare: { it in if it.number > 20 { try? await it.repository.passcodes.remove(of: name) } },
            run: { it in
                try await it.repository.passcodes.create(Secret("parislondon"), for: name)
                try await it.expect(1, "SELECT count(*) FROM profiles WHERE passcode_hash IS NOT NULL")
            }),
        Verb(name: "register with a key") { it in
            let key = WriteKey("register-\(it.number)")
            let valid = try it.repository.judged(People.draft(it.username))
            let profile = try await it.repository.register(valid, key: key)
            #expect(try await it.repository.register(valid, key: key) == profile)
            try await it.expect(1, "SELECT count(*) FROM changes WHERE first_profile_id = \(profile.id)")
        },
        Verb(name: "be refused with a key") { it in
            let key = WriteKey("refused-\(it.number)")
            let valid = try it.repository.judged(People.draft(name))
            for _ in 1...2 {
                await #expect(throws: ProfileStoreError.duplicate([.username])) {
                    try await it.repository.register(valid, key: key)
                }
            }
            try await it.expect(1, "SELECT count(*) FROM keyed_writes WHERE key = 'refused-\(it.number)'")
        },
        Verb(name: "edit with a key") { it in
            let before = try #require(try await it.repository.profile(username: name))
            let key = WriteKey("edit-\(it.number)")
            for _ in 1...2 {
                let profile = try await it.repository.edit(name, key: key) { $0["address"] = "key \(it.number)" }
                #expect(profile.revision == before.revision + 1)
            }
            try await it.expect(Int(before.revision) + 1, "SELECT revision FROM profiles WHERE username = '\(name)'")
        },
        Verb(name: "register many") { it in
            let valid = try (0..<5).map { try it.repository.judged(People.draft("\(it.username)x\($0)")) }
            let report = try await it.repository.register(many: valid)
            #expect(report.registered == 5 && report.refusals.isEmpty)
            try await it.expect(5, "SELECT count(*) FROM profiles WHERE username LIKE '\(it.username)x%'")
        },
        Verb(name: "create an access token") { it in
            let issued = try await it.repository.tokens.create(
                try #require(AccountLabel(it.username)), scopes: [.read])
            #expect(try await it.repository.tokens.find(issued.token)?.id == issued.value.id)
            try await it.expect(1, "SELECT count(*) FROM tokens WHERE name = '\(it.username)'")
        },
    ]

    @Test func `E3: a connection that is cut at COMMIT 500 times leaves no outcome unknown, and nothing done twice`()
        async throws
    {
        let store = try PostgresStore()
        let proxy = try store.proxy()
        let repository = try await store.open(through: proxy)
        try await repository.register(Self.name)
        let cuts = Counter()
        var number = 0
        while cuts.count < 500 {
            let verb = Self.verbs[number % Self.verbs.count]
            let it = Case(number: number, repository: repository, store: store)
            try await verb.prepare(it)
            // In some rounds the transaction that settles the write is cut too.
            let first = number / Self.verbs.count
            let moments = (0...(first / 3 % 3)).map { Self.moments[(first + $0) % 3] }
            let left = Moments(moments)
            proxy.follow { message in
                guard message.isCommit, let moment = left.next() else { return .forward }
                cuts.add()
                return .cut(moment)
            }
            do {
                try await verb.run(it)
            } catch {
                Issue.record("case \(number), \(verb.name), \(moments): \(error)")
            }
            proxy.follow { _ in .forward }
            number += 1
        }
        // The numbers of the changes have no gap, and no change is logged twice.
        let newest = try await repository.statistics().changeNumber
        #expect(newest == (try await store.number("SELECT count(*) FROM changes")))
        #expect(
            try await store.number("SELECT count(*) FROM changes WHERE kind = 'edited'")
                == store.number("SELECT revision - 1 FROM profiles WHERE username = '\(Self.name)'"))
        await repository.close()
    }

    @Test func `E3: a repeated write keeps its answer, though the transaction that settled it was cut too`()
        async throws
    {
        let store = try PostgresStore()
        let proxy = try store.proxy()
        let repository = try await store.open(through: proxy)
        let other = try await store.open()
        // These reserve an id for the registration, so the next COMMIT is the one of the registration.
        for name in ["one", "two"] { try await repository.register(name) }
        let (isCut, mayGoOn) = (Gate(), Gate())
        let commits = Counter()
        proxy.follow { message in
            // The first attempt is not committed. The transaction that settles it is committed, but its answer is lost.
            if message.isCommit {
                switch commits.add() {
                case 1: return .cut(.beforeForwarding)
                case 2: return .cut(.afterAnswer)
                default: return .forward
                }
            }
            // Another repository takes the name before the second attempt.
            if commits.count == 1, message.kind == .startup { isCut.open(1); mayGoOn.pass() }
            return .forward
        }
        let task = Task { try await repository.register("three") }
        await onThread { isCut.pass() }
        try await other.register("three")
        mayGoOn.open(1)
        #expect(await problem { try await task.value } == .duplicate([.username]))
        #expect(commits.count >= 2)
        #expect(try await store.number("SELECT count(*) FROM profiles") == 3)
        await repository.close()
        await other.close()
    }

    @Test func `a read whose COMMIT is cut is repeated`() async throws {
        let store = try PostgresStore()
        let proxy = try store.proxy()
        let repository = try await store.open(through: proxy)
        for moment in Self.moments {
            proxy.atNextCommit(.cut(moment))
            #expect(try await repository.loginRules().adopted.version == 1)
        }
        await repository.close()
    }
}

/// Runs a closure that blocks on a thread of its own.
func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            body()
            continuation.resume()
        }
    }
}

/// The moments at which the next `COMMIT`s are cut.
private final class Moments: Sendable {
    private let left: Mutex<ArraySlice<PostgresProxy.Action.Moment>>

    init(_ moments: [PostgresProxy.Action.Moment]) { left = Mutex(moments[...]) }

    func next() -> PostgresProxy.Action.Moment? { left.withLock { $0.popFirst() } }
}
