import FaultVFS
import ProfileCore
import ProfileStore
@testable import ProfileStoreSQLite
import ProfileStoreSQLite
import ProfileTesting
import ProfileTransfer
import RawSQLite
import SQLiteAccess
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// P9, P10: failed attempts at names without a profile are remembered in bounded memory, and no attempt scans it.
@Suite(.watched) struct ThrottleMemoryTests {
    private let store: TemporaryStore

    init() async throws {
        store = try TemporaryStore()
        let repository = try await store.open()
        for name in ["abel", "bert"] { try await repository.register(name) }
        await repository.close()
    }

    /// Stores failed attempts at this many names without a profile. `n1` is the oldest.
    private func remember(_ count: Int) throws {
        try RawDatabase(store.path).execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO throttles SELECT 'n' || i, 'password', 1, 0, i, 0 FROM n;
            UPDATE store SET unknown_throttles = \(count)
            """)
    }

    private func admit(_ name: String, isKnown: Bool, most: Int, _ connection: borrowing Connection) throws {
        let attempt = LoginAttempt(
            username: name, kind: .password, isKnown: isKnown, time: Timestamp(millisecondsSince1970: 1_000_000))
        try connection.writeTransaction {
            _ = try ThrottleTable.admit(attempt, mostUnknownNames: most, connection)
        }
    }

    @Test(arguments: [10, 100_000])
    func `P9: an attempt does not scan the remembered names, whether the memory is full or not`(count: Int) throws {
        try remember(count)
        let connection = try store.connect()
        let thousandsOfSteps = Mutex(0)
        connection.endStatements {
            thousandsOfSteps.withLock { $0 += 1 }
            return false
        }
        for (name, isKnown) in [("abel", true), ("zoe", false), ("n5", false), ("zoe", false), ("yan", false)] {
            try admit(name, isKnown: isKnown, most: 100_000, connection)
        }
        #expect(thousandsOfSteps.withLock { $0 } == 0)
        #expect(try store.number("SELECT count(*) FROM throttles WHERE is_known = 0") <= 100_000)
    }

    @Test(arguments: [0, 20, 40])
    func `P10: known and unknown names cost nearly the same writes, even if a name is forgotten`(
        count: Int
    ) throws {
        try #require(fault_vfs_register() == 0)
        try remember(count)
        let connection = try store.connect(vfs: "fault")
        var costs: [Int64] = []
        for (name, isKnown) in [("abel", true), ("zoe", false), ("bert", true), ("yan", false)] {
            fault_vfs_arm(store.path, FAULT_VFS_WRITE, .max, 0)
            // The limit is the present number of names, so the memory is full before each attempt.
            try admit(
                name, isKnown: isKnown, most: max(1, Int(try store.number("SELECT unknown_throttles FROM store"))),
                connection)
            costs.append(fault_vfs_calls(store.path))
            fault_vfs_disarm(store.path)
        }
        #expect(costs[0] > 0)
        #expect(Set(costs).count <= 2 && (costs.max() ?? 0) - (costs.min() ?? 0) <= 4, "\(costs)")
    }

    @Test func `P9: a store that remembers far too many forgets a few at each new name`() async throws {
        try remember(100)
        let repository = try await ProfileRepository.open(
            at: store.path, options: store.options { $0.mostUnknownNames = 60 })
        var counts: [Int64] = []
        for number in 0..<8 {
            store.clock.advance(by: .milliseconds(1))
            await #expect(throws: CredentialError.wrong) {
                try await repository.passwords.validate(Secret("wrong1A"), for: "zoe\(number)")
            }
            counts.append(try store.number("SELECT count(*) FROM throttles"))
        }
        #expect(counts == [93, 86, 79, 72, 65, 60, 60, 60])
        #expect(try store.number("SELECT count(*) FROM throttles WHERE name GLOB 'n*'") == 52, "the oldest have gone")
        #expect(try store.number("SELECT min(attempted_at) FROM throttles") == 49)
        #expect(try await repository.check().wrongCounts == [])
        await repository.close()
    }

    // MARK: Import

    private func lock(_ name: String, in repository: ProfileRepository) async {
        for _ in 1...6 {
            _ = try? await repository.passwords.validate(Secret("wrong1A"), for: name)
            _ = try? await repository.passcodes.validate(Secret("wrong1A"), for: name)
        }
    }

    enum Way: CaseIterable, Sendable { case batches, exclusive, bulk, update }

    @Test(arguments: Way.allCases)
    func `P9: attempts before an import do not lock the imported names`(way: Way) async throws {
        let repository = try await store.open()
        if way == .bulk { for name in ["abel", "bert"] { try await repository.remove(name) } }
        for name in ["zoe", "yan", "nobody"] { await lock(name, in: repository) }
        if way != .bulk { await lock("abel", in: repository) }
        let names = way == .bulk ? ["Zoe", "carl", "YAN"] : ["Zoe", "abel", "carl", "YAN"]
        let report = try await store.importPeople(names, into: repository) { options in
            options.isExclusive = way == .exclusive
            options.duplicates = way == .update ? .update : .skip
        }
        #expect(report.imported == 3)
        for name in ["zoe", "yan"] {
            _ = try await repository.passwords.validate(People.secret, for: name)
            #expect(try store.number("SELECT count(*) FROM throttles WHERE name = '\(name)'") == 0)
        }
        // Failed attempts at names that the import did not register are kept.
        #expect(try store.number("SELECT count(*) FROM throttles WHERE name = 'nobody'") == 2)
        #expect(try store.number("SELECT count(*) FROM throttles WHERE name = 'abel'") == (way == .bulk ? 0 : 2))
        #expect(try await repository.check().wrongCounts == [])
        await repository.close()
    }

    @Test func `P9: an import that stores nothing forgets nothing`() async throws {
        let repository = try await store.open()
        await lock("zoe", in: repository)
        let report = try await store.importPeople(["zoe", "zoe"], into: repository) { $0.isAllOrNothing = true }
        #expect(report.imported == 0)
        _ = try await store.importPeople(["zoe"], into: repository) { $0.isDryRun = true }
        #expect(try store.number("SELECT count(*) FROM throttles WHERE name = 'zoe'") == 2)
        #expect(try await repository.check().wrongCounts == [])
        await repository.close()
    }
}
