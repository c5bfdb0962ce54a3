import ProfileCore
import ProfileStore
import SQLiteAccess
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileStoreSQLite

@Suite(.watched) struct IndexTests {
    @Test func `R5: look-ups by username, phone and a unique field use their index`() async throws {
        let store = try TemporaryStore()
        let repository = try await store.open(schema: People.standard(and: People.uniqueEmail))
        let table = ProfileTable(repository.schema)
        let expected = [
            (ProfileSearch.Condition(column: .username, value: "abel", isPrefix: false), "profiles_username"),
            (ProfileSearch.Condition(column: .phone, value: "78761241", isPrefix: false), "profiles_phone"),
            (ProfileSearch.Condition(column: .email, value: "a@b.c", isPrefix: false), "profiles_unique_email"),
        ]
        for (condition, index) in expected {
            let plan = try store.plan(table.sql(of: search([condition])).sql)
            #expect(plan.contains { $0.hasPrefix("SEARCH profiles USING INDEX \(index)") }, "\(plan)")
        }
        let invalid = table.sql(of: search([], onlyInvalid: true)).sql
        #expect(try store.plan(invalid).contains { $0.contains("INDEX profiles_invalid") })
        #expect(try store.plan(table.selectByUsername).contains { $0.contains("INDEX profiles_username") })
        #expect(try store.plan(table.selectByID).contains { $0.contains("INTEGER PRIMARY KEY") })
        await repository.close()
    }

    @Test func `S6: look-ups by an indexed field use its index, which comes and goes with the schema`() async throws {
        let store = try TemporaryStore()
        let note = #"{"name":"note","profiles":{"indexed":true}}"#
        let repository = try await store.open(schema: People.standard(and: note))
        let condition = ProfileSearch.Condition(column: try #require(FieldName("note")), value: "x", isPrefix: false)
        let sql = ProfileTable(repository.schema).sql(of: search([condition])).sql
        let index = "SEARCH profiles USING INDEX profiles_index_note"
        #expect(try store.plan(sql).contains { $0.hasPrefix(index) })
        // Another program may drop what only helps.
        try store.execute("DROP INDEX profiles_index_note")
        try await repository.adopt(People.standard(and: #"{"name":"note","title":"N","profiles":{"indexed":true}}"#))
        #expect(try store.plan(sql).contains { $0.hasPrefix(index) })
        try await repository.adopt(People.standard(and: #"{"name":"note"}"#))
        #expect(try !store.plan(sql).contains { $0.hasPrefix(index) })
        // A unique field has its index already.
        try await repository.adopt(
            People.standard(and: #"{"name":"note","constraints":{"unique":true},"profiles":{"indexed":true}}"#))
        #expect(try store.number("SELECT count(*) FROM sqlite_schema WHERE name = 'profiles_index_note'") == 0)
        await repository.close()
        await (try store.open()).close()
    }

    private func search(_ conditions: [ProfileSearch.Condition], onlyInvalid: Bool = false) -> ProfileSearch {
        ProfileSearch(conditions: conditions, onlyInvalid: onlyInvalid, limit: 100, after: 0, mostBytes: .max)
    }
}
