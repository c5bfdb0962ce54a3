import ProfileCore
import ProfileStore
import ProfileTesting
import ProfileTransfer
import RawSQLite
import SQLiteAccess
import SQLiteMigrations
import StoreFixtures
import Synchronization
import Testing
import Watchdog

@testable import ProfileStoreSQLite

/// The counts that the store keeps. Each write updates them, and `check` compares them with the rows.
@Suite(.watched) struct CountTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    private static func stricter() throws -> ProfileSchema {
        try People.standard(replacing: #""minLength":3"#, with: #""minLength":9"#)
    }

    private func unjudged() throws -> Int64 { try store.number("SELECT unjudged_passwords FROM store") }

    private func typed(_ username: String, in repository: ProfileRepository) async throws {
        try await repository.register(username, ["password": "bL9pjp789", "password_hash": ""])
    }

    @Test func `L1: passwords that were not judged are counted by each write`() async throws {
        let repository = try await store.open()
        try await typed("abel", in: repository)
        #expect(try unjudged() == 0)
        try await repository.register("bert")
        try await repository.register("carl", ["password_hash": People.weakHash])
        #expect(try unjudged() == 2)
        _ = try await repository.passwords.validate(People.secret, for: "carl")
        #expect(try unjudged() == 2, "a better hash of it was not judged either")
        _ = try await repository.edit("bert") { $0["address"] = "2" }
        #expect(try unjudged() == 2)
        _ = try await repository.edit("bert") { $0.password = Secret("bL9pjp789") }
        #expect(try unjudged() == 1)
        _ = try await repository.edit("abel") { $0["password_hash"] = People.policyHash }
        #expect(try unjudged() == 2)
        await #expect(throws: ProfileStoreError.duplicate([.username])) { try await repository.register("abel") }
        #expect(try unjudged() == 2)
        try await repository.remove("carl")
        #expect(try unjudged() == 1)
        // Bert's password was judged by the standard rules, so it counts under the stricter rules, and no longer when
        // the standard rules are adopted again.
        try await repository.rules.adopt(Self.stricter())
        #expect(try unjudged() == 2)
        try await repository.remove("abel")
        #expect(try unjudged() == 1)
        try await repository.rules.adopt(.standard)
        #expect(try unjudged() == 0)
        try await repository.rules.adopt(Self.stricter())
        try await repository.remove("bert")
        #expect(try unjudged() == 0)
        await repository.close()
    }

    @Test func `after random changes the counts equal those of a full scan`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let repository = try await store.open()
        let schemas = [ProfileSchema.standard, try Self.stricter(), try People.standard(and: People.email)]
        let names = ["abel", "bert", "carl", "dora", "emma"]
        for step in 0..<(Length.isLong ? 3_000 : 150) {
            let name = names.randomElement(using: &random) ?? "abel"
            let other = names.randomElement(using: &random) ?? "bert"
            switch Int.random(in: 0..<14, using: &random) {
            case 0: _ = try? await repository.register(name)
            case 1: _ = try? await typed(name, in: repository)
            case 2: _ = try? await repository.edit(name) { $0.password = Secret("bL9pjp\(step)xyz") }
            case 3: _ = try? await repository.edit(name) { $0["password_hash"] = People.weakHash }
            case 4: _ = try? await repository.edit(name) { $0["username"] = other }
            case 5: _ = try? await repository.remove(name)
            case 6: try await repository.rules.adopt(schemas.randomElement(using: &random) ?? .standard)
            case 7...8: _ = try? await repository.passwords.validate(People.secret, for: name)
            case 9: try? await repository.passcodes.create(Secret("parislondon"), for: name)
            case 10: try? await repository.unlock(name)
            default:
                let rows = (0..<3).map { _ in names.randomElement(using: &random) ?? "abel" }
                let policy = ImportOptions.DuplicatePolicy.allCases.randomElement(using: &random) ?? .reject
                let (isExclusive, isAllOrNothing) = (Bool.random(using: &random), Bool.random(using: &random))
                _ = try await store.importPeople(rows, hash: People.bcryptHash, into: repository) { options in
                    options.duplicates = policy
                    options.isExclusive = isExclusive
                    options.isAllOrNothing = isAllOrNothing
                }
            }
            #expect(try await repository.check().wrongCounts == [], "step \(step) of seed \(seed)")
        }
        await repository.close()
    }

    @Test func `a bulk load counts its hashes`() async throws {
        let repository = try await store.open()
        _ = try await store.importPeople((0..<300).map { "user\($0)" }, hash: People.policyHash, into: repository)
        #expect(try unjudged() == 300)
        #expect(try await repository.check().isSound)
        await repository.close()
    }

    @Test func `a store of version 2 is counted when it is migrated`() async throws {
        let repository = try await store.open()
        for name in ["abel", "bert"] { try await repository.register(name) }
        try await typed("carl", in: repository)
        try await repository.rules.adopt(Self.stricter())
        try await typed("dora", in: repository)
        _ = try? await repository.passwords.validate(People.secret, for: "zoe")
        await repository.close()
        try store.becomeOlder(version: 2)
        #expect(try await ProfileRepository.migrate(at: store.path).first == "V0003_counts")
        #expect(try unjudged() == 3)
        #expect(try store.number("SELECT unknown_throttles FROM store") == 1)
        let migrated = try await store.open()
        #expect(try await migrated.check().wrongCounts == [])
        await migrated.close()
    }

    @Test func `a check finds counts that another program has changed, and migrating corrects them`() async throws {
        let repository = try await store.open()
        for name in ["abel", "bert"] { try await repository.register(name) }
        try store.execute("DELETE FROM profiles WHERE username = 'abel'; UPDATE store SET unknown_throttles = 7")
        #expect(try await repository.check().wrongCounts.map(\.name) == ["unknown_throttles", "unjudged_passwords"])
        // A count does not get below 0.
        try store.execute("UPDATE store SET unjudged_passwords = 0")
        try await repository.remove("bert")
        await repository.close()
        #expect(try await ProfileRepository.migrate(at: store.path) == [])
        let mended = try await store.open()
        #expect(try await mended.check().isSound)
        await mended.close()
    }

    @Test func `L1: a login reads no profiles to find out whether all passwords were judged`() async throws {
        let repository = try await store.open()
        try await typed("abel", in: repository)
        try RawDatabase(store.path).execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO profiles (id, revision, created_at, updated_at, schema_version, username, password_hash,
                password_schema_version, password_is_judged)
            SELECT i + 10, 1, 0, 0, 1, 'n' || i, 'x', 1, 1 FROM n
            """)
        let connection = try store.connect()
        let thousandsOfSteps = Mutex(0)
        connection.endStatements {
            thousandsOfSteps.withLock { $0 += 1 }
            return false
        }
        let changes: [@Sendable () async throws -> Void] = [
            {}, { try await repository.register("bert") }, { try await repository.remove("bert") },
            { try await repository.rules.adopt(Self.stricter()) }, { try await repository.rules.adopt(.standard) },
        ]
        let judged = [true, false, true, false, true]
        for (change, isJudged) in zip(changes, judged) {
            try await change()
            #expect(try await repository.loginRules().haveJudgedPasswords == isJudged)
            // The two reads of `loginRules()`, on the connection that counts its steps.
            #expect(try SchemaTable.versionInForce(connection) == repository.rules.inForce.number)
            #expect(try (StoreTable.count(.unjudgedPasswords, connection) == 0) == isJudged)
        }
        #expect(thousandsOfSteps.withLock { $0 } == 0)
        await repository.close()
    }
}
