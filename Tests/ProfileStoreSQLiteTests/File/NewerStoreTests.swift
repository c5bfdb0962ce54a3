import Platform
import ProfileCore
import ProfileLogin
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import ProfileTransfer
import RawSQLite
import SQLiteAccess
import SQLiteMigrations
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// Once a later version has migrated the store, a running program does nothing more with it.
@Suite(.watched) struct NewerStoreTests {
    private let store: TemporaryStore
    private let repository: ProfileRepository
    private let token: Secret
    private let accessToken: IssuedToken<AccessToken>
    private let reset: Secret

    init() async throws {
        store = try TemporaryStore()
        repository = try await store.open(store.options { $0.watchInterval = .milliseconds(10) })
        for name in ["abel", "bert", "carl", "dora", "emma"] { try await repository.register(name) }
        token = try await repository.sessions.start(vouchingFor: "abel").token
        accessToken = try await repository.tokens.create(try #require(AccountLabel("nightly")), scopes: [.read])
        reset = try await repository.passwords.issueReset(of: "bert").token
    }

    private var refusal: ProfileStoreError {
        let known = Migration.sqlite.count
        return .newerStore(path: store.path, version: known + 1, known: known)
    }

    /// Does what a migration of a later version does.
    private func migrate() throws {
        try RawDatabase(store.path).execute(
            "BEGIN; ALTER TABLE store ADD COLUMN later INTEGER; PRAGMA user_version = \(Migration.sqlite.count + 1); COMMIT"
        )
        // The repository keeps the look-up of a token for a moment, and does not read the store again in this time.
        store.clock.advance(by: .seconds(1))
    }

    private static let tables = [
        "profiles", "store", "changes", "schemas", "throttles", "keyed_writes", "tokens",
    ]

    private func contents() throws -> [[[String?]]] { try Self.tables.map { try store.rows($0) } }

    /// The error of the store.
    private static func refusal(of body: () async throws -> Void) async -> ProfileStoreError? {
        do {
            try await body()
        } catch let error as ProfileStoreError {
            return error
        } catch CredentialError.store(let error) {
            return error
        } catch ImportError.store(let error) {
            return error
        } catch ImportError.ended(.store(let error), _) {
            return error
        } catch ExportError.store(let error) {
            return error
        } catch LoginError.store(let error) {
            return error
        } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    private typealias Verb = @Sendable (NewerStoreTests) async throws -> Void

    private static let verbs: KeyValuePairs<String, Verb> = [
        "a look-up": { _ = try await $0.repository.profile(username: "abel") },
        "a look-up by id": { _ = try await $0.repository.profile(id: 2) },
        "a page": { _ = try await $0.repository.profiles(ProfileQuery()) },
        "a page by a field": {
            _ = try await $0.repository.profiles(
                ProfileQuery(
                    [ProfileQuery.Condition(.address, .contains("main"))], order: ProfileQuery.Order(.address)))
        },
        "a count": { _ = try await $0.repository.count() },
        "statistics": { _ = try await $0.repository.statistics() },
        "a registration": { try await $0.repository.register("fred") },
        "an edit": { _ = try await $0.repository.edit("abel") { $0["address"] = "2" } },
        "a write that may be repeated": {
            _ = try await $0.repository.edit("abel", key: WriteKey("once")) { $0["address"] = "2" }
        },
        "a removal": { try await $0.repository.remove("abel") },
        "many removals": { test in
            do throws(StoppedWrite<RemovalReport>) {
                _ = try await test.repository.remove(matching: ProfileQuery())
            } catch {
                throw error.error
            }
        },
        "many registrations": { test in
            let many = try ["fred", "gert"].map { try test.repository.judged(People.draft($0)) }
            do throws(StoppedWrite<RegistrationReport>) {
                _ = try await test.repository.register(many: many)
            } catch {
                throw error.error
            }
        },
        "an adoption": { try await $0.repository.rules.adopt(try People.standard(and: People.email)) },
        "judging again": { _ = try await $0.repository.rules.revalidate() },
        "an attempt at a password": { _ = try await $0.repository.passwords.validate(People.secret, for: "abel") },
        "a login": {
            _ = try await RepositoryAuthenticator($0.repository).authenticate(
                username: "abel", password: People.secret)
        },
        "a passcode": { try await $0.repository.passcodes.create(Secret("Abcdef12!"), for: "abel") },
        "a session that starts": { _ = try await $0.repository.sessions.start(vouchingFor: "abel") },
        "a session": { _ = try await $0.repository.sessions.find($0.token) },
        "a session that ends": { _ = try await $0.repository.sessions.end(for: $0.token) },
        "an access token": { _ = try await $0.repository.tokens.find($0.accessToken.token) },
        "an access token that is revoked": {
            _ = try await $0.repository.tokens.revoke($0.accessToken.value.id)
        },
        "a reset": {
            _ = try await $0.repository.passwords.redeemReset($0.reset, password: Secret("aK8oio9"))
        },
        "an import": { _ = try await $0.store.importPeople(["fred", "gert"], into: $0.repository) },
        "an exclusive import": {
            _ = try await $0.store.importPeople(["fred", "gert"], into: $0.repository) { $0.isExclusive = true }
        },
        "an import that only looks": {
            _ = try await $0.store.importPeople(["fred", "gert"], into: $0.repository) { $0.isDryRun = true }
        },
        "an export": {
            let output = try unnamedFile()
            defer { close(output) }
            _ = try await $0.repository.export(as: .csv, to: output)
        },
        "the change number": { _ = try await $0.repository.changes.latestNumber },
        "a check": { _ = try await $0.repository.check() },
        "a backup": { try await $0.repository.backup(to: $0.store.directory + "/backup.sqlite") },
        "a restored backup": { test in
            let backup = test.store.directory + "/old.sqlite"
            if SmallFile.names(in: test.store.directory).contains("old.sqlite") {
                try await StoreBackup(at: backup).restore(to: test.store.path)
            }
        },
        "a migration by the older program": { _ = try await ProfileRepository.migrate(at: $0.store.path) },
    ]

    @Test(arguments: verbs.map(\.key))
    func `a running program is refused once its store was migrated, and stores nothing`(name: String) async throws {
        let verb = try #require(Self.verbs.first { $0.key == name }).value
        // First with statements and connections that were used before, and then with new ones.
        for isWarm in [true, false] {
            let test = try await NewerStoreTests()
            if name == "a restored backup" {
                try await test.repository.backup(to: test.store.directory + "/old.sqlite")
            }
            if isWarm {
                _ = try await test.repository.profile(username: "abel")
                _ = try await test.repository.profiles(ProfileQuery())
                _ = try await test.repository.edit("emma") { $0["address"] = "3" }
            }
            try test.migrate()
            let before = try test.contents()
            for _ in 0..<2 { #expect(await Self.refusal { try await verb(test) } == test.refusal) }
            #expect(try test.contents() == before)
            #expect(!test.store.names().contains("backup.sqlite"))
            await test.repository.close()
            #expect(try test.contents() == before, "nor when it closes")
        }
    }

    @Test func `a look-up whose statement was prepared for the older store is refused`() async throws {
        // The same look-up several times on one connection, so that its statement is prepared.
        for _ in 0..<3 { #expect(try await repository.profile(username: "abel") != nil) }
        try migrate()
        for _ in 0..<3 {
            await #expect(throws: refusal) { try await repository.profile(username: "abel") }
        }
        await repository.close()
    }

    @Test func `a loop over the profiles is refused at the next page`() async throws {
        var names: [String] = []
        let error = await #expect(throws: ProfileStoreError.self) {
            for try await profile in repository.all(ProfileQuery(limit: 2)) {
                names.append(profile.username)
                if names.count == 1 { try migrate() }
            }
        }
        #expect(error == refusal && names == ["abel", "bert"])
        await repository.close()
    }

    @Test func `a watcher of the store gets the error, though the log has no new change`() async throws {
        var changes = await repository.changes.stream().makeAsyncIterator()
        try await repository.register("fred")
        #expect(try await changes.next()?.username == "fred")
        try migrate()
        await #expect(throws: refusal) { try await changes.next() }
        await repository.close()
    }

    @Test func `changes that wait when the store is migrated are refused, each of them`() async throws {
        let before = try store.rows()
        let repository = repository
        var lock = try WriteLock(DatabasePath(store.path))
        try lock.acquire(as: "profiles migrate")
        let tasks = (0..<5).map { number in
            Task.immediate { try await repository.register("user\(number)") }
        }
        try await WaitingWriters.wait(for: store.path + "-lock")
        try migrate()
        lock.release()
        for task in tasks { await #expect(throws: refusal) { try await task.value } }
        #expect(try store.rows() == before)
        await repository.close()
    }

    @Test func `an import that is under way ends with the batch before the migration`() async throws {
        let isMigrated = Mutex(false)
        let names = (0..<30_000).map { "user\($0)" }
        let error = await Self.refusal {
            let input = try unnamedFile(
                Array(
                    ("username,phone,address,password_hash\n"
                        + names.map { "\($0),78761241,12 Main St,\"\(People.policyHash)\"\n" }.joined()).utf8))
            defer { close(input) }
            _ = try await ProfileImporter(repository: repository).run(
                ImportInput(descriptor: input, name: "people.csv", byteCount: nil),
                progress: { progress in
                    guard progress.rows > 0 else { return }
                    isMigrated.withLock { isMigrated in
                        if !isMigrated { try? migrate() }
                        isMigrated = true
                    }
                })
        }
        #expect(error == refusal)
        await repository.close()
    }

    @Test func `a change notices a later version also where nothing else has changed`() async throws {
        try RawDatabase(store.path).execute("PRAGMA user_version = \(Migration.sqlite.count + 1)")
        await #expect(throws: refusal) { try await repository.register("fred") }
        await #expect(throws: refusal) { try await repository.edit("abel") { $0["address"] = "2" } }
        await repository.close()
    }

    @Test func `rules that another process adopts are no migration`() async throws {
        let other = try await store.open()
        try await other.rules.adopt(try People.standard(and: People.uniqueEmail))
        try await other.register("fred", ["email": "f@example.org"])
        #expect(try await repository.profile(username: "fred")?["email"] == "f@example.org")
        try await repository.register("gert", ["email": "g@example.org"])
        #expect(try await repository.usernames().count == 7)
        await other.close()
        await repository.close()
    }
}
