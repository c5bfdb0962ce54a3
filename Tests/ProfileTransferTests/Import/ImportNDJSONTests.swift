import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct ImportNDJSONTests {
    private func judged(
        _ text: String, _ change: (inout ImportOptions) -> Void = { _ in }
    ) async throws -> ImportReport {
        let schema = try ProfileSchema(
            parsing: """
                {"name": "kinds", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "age", "type": "integer"},
                  {"name": "score", "type": "number"},
                  {"name": "member", "type": "boolean"},
                  {"name": "since", "type": "date"},
                  {"name": "postal_code"}
                ]}
                """)
        return try await validating(text, schema: schema) {
            $0.format = .json
            change(&$0)
        }
    }

    @Test func `I13: strings, numbers, booleans, dates and nulls become values`() async throws {
        let folder = try ImportFolder()
        let schema = try ProfileSchema(
            parsing: """
                {"name": "kinds", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "age", "type": "integer"}, {"name": "score", "type": "number"},
                  {"name": "member", "type": "boolean"}, {"name": "since", "type": "date"}
                ]}
                """)
        let repository = try await folder.store(schema: schema)
        let text = """
            {"username":"ann","age":42,"score":1.5,"member":true,"since":"2020-02-29"}
            {"username":"b\\u00F6b","age":"7","score":null,"member":false}
            {"since":null,"username":123}

            """
        let report = try await repository.importing(text) { $0.format = .json }
        #expect(report.outcomes == [3, 0, 0, 0], "\(report.lines)")
        let stored = try await repository.everything()
        #expect(
            stored["ann"] == ["username": "ann", "age": "42", "score": "1.5", "member": "true", "since": "2020-02-29"])
        #expect(stored["b\u{F6}b"] == ["username": "b\u{F6}b", "age": "7", "member": "false"])
        #expect(stored["123"] == ["username": "123"])
    }

    @Test func `I13: a line that is no object of plain values is an issue, and the next is read`() async throws {
        let report = try await judged(
            """
            {"username":"ann"}
            {"username":"bob"
            [1,2]
            "text"

            {"username":"cid","age":{"years":3}}
            {"username":"dan","age":[[1]]}
            {"username":"eve","username":"eva"}
            {"username":"fay","postal code":"1","Postal-Code":"2"}
            {"username":"g\\u0000s"}
            {"age":1}
            {"username":null}
              {"username":"hal"}\u{20}
            nonsense
            """)
        #expect(
            report.lines == [
                "2/2 row bad_row", "3/3 row bad_row", "4/4 row bad_row", "6/5 row bad_row", "7/6 row bad_row",
                "8/7 row bad_row", "9/8 row bad_row", "10/9 row bad_row", "11/10 username required",
                "12/11 username required", "14/13 row bad_row",
            ])
        #expect(report.outcomes == [2, 0, 0, 11])
    }

    @Test func `I13: the issue of an object names its fault and its line`() async throws {
        let text = """
            [{"username":"ann","age":1,
              "postal_code":"1","postal_code":"2"},
             7, {"username":"bob","score":[[1]]},
             {"username":"cid","age":01}, {"username":"dan","Age":1,"age":2}]
            """
        let report = try await judged(text)
        #expect(
            report.issues.listed.map(\.issue.message) == [
                "The row is not valid JSON: the name \"postal_code\" is there twice in one object (line 2)",
                "The row is JSON, but not an object such as {\"name\": \"Ann\"}",
                "\"score\" is a list or an object that cannot be one value",
                "The row is not valid JSON: malformed number (line 4)",
                "The field \"age\" is there twice",
            ])
    }

    @Test func `I13: an array of lists is JSON, whose elements are no objects`() async throws {
        let report = try await judged("[[\"username\"],[\"ann\"]]") { $0.format = .automatic }
        #expect(report.lines == ["1/1 row bad_row", "1/2 row bad_row"])
    }

    @Test func `I13: an array of objects is read like one object per line`() async throws {
        let text = """
            [{"username":"ann"}, {"username":"bob",
              "age":"old"},
             [1], "text",
             {"username":"cid","age":3} {"username":"dan"},
             {"username":"eve"}
            ] {"username":"fay"}
            """
        let lines = ["1/2 age bad_format", "3/3 row bad_row", "3/4 row bad_row", "4/6 row bad_row", "6/8 row bad_row"]
        for format in [InputFormat.json, .automatic] {
            let report = try await judged(text) { $0.format = format }
            #expect(report.lines == lines)
            #expect(report.outcomes == [3, 0, 0, 5])
        }
        #expect(try await judged("[]").outcomes == [0, 0, 0, 0])
        let cut = try await judged("[{\"username\":\"ann\"},\n")
        #expect(cut.issues.listed.map(\.issue.message) == ["The input ends before its array of objects does"])
    }

    @Test func `I13: JSON is known by its first characters, and CSV is not taken for it`() async throws {
        #expect(try await judged(" {\"username\":\"ann\"}\n") { $0.format = .automatic }.outcomes == [1, 0, 0, 0])
        let named = await refusal(of: "[username],[age]\nann,3\n") { $0.columns = ["[username]": "username"] }
        guard case .columnMismatch(let mismatch) = named else { throw try #require(named) }
        #expect(mismatch.unknownColumns == ["[age]"])
        #expect(await refusal(of: "{\n  \"rows\": [\n  ]\n}\n") == .looksLike(.jsonObject))
        #expect(await refusal(of: "{\n  \"rows\": []\n}") { $0.format = .json } == .looksLike(.jsonObject))
    }

    @Test func `I13: a member that is no field is an issue, unless it is to be ignored`() async throws {
        let text = "{\"username\":\"ann\",\"shoe\":42,\"hat\":{\"size\":1}}\n{\"username\":\"bob\"}\n"
        let report = try await judged(text)
        #expect(report.lines == ["1/1 row unknown_field", "1/1 row unknown_field"])
        #expect(report.outcomes == [1, 0, 0, 1])
        #expect(try await judged(text) { $0.ignoresUnknownColumns = true }.outcomes == [2, 0, 0, 0])
    }

    @Test func `S3: an object with a fault is judged all the same, as far as it could be read`() async throws {
        let text = """
            {"username":"ann","shoe":42,"age":"old","since":"2020-02-30"}
            {"shoe":42}
            {"username":"bob","age":[{}],"since":"2020"}
            {"username":"cid","age":1,"Age":"x","score":"y"}
            {"username":"a\\u0000b","member":"perhaps"}
            [1]

            """
        let report = try await judged(text)
        #expect(
            report.lines == [
                "1/1 row unknown_field", "1/1 age bad_format", "1/1 since bad_date", "2/2 row unknown_field",
                "2/2 username required", "3/3 row bad_row", "3/3 since bad_format", "4/4 row bad_row",
                "4/4 score bad_format", "5/5 row bad_row", "5/5 member bad_format", "6/6 row bad_row",
            ])
        let update = try await judged(text) { $0.duplicates = .update }
        #expect(update.lines == report.lines.filter { $0 != "2/2 username required" }, "the store may have it")
    }

    @Test func `I7: a NUL that JSON has as an escape is not written to the file of rejected rows`() async throws {
        let (report, rejects) = try await ProfileImporter(schema: schemaOfNames(), today: .latest)
            .runKeepingRejects("{\"username\":\"a\\u0000b\",\"note\":\"kept\"}\n")
        #expect(report.lines == ["1/1 row bad_row"])
        #expect(
            rejects.hasPrefix("username,note,_line,_issues\n,kept,\"{\"\"username\"\":\"\"a\\u0000b\"\"}\",1,"),
            "\(rejects)")
    }

    @Test func `I7: a NUL in the name of a JSON member is not written to the file of rejected rows`() async throws {
        let (report, rejects) = try await ProfileImporter(schema: schemaOfNames(), today: .latest)
            .runKeepingRejects("{\"username\":\"ann\",\"no\\u0000te\":\"x\"}\n")
        #expect(report.lines == ["1/1 row unknown_field"])
        #expect(rejects.contains("no\u{FFFD}te") && !rejects.contains("\0"), "\(rejects)")
    }

    @Test func `P12: a fault beside a password or a hash is no fault of the password`() async throws {
        let others = "\"username\":\"ann\",\"phone\":\"78761241\",\"address\":\"x\""
        let report = try await validating(
            """
            {\(others),"password":"weak","shoe":1}
            {\(others),"password_hash":["x"]}
            {\(others),"shoe":1}
            """
        ) { $0.format = .json }
        #expect(
            report.lines == [
                "1/1 row unknown_field", "1/1 password missing_uppercase", "1/1 password missing_digit",
                "2/2 row bad_row", "3/3 row unknown_field", "3/3 password required",
            ])
    }

    @Test func `I13: names of members match as a header's do, and are mapped`() async throws {
        let text = "{\"UserName\":\"ann\",\"Postal Code\":1,\"years\":3,\"_line\":7,\"_issues\":[]}\n"
        #expect(try await judged(text) { $0.columns = ["years": "age"] }.outcomes == [1, 0, 0, 0])
        let fields = ["username", "age", "score", "member", "since", "postal_code"]
        await #expect(throws: ImportError.unknownField("oldness", fields: fields)) {
            try await judged(text) { $0.columns = ["years": "oldness"] }
        }
    }

    @Test func `I13: line ends of Windows, a byte order mark and blank lines`() async throws {
        let report = try await judged("\u{FEFF}{\"username\":\"ann\"}\r\n\r\n   \n{\"username\":\"bob\"}\r\n{}")
        #expect(report.outcomes == [2, 0, 0, 1])
        #expect(report.lines == ["5/3 username required"])
    }

    @Test func `I13: bytes that are no UTF-8 are an issue`() async throws {
        let bytes = Array("{\"username\":\"a".utf8) + [0xC3, 0x28] + Array("\"}\n{\"username\":\"böb\"}".utf8)
        let report = try await ProfileImporter(
            schema: schemaOfNames(), today: .latest, options: importOptions { $0.format = .json }
        ).run(bytes)
        #expect(report.lines == ["1/1 row bad_encoding"])
        #expect(report.outcomes == [1, 0, 0, 1])
    }

    @Test func `I11: a line longer than a record may be is an issue of its own`() async throws {
        let long = String(repeating: "x", count: 3 << 20)
        let report = try await judged("{\"username\":\"ann\"}\n{\"username\":\"\(long)\"}\n{\"username\":\"bob\"}\n")
        #expect(report.lines == ["2/2 row bad_row"])
        #expect(report.outcomes == [2, 0, 0, 1])
    }

    @Test func `I8: the name of an unknown member is cut in the report`() async throws {
        let long = String(repeating: "x", count: 500_000)
        let report = try await judged("{\"username\":\"ann\",\"\(long)\":1}\n")
        #expect(report.lines == ["1/1 row unknown_field"])
        #expect((report.issues.listed.first?.issue.message.utf8.count ?? .max) < 1_000)
    }

    @Test func `I8: a line has a hundred issues at the most, and all are counted`() async throws {
        let unknown = (0..<250).map { "\"m\($0)\":1" }.joined(separator: ",")
        // Twice the same field, by other spellings.
        let repeated = (1...60).map { "\"a\(String(repeating: "_", count: $0))ge\":1" }.joined(separator: ",")
        let report = try await judged("{\"username\":\"ann\",\(unknown),\(repeated)}\n{\"username\":\"bob\"}\n")
        #expect(report.outcomes == [1, 0, 0, 1])
        #expect(report.issues.issueCounts.map(\.code) == ["unknown_field", "bad_row"])
        #expect(report.issues.issueCounts.map(\.count) == [250, 59])
        #expect(report.issues.total == 309)
        #expect(report.issues.listed.count == 102)
        #expect(
            report.issues.listed.suffix(2).map(\.issue.message) == [
                "The row has 59 more issues of this kind", "The row has 150 more issues of this kind",
            ])
    }

    @Test func `I4: an update keeps fields that an object does not have, and null clears a field`() async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schemaOfClub())
        _ = try await repository.importing("username,email,level,note\nann,a@x,1,p\nbob,b@x,2,q\n")
        let text = "{\"username\":\"ann\",\"note\":null}\n{\"username\":\"bob\",\"level\":3}\n"
        let report = try await repository.importing(text) {
            $0.format = .json
            $0.duplicates = .update
        }
        #expect(report.outcomes == [0, 2, 0, 0], "\(report.lines)")
        let stored = try await repository.everything()
        #expect(stored["ann"] == ["username": "ann", "email": "a@x", "level": "1"])
        #expect(stored["bob"] == ["username": "bob", "email": "b@x", "level": "3", "note": "q"])
    }
}
