import ProfileCore
import ProfileLogin
import ProfileStore
import ProfileTesting
import ProfileTransfer
import RawSQLite
import StoreFixtures
import Synchronization
import Testing
import Watchdog

@testable import ProfileStoreSQLite

/// Crafted numbers in a store's file. A counter that would overflow is reported as damage, and no number makes the
/// process trap.
@Suite(.watched) struct CraftedNumbersTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    /// Opens a store after SQL has written values that its CHECK constraints would refuse.
    private func craft(_ sql: String, registering names: [String] = ["abel"]) async throws -> ProfileRepository {
        let before = try await store.open()
        for name in names { try await before.register(name) }
        await before.close()
        try RawDatabase(store.path).execute("PRAGMA ignore_check_constraints = ON; \(sql)")
        return try await store.open()
    }

    private func isCorrupt(_ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            Issue.record("no error")
        } catch {
            switch error {
            case let error as ProfileStoreError where error.code == .corrupt: return true
            case ImportError.store(let error) where error.code == .corrupt: return true
            case CredentialError.store(let error) where error.code == .corrupt: return true
            default: Issue.record("\(error)")
            }
        }
        return false
    }

    private func importRows(
        _ repository: ProfileRepository, _ change: (inout ImportOptions) -> Void = { _ in }
    ) async throws -> ImportReport {
        try await store.importPeople((0..<20).map { "user\($0)" }, into: repository, change)
    }

    // MARK: Counters

    @Test(arguments: [Int64.max, .max - 3, 1 << 62 + 1, 0, -1, .min], [[], ["abel"]])
    func `a next id out of range is damage, and no profile gets it`(
        next: Int64, names: [String]
    ) async throws {
        let repository = try await craft("UPDATE store SET next_profile_id = \(next)", registering: names)
        #expect(await isCorrupt { try await repository.register("bert") })
        #expect(await isCorrupt { _ = try await importRows(repository) })
        #expect(await isCorrupt { _ = try await importRows(repository) { $0.isExclusive = true } })
        #expect(try await repository.profile(username: "abel") != nil || names.isEmpty)
        await repository.close()
        #expect(try store.number("SELECT count(*) FROM profiles") == Int64(names.count))
    }

    @Test func `a new profile can get the greatest id that the store assigns`() async throws {
        let repository = try await craft("UPDATE store SET next_profile_id = \(Int64(1) << 62)")
        #expect(try await repository.register("bert").id == 1 << 62)
        await repository.close()
    }

    @Test(arguments: [Int64.max, .max - 1, -1, .min])
    func `a change number out of range is damage for writers and listeners`(
        number: Int64
    ) async throws {
        let repository = try await craft(
            """
            UPDATE store SET change_number = \(number);
            INSERT INTO changes VALUES (9223372036854775806, 'registered', 1, 1, 0, NULL), (9223372036854775807, 'edited', 1, 1, 0, NULL)
            """)
        #expect(await isCorrupt { try await repository.register("bert") })
        #expect(await isCorrupt { _ = try await repository.edit("abel") { $0["address"] = "2" } })
        #expect(await isCorrupt { try await repository.remove("abel") })
        #expect(await isCorrupt { try await repository.rules.adopt(try People.standard(and: People.email)) })
        #expect(await isCorrupt { _ = try await importRows(repository) })
        for start in [0, 1, .max - 2, .max - 1, .max] as [Int64] {
            #expect(await isCorrupt { _ = try await repository.changes.stream(after: start).first { _ in true } })
        }
        #expect(await isCorrupt { _ = try await repository.changes.stream().first { _ in true } })
        await repository.close()
    }

    @Test(arguments: [Int64.max - 1, .max]) func `R7: a watcher may begin after any number`(start: Int64) async throws {
        let repository = try await craft("")
        // No change of this store has such a number, so the listener gets `missed`.
        #expect(try await repository.changes.stream(after: start).first { _ in true }?.kind == .missed)
        await repository.close()
    }

    @Test func `R3: a revision that cannot rise is damage`() async throws {
        let repository = try await craft("UPDATE profiles SET revision = \(Int64.max)")
        #expect(try await repository.profile(username: "abel")?.revision == .max)
        #expect(await isCorrupt { _ = try await repository.edit("abel") { $0["address"] = "2" } })
        #expect(try await repository.profile(username: "abel")?["address"] == "12 Main St")
        await repository.close()
    }

    @Test func `S7: a schema's version that cannot rise is damage`() async throws {
        let repository = try await craft("UPDATE schemas SET version = \(Int64.max)")
        #expect(repository.rules.inForce.number == .max)
        try await repository.register("bert")
        #expect(await isCorrupt { try await repository.rules.adopt(try People.standard(and: People.email)) })
        _ = try await repository.rules.revalidate(all: true)
        await repository.close()
    }

    @Test(arguments: [Int64.max, -1, .min]) func `a count out of range is damage`(count: Int64) async throws {
        let repository = try await craft(
            "UPDATE store SET unknown_throttles = \(count), unjudged_passwords = \(count)")
        #expect(await isCorrupt { try await repository.register("bert") })
        #expect(await isCorrupt { _ = try await importRows(repository) })
        #expect(await isCorrupt { _ = try await repository.passwords.validate(People.secret, for: "zoe") })
        let error = await #expect(throws: LoginError.self) {
            try await LoginService(repository).logIn(username: "abel", password: People.secret)
        }
        guard case .store(let problem)? = error, problem.code == .corrupt else {
            Issue.record("\(String(describing: error))")
            return
        }
        await repository.close()
        // `migrate` corrects the counts, although no migration is missing.
        #expect(try await ProfileRepository.migrate(at: store.path) == [])
        let mended = try await store.open()
        #expect(try await mended.check().wrongCounts == [])
        try await mended.register("bert")
        await mended.close()
    }

    @Test func `a store that has lost its row of numbers is damaged`() async throws {
        let repository = try await craft("DELETE FROM store")
        #expect(await isCorrupt { try await repository.register("bert") })
        #expect(await isCorrupt { _ = try await importRows(repository) })
        await repository.close()
    }

    // MARK: Numbers that the store only keeps

    @Test(arguments: [Int64.max, .min])
    func `P9: a throttle with any numbers delays attempts, and an unlock ends the delay`(number: Int64) async throws {
        let repository = try await craft(
            """
            INSERT INTO throttles VALUES ('abel', 'password', \(number), \(number), \(number), 1),
                ('zoe', 'password', \(number), \(number), \(number), 0);
            UPDATE store SET unknown_throttles = 1
            """)
        for name in ["abel", "zoe"] {
            await #expect(throws: CredentialError.self) {
                try await repository.passwords.validate(Secret("wrong1A"), for: name)
            }
        }
        try await repository.unlock("abel")
        _ = try await repository.passwords.validate(People.secret, for: "abel")
        await repository.close()
    }

    @Test(arguments: [Int64.max, .min, -1, 0])
    func `any number in a profile or a change is shown as it is`(number: Int64) async throws {
        let repository = try await craft(
            """
            UPDATE profiles SET created_at = \(number), updated_at = \(number), schema_version = \(number),
                revision = \(number), password_schema_version = \(number);
            UPDATE changes SET first_profile_id = \(number), last_profile_id = 1, changed_at = \(number);
            INSERT INTO schemas SELECT 0, name, fingerprint, document, \(number) FROM schemas
            """)
        let profile = try #require(try await repository.profile(username: "abel"))
        #expect(profile.revision == number)
        #expect(!profile.json.text().isEmpty)
        let change = try #require(try await repository.changes.stream(after: 0).first { _ in true })
        #expect(change.profileIDs?.contains(number) == true)
        #expect(!change.json.text().isEmpty)
        _ = try await repository.rules.revalidate(all: true)
        _ = try await repository.statistics()
        await repository.close()
    }

    @Test func `a profile may have the greatest id`() async throws {
        let repository = try await craft("UPDATE profiles SET id = \(Int64.max)")
        #expect(try await repository.usernames() == ["abel"])
        #expect(try await repository.profiles(ProfileQuery(limit: 1)).next == nil)
        _ = try await repository.edit("abel") { $0["address"] = "2" }
        _ = try await repository.rules.revalidate(all: true)
        try await repository.remove("abel")
        await repository.close()
    }

    @Test(arguments: [Int32.min, -1])
    func `a store with a negative version is refused as older, and is not migrated`(version: Int32) async throws {
        await (try store.open()).close()
        try RawDatabase(store.path).execute("PRAGMA user_version = \(version)")
        let error = await #expect(throws: ProfileStoreError.self) { try await store.open() }
        guard case .olderStore? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        let refused = await #expect(throws: ProfileStoreError.self) {
            try await ProfileRepository.migrate(at: store.path)
        }
        guard case .altered? = refused?.reason else {
            Issue.record("\(String(describing: refused))")
            return
        }
    }

    // MARK: Memory

    @Test func `R6: long values are judged again in batches of bounded size`() async throws {
        let repository = try await craft(
            "UPDATE profiles SET address = hex(zeroblob(4000000))", registering: (0..<8).map { "user\($0)" })
        let steps = Counter()
        let report = try await repository.rules.revalidate(all: true) { _ in steps.add(1) }
        #expect(report.checked == 8 && report.invalid == 8)
        #expect(steps.value >= 4, "8 MB a value, in batches of little more")
        await repository.close()
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add(_ number: Int) { count.withLock { $0 += number } }
}
