import ProfileCore
@testable import ProfileStore
import StoreFixtures
import Testing
import Watchdog

/// D1, D2: the history and undos as JSON.
@Suite(.watched) struct HistoryJSONTests {
    private static let time = Timestamp(millisecondsSince1970: 1_000)

    private func entry(_ values: [HistoryEntry.ChangedValue], isKnown: Bool = true) -> HistoryEntry {
        HistoryEntry(
            change: 7, part: 0, kind: .edited, profileIDs: 3...5, revision: isKnown ? 2 : nil, changedAt: Self.time,
            author: isKnown ? "api: eve" : nil, command: isKnown ? "mend" : nil, undoes: isKnown ? 6 : nil,
            values: values, setsPassword: isKnown, removed: nil)
    }

    private let change = HistoryChange(
        number: 7, madeAt: Self.time, author: nil, command: "import", source: "people.csv", undoes: nil, added: 2,
        updated: 1, removed: 0)

    @Test func `D1: an entry has all its members, and null for what is unknown`() {
        let value = HistoryEntry.ChangedValue(field: "age", before: nil, after: "7")
        #expect(
            entry([value]).json.text() == """
                {"change":7,"kind":"edited","first_id":3,"last_id":5,"revision":2,\
                "changed_at":"1970-01-01T00:00:01.000Z","author":"api: eve","command":"mend","undoes":6,\
                "sets_password":true,"values":[{"field":"age","before":null,"after":"7"}]}
                """)
        #expect(
            entry([], isKnown: false).json.text() == """
                {"change":7,"kind":"edited","first_id":3,"last_id":5,"revision":null,\
                "changed_at":"1970-01-01T00:00:01.000Z","author":null,"command":null,"undoes":null,\
                "sets_password":false,"values":[]}
                """)
    }

    @Test func `D1: an owner sees no staff, no ids of others, and the values of fields that are not hidden`() throws {
        let key = #"{"name":"username","constraints":{"required":true,"unique":true}}"#
        let note = #"{"name":"note","profiles":{"owner":"read"}}"#
        let schema = try ProfileSchema(
            parsing: #"{"fields":[\#(key),{"name":"risk","profiles":{"owner":"hidden"}},\#(note),{"name":"age"}]}"#)
        // The fields rating and age of an earlier schema may have been hidden.
        let names = ["username", "risk", "note", "age", "rating", "age (former)"]
        let entry = entry(names.map { HistoryEntry.ChangedValue(field: $0, before: "old \($0)", after: nil) })
        let shown = names.prefix(4).filter { $0 != "risk" }
        #expect(
            entry.ownerJSON(in: schema) == [
                "change": 7, "kind": "edited", "revision": 2, "changed_at": "1970-01-01T00:00:01.000Z", "undoes": 6,
                "sets_password": true,
                "values": .array(
                    shown.map { ["field": .string($0), "before": .string("old \($0)"), "after": nil] }),
            ])
    }

    @Test func `D1: a store's history hides a value from the owner as long as the rules in force do`() async throws {
        let store = try TemporaryStore()
        let repository = try await store.open(registering: ["abel"])
        try await repository.rules.adopt(People.standard(and: #"{"name":"risk"}"#))
        _ = try await repository.edit("abel") { $0["risk"] = "high" }
        func shown() async throws -> JSONValue? {
            let entry = try #require(try await repository.history(of: "abel")?.first)
            return entry.ownerJSON(in: repository.schema)["values"]
        }
        #expect(try await shown() == [["field": "risk", "before": nil, "after": "high"]])
        try await repository.rules.adopt(People.standard(and: #"{"name":"risk","profiles":{"owner":"hidden"}}"#))
        #expect(try await shown() == [])
        try await repository.rules.adopt(.standard)
        #expect(try await shown() == [])
        await repository.close()
    }

    @Test func `D1: a change tells its file and its counts`() {
        #expect(
            change.json.text() == """
                {"change":7,"made_at":"1970-01-01T00:00:01.000Z","file":"people.csv","author":null,"added":2,"updated":1}
                """)
    }

    @Test func `D2: an undo tells its counts, and why a profile stayed`() {
        var report = UndoReport(of: change)
        (report.removed, report.reverted, report.restored) = (1, 2, 3)
        (report.needReset, report.keptSecrets, report.unchanged) = (4, 5, 6)
        report.leave(1, nil, .changedSince)
        report.leave(2, "bert", .refused(.duplicate([.username])))
        report.leave(3, "carl", .refused(.invalid(ValidationFailure([]))))
        report.leave(4, "dora", .formerFields(["age"]))
        #expect(
            report.json.text() == """
                {"change":7,"removed":1,"reverted":2,"restored":3,"need_reset":4,"kept_secrets":5,"unchanged":6,\
                "left_count":3,"left":[{"id":1,"username":null,"reason":"changed_since"},\
                {"id":2,"username":"bert","reason":"duplicate"},{"id":3,"username":"carl","reason":"invalid"},\
                {"id":4,"username":"dora","reason":"former_fields"}]}
                """)
    }
}
