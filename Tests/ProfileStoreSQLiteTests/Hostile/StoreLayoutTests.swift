import ProfileCore
import ProfileStore
import ProfileTesting
import ProfileTransfer
import RawSQLite
import SQLiteAccess
import SQLiteMigrations
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileStoreSQLite

/// The SQL in a store's schema is compared with the expected SQL before any of it runs.
@Suite(.watched) struct StoreLayoutTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    // MARK: The expected layout

    @Test(arguments: 0...Migration.sqlite.count)
    func `the layout of a version equals the schema that its migrations create in SQLite`(version: Int) throws {
        let database = try RawDatabase()
        for migration in Migration.sqlite.prefix(version) {
            try database.execute(String(decoding: migration.sql, as: UTF8.self))
        }
        let rows = try database.rows("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        var expected: [String: String] = [:]
        for row in rows { expected[try #require(row[0])] = row[1] }
        #expect(StoreLayout(version: version).objects == expected)
        #expect(expected.isEmpty == (version == 0))
    }

    @Test func `S6: a store keeps its layout whichever schemas it adopts`() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let repository = try await store.open(registering: ["abel"])
        let names = ["a", "order", "email", "x_1", String(repeating: "n", count: 63)]
        // A step adds 1.25 columns on average, and a store can have 250.
        for step in 0..<(Length.isLong ? 100 : 25) {
            let fields = names.filter { _ in Bool.random(using: &random) }.map { name in
                #"{"name":"\#(name)","constraints":{"unique":\#(Bool.random(using: &random))}}"#
            }
            let schema =
                fields.isEmpty ? ProfileSchema.standard : try People.standard(and: fields.joined(separator: ","))
            try await repository.rules.adopt(schema)
            // Both another repository and this one accept the layout.
            let other = try await ProfileRepository.open(at: store.path)
            _ = try await other.edit("abel") { $0["address"] = "\(step) Main St" }
            #expect(try await repository.profile(username: "abel")?["address"] == "\(step) Main St", "seed \(seed)")
            await other.close()
        }
        await repository.close()
    }

    // MARK: Permitted additions

    @Test func `plain indexes of other programs and the statistics of ANALYZE are kept`() async throws {
        let before = try await store.open()
        for name in ["abel", "bert"] { try await before.register(name) }
        await before.close()
        let stranger = try RawDatabase(store.path)
        try stranger.execute(
            """
            CREATE INDEX their_addresses ON profiles (address COLLATE NOCASE DESC, birthday);
            CREATE INDEX "a ""quoted"" name" ON throttles (failures); ANALYZE
            """)
        let repository = try await ProfileRepository.open(at: store.path)
        #expect(try await repository.check().isSound)
        for name in ["abel", "bert"] { try await repository.remove(name) }
        // A bulk load drops the indexes of profiles and creates them again.
        let report = try await store.importPeople(["carl"], into: repository)
        #expect(report.imported == 1)
        await repository.close()
        let indexes = try stranger.rows("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name").map {
            $0[0]
        }
        #expect(indexes.contains("their_addresses") && indexes.contains("a \"quoted\" name"))
        #expect(indexes.contains("profiles_username") && indexes.contains("profiles_phone"))
    }

    // MARK: Refused layouts

    struct Alteration: Sendable, CustomTestStringConvertible {
        let sql: String
        let object: AlteredObject

        init(_ difference: AlteredObject.Difference, _ type: String, _ name: String, _ sql: String) {
            self.sql = sql
            object = AlteredObject(difference, type: type, name: name)
        }

        var testDescription: String { sql }
    }

    private static let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"

    /// Returns SQL that writes a definition into `sqlite_schema` which SQLite itself would refuse.
    private static func rewrite(_ name: String, _ expression: String) -> String {
        "UPDATE sqlite_schema SET sql = \(expression) WHERE name = '\(name)'; PRAGMA schema_version = 1000"
    }

    static let alterations = [
        Alteration(
            .changed, "view", "profiles",
            "DROP TABLE profiles; CREATE VIEW profiles AS \(endless) i AS id, 1 AS username FROM n"),
        Alteration(.foreign, "view", "more", "CREATE VIEW more AS \(endless) i FROM n"),
        Alteration(
            .foreign, "trigger", "r", "CREATE TRIGGER r AFTER INSERT ON profiles BEGIN \(endless) max(i) FROM n; END"),
        Alteration(
            .foreign, "trigger", "r",
            "CREATE TRIGGER r BEFORE UPDATE ON profiles BEGIN SELECT RAISE(IGNORE); END"),
        Alteration(.foreign, "trigger", "r", "CREATE TRIGGER r AFTER INSERT ON throttles BEGIN SELECT 1; END"),
        Alteration(.foreign, "table", "more", "CREATE TABLE more (a)"),
        Alteration(
            .foreign, "table", "pragma_index_list", "CREATE TABLE pragma_index_list (name, \"unique\", partial)"),
        Alteration(.foreign, "table", "words", "CREATE VIRTUAL TABLE words USING fts5(a)"),
        Alteration(.foreign, "index", "i", "CREATE UNIQUE INDEX i ON profiles (phone)"),
        Alteration(.foreign, "index", "i", "CREATE INDEX i ON profiles (lower(address))"),
        Alteration(.foreign, "index", "i", "CREATE INDEX i ON profiles (address) WHERE address GLOB '*a'"),
        Alteration(
            .foreign, "index", "profiles_unique_phone",
            "CREATE UNIQUE INDEX \"profiles_unique_phone\" ON profiles (\"phone\")"),
        Alteration(.missing, "index", "profiles_username", "DROP INDEX profiles_username"),
        Alteration(.missing, "table", "changes", "DROP TABLE changes"),
        Alteration(.missing, "index", "profiles_unique_email", "DROP INDEX profiles_unique_email"),
        Alteration(
            .changed, "index", "profiles_phone",
            rewrite("profiles_phone", "sql || '; DELETE FROM profiles'")),
        Alteration(
            .changed, "index", "profiles_phone",
            "DROP INDEX profiles_phone; CREATE INDEX profiles_phone ON profiles (phone, address)"),
        Alteration(.changed, "table", "store", rewrite("store", "sql || ' '")),
        Alteration(.changed, "table", "profiles", "ALTER TABLE profiles ADD COLUMN more TEXT AS (hex(address))"),
        Alteration(
            .changed, "table", "profiles", "ALTER TABLE profiles ADD COLUMN \"more\" TEXT CHECK (\"more\" <> 'a')"),
        Alteration(
            .changed, "table", "profiles",
            rewrite("profiles", "replace(sql, 'CHECK (phone <> '''')', 'CHECK (length(hex(phone)) <> 7)')")),
        Alteration(
            .changed, "table", "schemas",
            rewrite("schemas", "replace(sql, 'document TEXT', 'document TEXT AS (hex(name))')")),
        Alteration(
            .foreign, "index", "i",
            "CREATE INDEX i ON profiles (address); " + rewrite("i", "sql || '; DELETE FROM profiles'")),
    ]

    @Test(arguments: alterations)
    func `a store with altered SQL is refused with the name of the object, before its SQL runs`(
        alteration: Alteration
    ) async throws {
        let repository = try await store.open(schema: People.standard(and: People.uniqueEmail))
        try await repository.register("abel")
        await repository.close()
        try RawDatabase(store.path).execute(alteration.sql)
        let expected = ProfileStoreError.altered(alteration.object)
        await #expect(throws: expected) { try await ProfileRepository.open(at: store.path) }
        await #expect(throws: expected) { try await store.open() }
        await #expect(throws: expected) { try await ProfileRepository.migrate(at: store.path) }
    }

    @Test(arguments: alterations)
    func `SQL that comes into a store while it is open is not run`(alteration: Alteration) async throws {
        let repository = try await store.open(schema: People.standard(and: People.uniqueEmail))
        try await repository.register("abel")
        _ = try await repository.profile(username: "abel")
        try RawDatabase(store.path).execute(alteration.sql)
        let expected = ProfileStoreError.altered(alteration.object)
        // A write checks the layout first.
        await #expect(throws: expected) { try await repository.register("bert") }
        // The first read may still return a result, and notices the alteration. The next read is refused.
        _ = try? await repository.profile(username: "abel")
        await #expect(throws: expected) { try await repository.profile(username: "abel") }
        await #expect(throws: expected) { _ = try await repository.edit("abel") { $0["address"] = "2" } }
        await repository.close()
    }

    @Test func `a view that comes into a store while it is open is not read`() async throws {
        let repository = try await store.open(registering: ["abel"])
        _ = try await repository.profile(username: "abel")
        try RawDatabase(store.path).execute(
            "ALTER TABLE profiles RENAME TO p; CREATE VIEW profiles AS SELECT * FROM p")
        let error = await #expect(throws: ProfileStoreError.self) { try await repository.profile(username: "abel") }
        guard case .corrupt? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        await repository.close()
    }

    @Test func `the layout of an older store is checked before it is migrated`() async throws {
        let database = try RawDatabase(store.path)
        try database.execute(String(decoding: Migration.sqlite[0].sql, as: UTF8.self))
        try database.execute(
            """
            PRAGMA user_version = 1; PRAGMA application_id = \(0x5052_4F46);
            CREATE TRIGGER r AFTER UPDATE ON store BEGIN \(Self.endless) max(i) FROM n; END
            """)
        await #expect(throws: ProfileStoreError.altered(AlteredObject(.foreign, type: "trigger", name: "r"))) {
            try await ProfileRepository.migrate(at: store.path)
        }
        try database.execute("DROP TRIGGER r")
        #expect(try await ProfileRepository.migrate(at: store.path).count == Migration.sqlite.count - 1)
    }

    @Test func `opening is given up if SQLite computes for too long when it reads the schema`() async throws {
        await (try store.open()).close()
        // SQLite reads the planner's statistics together with the schema, before the layout can be checked. Each of
        // these 300 rows takes a second or more.
        let slow = Array(repeating: "length(hex(replace(hex(zeroblob(1000000 + length(tbl))), '00', 'ab')))", count: 50)
        let column = "stat AS (\(slow.joined(separator: " + ")))".replacing("'", with: "''")
        try RawDatabase(store.path).execute(
            """
            ANALYZE; DELETE FROM sqlite_stat1;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO sqlite_stat1 SELECT 'profiles', 'profiles_phone', '1 1' FROM n;
            UPDATE sqlite_schema SET sql = 'CREATE TABLE sqlite_stat1(tbl,idx,\(column))' WHERE name = 'sqlite_stat1'
            """)
        let child = try ExerciserProcess("open", store.path, "1")
        let deadline = Task {
            try await Task.sleep(for: .seconds(90))
            child.kill()
        }
        let outcome = await child.finish()
        deadline.cancel()
        #expect(outcome.code == 1)
        #expect(outcome.lines.last?.contains("sqlite_stat1") == true, "\(outcome.lines)")
    }
}
