import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

@Suite("Nested JSON", .watched) struct NestedJSONTests {
    private func schema() throws -> ProfileSchema {
        try ProfileSchema(
            parsing: """
                {"name": "nested", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "address_city"}, {"name": "age", "type": "integer"},
                  {"name": "tags", "profiles": {"columns": ["meta.tags.all"]}}, {"name": "note"},
                  {"name": "password", "profiles": {"secret": true}}
                ]}
                """)
    }

    private func stored(
        _ text: String, _ change: (inout ImportOptions) -> Void = { _ in }
    ) async throws -> (report: ImportReport, profiles: [String: [String: String]]) {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schema())
        let report = try await repository.importing(text) {
            $0.format = .json
            change(&$0)
        }
        return (report, try await repository.everything())
    }

    @Test func `I13: members of nested objects go to the fields of their joined names`() async throws {
        let (report, profiles) = try await stored(
            """
            {"username":"ann","address":{"city":"Rome"},"meta":{"tags":{"all":["a",1,true,null]}},"age":[7]}
            {"username":"bob","Address":{"City":"Oslo"},"meta":{"tags":null},"address":{},"age":8}
            {"username":"cy","address.city":"Bonn","meta":null,"age":null}

            """)
        #expect(report.outcomes == [3, 0, 0, 0], "\(report.lines)")
        #expect(report.warnings == [.joinedLists(rows: 1, line: 1)])
        #expect(
            profiles == [
                "ann": ["username": "ann", "address_city": "Rome", "tags": "a, 1, true", "age": "7"],
                "bob": ["username": "bob", "address_city": "Oslo", "age": "8"],
                "cy": ["username": "cy", "address_city": "Bonn"],
            ])
    }

    @Test func `I3: a member that cannot become one value is an issue of its row`() async throws {
        let report = try await stored(
            """
            {"username":"a1","address":{"street":"x"}}
            {"username":"a2","note":{"x":1}}
            {"username":"a3","note":[{"x":1}]}
            {"username":"a4","note":[[1]]}
            {"username":"a5","address":{"city":"x"},"address.city":"y"}
            {"username":"a6","password":["Secret1"]}
            {"username":"a7","age":[1,2]}
            {"username":"a8","other":null}

            """
        ).report
        #expect(
            report.lines == [
                "1/1 row unknown_field", "2/2 row bad_row", "3/3 row bad_row", "4/4 row bad_row", "5/5 row bad_row",
                "6/6 row bad_row", "7/7 age bad_format", "8/8 row unknown_field",
            ])
        #expect(!"\(report.issues.listed)".contains("Secret1"))
    }

    @Test func `I2: nested members can be mapped and ignored by their joined names`() async throws {
        let text = #"{"user":{"id":"ann","x":1},"more":{"note":"n","y":{"z":1}}}"#
        let (report, profiles) = try await stored(text) {
            $0.columns = ["user.id": "username", "more.note": "note"]
            $0.ignoredColumns = ["user.x", "more.y"]
        }
        #expect(report.outcomes == [1, 0, 0, 0], "\(report.lines)")
        #expect(profiles["ann"] == ["username": "ann", "note": "n"])
    }

    @Test func `I13: elements of a list can be told apart`() throws {
        let lists: [(JSONValue, String?)] = [
            ([], ""), (["a", "b"], "a, b"), (["a, b"], #""a, b""#), (["a\"b", "c"], #""a""b", c"#),
            (["", " x"], #""", " x""#), (["x\ny"], "\"x\ny\""), ([1, true, nil, "a b"], "1, true, a b"), ([nil], ""),
            ([[]], nil), ([[:]], nil), ("a", nil),
        ]
        for (list, text) in lists { #expect(list.listForm(in: nil) == text) }
    }

    @Test func `I11: names of deep objects do not take unlimited memory`() async throws {
        let name = String(repeating: "n", count: 5_000)
        let deep = String(repeating: "{\"\(name)\":", count: 30)
        let leaves = (0..<20_000).map { "\"l\($0)\":1" }.joined(separator: ",")
        let text = #"{"username":"ann","x":"# + deep + "{" + leaves + "}" + String(repeating: "}", count: 31) + "\n"
        let report = try await stored(text).report
        #expect(report.lines == ["1/1 row unknown_field"])
    }
}
