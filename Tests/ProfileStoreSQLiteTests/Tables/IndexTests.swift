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
            (ProfileSearch.Condition(field: .username, value: "abel", isPrefix: false), "profiles_username"),
            (ProfileSearch.Condition(field: .phone, value: "78761241", isPrefix: false), "profiles_phone"),
            (ProfileSearch.Condition(field: .email, value: "a@b.c", isPrefix: false), "profiles_unique_email"),
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

    private func search(_ conditions: [ProfileSearch.Condition], onlyInvalid: Bool = false) -> ProfileSearch {
        ProfileSearch(conditions: conditions, onlyInvalid: onlyInvalid, limit: 100, after: 0, mostBytes: .max)
    }
}
