import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import RawSQLite
import SecretHashing
import StoreFixtures
import Testing
import Watchdog

/// Replaces each number in a store's file by an extreme value, one number at a time.
@Suite(.watched(for: .seconds(600))) struct EveryNumberTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    private static let values: [Int64] = [.max, .min, -1, 0]

    /// Fills a store with at least one row in each table, and returns the tokens of the session, the access token and
    /// the reset.
    private func fill() async throws -> [String] {
        let repository = try await store.open(store.options { $0.now = Timestamp.now })
        try await repository.register("abel", ["password_hash": People.weakHash])
        try await repository.register("zoe")
        _ = try await repository.passcodes.create(Secret("parislondon"), for: "zoe")
        for name in ["abel", "nobody"] { _ = try? await repository.passwords.validate(Secret("wrong1A"), for: name) }
        let draft = try repository.judged(People.draft("keyed"))
        _ = try await repository.register(draft, key: WriteKey("kept"))
        let session = try await repository.sessions.start(vouchingFor: "abel")
        let console = try #require(AccountLabel("console"))
        let token = try await repository.tokens.create(console, scopes: [], validFor: .seconds(86_400))
        let reset = try await repository.passwords.issueReset(of: "abel")
        await repository.close()
        return [session.token, token.token, reset.token].map { String($0.bytes) }
    }

    /// The columns that hold numbers, of all tables.
    private func columns() throws -> [(table: String, column: String)] {
        let rows = try RawDatabase(store.path).rows(
            """
            SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
            WHERE m.type = 'table' AND c.type = 'INTEGER' ORDER BY 1, 2
            """)
        return rows.compactMap { row in row[0].flatMap { table in row[1].map { (table, $0) } } }
    }

    @Test func `no operation on the store traps, whatever value a number has`() async throws {
        let tokens = try await fill()
        let sound = try #require(SmallFile.bytes(of: store.path))
        let columns = try columns()
        #expect(columns.count > 30 && columns.contains { $0 == ("tokens", "idle_time") })
        var paths: [String] = []
        for (table, column) in columns {
            for value in Self.values {
                let path = "\(store.directory)/\(table)-\(column)-\(value)"
                try SmallFile.write(sound, to: path)
                try SmallFile.write(sound, to: path + "-sound")
                try SmallFile.write("username,phone,address\nabel,78761241,1\nemil,78761241,1\n", to: path + ".csv")
                let crafted = try RawDatabase(path)
                try crafted.execute("PRAGMA ignore_check_constraints = ON")
                // Changes only one row, because many columns are unique. Tables without a rowid are changed as a whole.
                // A value that SQLite refuses both times is skipped.
                guard
                    (try? crafted.execute(
                        "UPDATE \(table) SET \(column) = \(value) WHERE rowid = (SELECT min(rowid) FROM \(table))"))
                        != nil || (try? crafted.execute("UPDATE \(table) SET \(column) = \(value)")) != nil
                else { continue }
                paths.append(path)
            }
        }
        #expect(paths.count > 120)
        // One process uses many stores. If it dies in one of them, the next process continues with the store after it.
        var traps: [String] = []
        // A long run uses all stores. An ordinary run uses one value of each column.
        var rest = Length.some(paths, oneIn: Self.values.count, from: Int.random(in: 0..<Self.values.count))[...]
        while !rest.isEmpty {
            let child = try ExerciserProcess(words: ["use"] + tokens + rest)
            let outcome = await child.finish()
            guard outcome.lines.last != "done" || outcome.code != 0 else { break }
            let last = try #require(outcome.lines.last.flatMap { rest.firstIndex(of: $0) }, "\(outcome)")
            traps.append("\(rest[last]): \(outcome.code)")
            rest = rest[(last + 1)...]
        }
        #expect(traps == [])
    }
}
