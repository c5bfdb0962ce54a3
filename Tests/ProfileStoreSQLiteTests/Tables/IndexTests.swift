import ProfileCore
import ProfileStore
import SQLiteAccess
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileStoreSQLite

@Suite(.watched) struct IndexTests {
    private typealias Condition = ProfileSearch.Condition
    private typealias Comparison = ProfileQuery.Comparison

    @Test func `R5: look-ups by username, phone and a unique field use their index`() async throws {
        let store = try TemporaryStore()
        let repository = try await store.open(schema: People.standard(and: People.uniqueEmail))
        let table = ProfileTable(repository.schema)
        let expected: [(FieldName, String)] = [
            (.username, "profiles_username"), (.phone, "profiles_phone"), (.email, "profiles_unique_email"),
        ]
        for (field, index) in expected {
            let condition = Condition(try #require(repository.schema[field]), .equals("x"))
            let plan = try plan(of: ProfileSearch(conditions: [condition]), table, store)
            #expect(plan.contains { $0.hasPrefix("SEARCH profiles USING INDEX \(index)") }, "\(plan)")
        }
        let invalid = try plan(of: ProfileSearch(status: .invalid), table, store)
        #expect(invalid.contains { $0.contains("INDEX profiles_invalid") })
        #expect(try store.plan(table.selectByUsername).contains { $0.contains("INDEX profiles_username") })
        #expect(try store.plan(table.selectByID).contains { $0.contains("INTEGER PRIMARY KEY") })
        await repository.close()
    }

    @Test func `S6: look-ups by an indexed field use its index, which comes and goes with the schema`() async throws {
        let store = try TemporaryStore()
        let note = #"{"name":"note","profiles":{"indexed":true}}"#
        let repository = try await store.open(schema: People.standard(and: note))
        let rules = try #require(repository.schema["note"])
        let sql = SearchSQL.first(
            of: ProfileSearch(conditions: [Condition(rules, .equals("x"))]), ProfileTable(repository.schema))
        let index = "SEARCH profiles USING INDEX profiles_index_note"
        #expect(try store.plan(sql).contains { $0.hasPrefix(index) })
        // Another program may drop an index that only speeds up queries.
        try store.execute("DROP INDEX profiles_index_note")
        try await repository.rules.adopt(
            People.standard(and: #"{"name":"note","title":"N","profiles":{"indexed":true}}"#))
        #expect(try store.plan(sql).contains { $0.hasPrefix(index) })
        try await repository.rules.adopt(People.standard(and: #"{"name":"note"}"#))
        #expect(try !store.plan(sql).contains { $0.hasPrefix(index) })
        // A unique field has its index already.
        try await repository.rules.adopt(
            People.standard(and: #"{"name":"note","constraints":{"unique":true},"profiles":{"indexed":true}}"#))
        #expect(try store.number("SELECT count(*) FROM sqlite_schema WHERE name = 'profiles_index_note'") == 0)
        await repository.close()
        await (try store.open()).close()
    }

    /// Compares the plan of each kind of query with SQLite's plan of its statements, on the first page and on later
    /// pages.
    @Test func `a plan names the index that SQLite uses, or says that every profile is read`() async throws {
        let store = try TemporaryStore()
        let repository = try await store.open(
            schema: People.standard(
                and: People.uniqueEmail, #"{"name":"note","profiles":{"indexed":true}}"#,
                #"{"name":"age","type":"integer","profiles":{"indexed":true}}"#, #"{"name":"city"}"#))
        let table = ProfileTable(repository.schema)
        let connection = try store.connect()
        try SearchFunctions.define(on: connection)
        let indexes: [String: String] = [
            "username": "profiles_username", "email": "profiles_unique_email", "note": "profiles_index_note",
            "age": "profiles_index_age", "phone": "profiles_phone",
        ]
        let comparisons: [Comparison] = [
            .equals("1"), .isAny(of: ["1", "2"]), .hasPrefix("1"), .isLess(than: "1"), .isAtLeast("1"), .isAbsent,
            .isPresent,
            .differs(from: "1"), .contains("1"),
        ]
        let fields = try ["username", "phone", "email", "note", "age", "city"].map { name in
            try #require(FieldName(name).flatMap { repository.schema[$0] })
        }
        let conditions =
            [[]] + fields.flatMap { field in comparisons.map { [Condition(field, $0)] } }
            + comparisons.map {
                [Condition(fields[1], $0), Condition(fields[0], .contains("1")), Condition(fields[5], .equals("1"))]
            }
        let orders: [ProfileSearch.Order?] =
            [nil] + fields.flatMap { field in [false, true].map { .field(field, isDescending: $0) } }
        var kinds: Set<String> = []
        for conditions in conditions {
            for order in orders {
                for status in [nil, ProfileSearch.Status.invalid] {
                    for isReversed in [false, true] {
                        var search = ProfileSearch(
                            conditions: conditions, status: status, order: order, isReversed: isReversed)
                        let access = SearchAccess(search)
                        for after in [nil, [0x31]] as [[UInt8]?] {
                            if let after { search.after = search.cursor(id: 7, values: order == nil ? [] : [after]) }
                            for stretch in StatementStretch.all(of: search, by: access) {
                                let sql = table.sql(of: search, by: access, in: stretch, limit: 10)
                                let steps = try plan(sql.text, connection)
                                let used: String? =
                                    switch access.plan {
                                    case .index(let names):
                                        names.first.map { indexes[$0.text] ?? "?" }
                                            ?? (access.way == .marks ? "profiles_invalid" : nil)
                                    case .everything: nil
                                    }
                                let isSorted = steps.contains { $0.contains("TEMP B-TREE") }
                                if let used {
                                    try #require(
                                        steps[0].hasPrefix("SEARCH profiles USING INDEX \(used) (")
                                            || access.way == .marks
                                                && steps[0].hasPrefix("SCAN profiles USING INDEX \(used)"),
                                        "\(steps) \(sql.text)")
                                } else {
                                    try #require(!steps[0].contains("USING INDEX"), "\(steps) \(sql.text)")
                                }
                                // A brief query runs on the caller's thread. It reads only its page, so it must not
                                // sort.
                                if access.isBrief, access.way != .condition(0) || order == nil {
                                    try #require(!isSorted, "\(steps) \(sql.text)")
                                }
                                kinds.insert("\(access.way)")
                            }
                        }
                    }
                }
            }
        }
        #expect(kinds == ["condition(0)", "marks", "order", "everything"])
        await repository.close()
    }

    @Test func `a query runs on the caller's thread only if it reads no more than a page`() async throws {
        let schema = try People.standard(and: #"{"name":"note","profiles":{"indexed":true}}"#)
        let (note, address) = (try #require(schema["note"]), try #require(schema[.address]))
        func isBrief(_ search: ProfileSearch) -> Bool { SearchAccess(search).isBrief }
        func ordered(_ field: FieldRules) -> ProfileSearch.Order { .field(field, isDescending: false) }
        let username = Condition(schema.primaryKey, .equals("x"))
        #expect(isBrief(ProfileSearch(conditions: [username, Condition(address, .contains("x"))], limit: 100_000)))
        #expect(isBrief(ProfileSearch(conditions: [Condition(note, .equals("x"))], isReversed: true)))
        #expect(isBrief(ProfileSearch(conditions: [Condition(note, .hasPrefix("x"))], order: ordered(note))))
        #expect(isBrief(ProfileSearch(order: ordered(note), limit: 1_000)))
        #expect(isBrief(ProfileSearch()))
        #expect(isBrief(ProfileSearch(status: .invalid)))
        #expect(!isBrief(ProfileSearch(limit: 1_001)))
        #expect(!isBrief(ProfileSearch(conditions: [Condition(note, .equals("x"))], order: ordered(address))))
        #expect(!isBrief(ProfileSearch(conditions: [Condition(note, .hasPrefix("x"))])))
        #expect(!isBrief(ProfileSearch(conditions: [Condition(address, .equals("x"))])))
        #expect(!isBrief(ProfileSearch(order: ordered(address))))
        #expect(!isBrief(ProfileSearch(text: FoldedText("x"))))
        #expect(!isBrief(ProfileSearch(status: .judged(by: [1]))))
    }

    private func plan(of search: ProfileSearch, _ table: ProfileTable, _ store: TemporaryStore) throws -> [String] {
        let connection = try store.connect()
        try SearchFunctions.define(on: connection)
        return try plan(SearchSQL.first(of: search, table), connection)
    }

    private func plan(_ sql: String, _ connection: borrowing Connection) throws -> [String] {
        var statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
        var steps: [String] = []
        while try statement.step() { steps.append(statement.string(at: 3) ?? "") }
        return steps
    }
}

extension SearchSQL {
    /// The statement that reads the first part of the search results.
    fileprivate static func first(of search: ProfileSearch, _ table: ProfileTable) -> String {
        let access = SearchAccess(search)
        return table.sql(of: search, by: access, in: StatementStretch.all(of: search, by: access)[0], limit: 10).text
    }
}
