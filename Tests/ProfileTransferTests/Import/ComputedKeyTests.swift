import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

/// Keys that an import computes from the cells of a row (`--key`, `--key-by-content`).
@Suite(.watched) struct ComputedKeyTests {
    private static let schema = """
        {"name": "rows", "fields": [
          {"name": "username", "constraints": {"required": true, "unique": true}},
          {"name": "site"}, {"name": "number", "missingValues": ["", "-"]}, {"name": "age", "type": "integer"}
        ]}
        """

    private func store(_ folder: ImportFolder) async throws -> ProfileRepository {
        try await folder.store(schema: ProfileSchema(parsing: Self.schema))
    }

    private func keys(_ repository: ProfileRepository) async throws -> [String] {
        try await repository.everything().keys.sorted()
    }

    @Test(
        "different lists of cells never have the same key, in CSV and in JSON",
        arguments: [
            "number,site\n 7 ,berlin\nb/c,a\nc,a/b\n\\/c,a\n",
            #"{"site":"berlin","number":"7"}{"number":"b/c","site":"a"}{"site":"a/b","number":"c"}"#
                + #"{"site":"a","number":"\\/c"}"#,
        ])
    func composite(text: String) async throws {
        let folder = try ImportFolder()
        let repository = try await store(folder)
        let report = try await repository.importing(text.replacing("}{", with: "}\n{")) {
            $0.format = .automatic
            $0.key = .columns(["Site", "number"])
        }
        #expect(report.outcomes == [4, 0, 0, 0], "\(report.lines)")
        #expect(try await keys(repository) == [#"a/\\\/c"#, #"a/b\/c"#, #"a\/b/c"#, "berlin/7"])
    }

    @Test func `a row that lacks a part of its key is rejected at the field of the part`() async throws {
        let folder = try ImportFolder()
        let options = importOptions { $0.key = .columns(["site", "number"]) }
        let importer = ProfileImporter(repository: try await store(folder), options: options)
        let (report, rejects) = try await importer.runKeepingRejects("site,number\na,-\na,1\n,2\nA,1\n")
        #expect(report.outcomes == [1, 0, 0, 3])
        #expect(
            report.issues.listed.map { "\($0.line) \($0.issue.field ?? "") \($0.issue.code)" } == [
                "2 number required", "4 site required", "5 username duplicate",
            ])
        // The key is not in the file of rejected rows, so it follows from the corrected cells.
        #expect(rejects.hasPrefix("site,number,_line,_issues\n"), "\(rejects)")
        let mended = rejects.replacing("a,-,", with: "b,2,").replacing(",2,4", with: "c,3,4")
        #expect(try await importer.run(mended).outcomes == [2, 0, 0, 1])
    }

    @Test func `a key has the stored forms of its parts, as the validator computes it`() async throws {
        let folder = try ImportFolder()
        let schema = try ProfileSchema(
            parsing: """
                {"profiles": {"key": ["phone", "day"]}, "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "phone", "profiles": {"mask": "####-####"}},
                  {"name": "day", "type": "date", "format": "%d.%m.%Y"}, {"name": "age"}
                ]}
                """)
        let repository = try await folder.store(schema: schema)
        _ = try await repository.importing("phone,day,age\n78761241,02.01.2026,5\n") { _ in }
        #expect(try await keys(repository) == ["7876-1241/2026-01-02"])
        let report = try await repository.importing("phone,day,age\n7876-1241,02.01.2026,6\n") {
            $0.duplicates = .update
        }
        #expect(report.outcomes == [0, 1, 0, 0], "\(report.lines)")
        let edited = try await repository.edit("7876-1241/2026-01-02") { $0["day"] = "03.01.2026" }
        #expect(edited.username == "7876-1241/2026-01-03")
        // An edit that changes no part keeps the key, whatever the case in which it is named.
        #expect(try await repository.edit(edited.username) { $0["age"] = "7" }.revision == 4)
    }

    @Test func `a key part equal to a missing value in another notation is missing, as for the validator`() async throws
    {
        let folder = try ImportFolder()
        let schema = try ProfileSchema(
            parsing: """
                {"profiles": {"key": ["site", "number"]}, "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}}, {"name": "site"},
                  {"name": "number", "type": "number", "missingValues": ["", "-999"]}
                ]}
                """)
        let repository = try await folder.store(schema: schema)
        let report = try await repository.importing("site,number\na,-999\na,-999.0\na,-999.5\n") { _ in }
        #expect(report.outcomes == [1, 0, 0, 2], "\(report.lines)")
        #expect(report.issues.listed.map { "\($0.line) \($0.issue.code)" } == ["2 required", "3 required"])
        #expect(try await keys(repository) == ["a/-999.5"])
        #expect(repository.validator.computedKey(of: ProfileDraft(["site": "a", "number": "-999.0"])) == nil)
    }

    @Test(arguments: [KeySource.columns(["site", "number"]), .content])
    func `a JSON object with an error keeps its key, unless a part of the key is unreadable`(key: KeySource)
        async throws
    {
        let folder = try ImportFolder()
        let repository = try await store(folder)
        let options = importOptions {
            $0.format = .json
            $0.key = key
        }
        let importer = ProfileImporter(repository: repository, options: options)
        let (report, rejects) = try await importer.runKeepingRejects(
            """
            {"site":"a","number":"1","x":1}
            {"site":"a","number":"1"}
            {"site":"b","number":[["2"]],"x":1}
            7

            """)
        #expect(report.outcomes == [1, 0, 0, 3], "\(report.lines)")
        #expect(
            report.issues.listed.map { "\($0.line) \($0.issue.field ?? "") \($0.issue.code)" } == [
                "1  unknown_field", "3  bad_row", "3  unknown_field", "4  bad_row",
            ])
        let first = try #require(report.issues.listed.first?.key)
        #expect(try await keys(repository) == [key == .content ? first + "-2" : "a/1"])
        #expect(report.issues.listed.dropFirst().allSatisfy { $0.key == nil })
        if key == .content { #expect(rejects.contains("\n\(first),a,1,"), "\(rejects)") }
    }

    @Test func `a row whose key contradicts its parts is rejected, also by an update`() async throws {
        let folder = try ImportFolder()
        let repository = try await store(folder)
        let key: (inout ImportOptions) -> Void = {
            $0.key = .columns(["site", "number"])
            $0.duplicates = .update
        }
        let report = try await repository.importing(
            "username,site,number\na/1,a,1\nA/2,a,2\nb/1,a,1\n,c,3\nd,,4\n", key)
        #expect(report.outcomes == [4, 0, 0, 1], "\(report.lines)")
        #expect(report.issues.listed.map { "\($0.line) \($0.issue.code)" } == ["4 bad_format"])
    }

    @Test func `a composite key finds the stored profile of an update`() async throws {
        let folder = try ImportFolder()
        let repository = try await store(folder)
        let key: (inout ImportOptions) -> Void = {
            $0.key = .columns(["site", "number"])
            $0.duplicates = .update
        }
        _ = try await repository.importing("site,number,age\na,1,5\na,2,6\n", key)
        let report = try await repository.importing("site,number,age\nA,1,7\na,2,6\na,3,8\n", key)
        #expect(report.outcomes == [1, 1, 1, 0], "\(report.lines)")
        let ages = try await repository.everything().values.compactMap { $0["age"] }
        #expect(ages.sorted() == ["6", "7", "8"])
    }

    @Test func `a key column without a field is an error, and a key of one column is its cell`() async throws {
        let folder = try ImportFolder()
        let repository = try await store(folder)
        await #expect(throws: ImportError.keyColumnMissing("place")) {
            try await repository.importing("site,number\na,1\n") { $0.key = .columns(["site", "place"]) }
        }
        await #expect(throws: ImportError.keyColumnMissing("number")) {
            try await repository.importing("site,age\na,1\n") { $0.key = .columns(["site", "number"]) }
        }
        await #expect(throws: ImportError.keyColumnMissing("code")) {
            try await repository.importing("site,age\na,1\n") { $0.key = .columns(["code"]) }
        }
        await #expect(throws: ImportError.keyColumnWithoutField("place")) {
            try await repository.importing("site,place\na,1\n") {
                $0.key = .columns(["site", "place"])
                $0.ignoresUnknownColumns = true
            }
        }
        let report = try await repository.importing("code,site\na/1,x\n") { $0.key = .columns(["code"]) }
        #expect(report.outcomes == [1, 0, 0, 0])
        #expect(try await keys(repository) == ["a/1"])
    }

    @Test func `rows that come again have the same key by content, and equal rows are counted`() async throws {
        let folder = try ImportFolder()
        let repository = try await store(folder)
        let first = "site,number,age\na,1,5\nb,2,5\na,1,5\n"
        let report = try await repository.importing(first) { $0.key = .content }
        #expect(report.outcomes == [3, 0, 0, 0])
        let found = try await keys(repository)
        #expect(found.allSatisfy { $0.prefix(32).allSatisfy(\.isHexDigit) } && found.count { $0.hasSuffix("-2") } == 1)
        // More rows, and the columns in another order.
        let next = "age,site,number\n5,a,1\n5,a,1\n5,a,1\n5,b,2\n,a,15\n"
        let again = try await repository.importing(next) {
            $0.key = .content
            $0.duplicates = .skip
        }
        #expect(again.outcomes == [2, 0, 3, 0], "\(again.lines)")
        #expect(try await keys(repository).contains { $0.hasSuffix("-3") })
        let objects = #"{"number":"2","site":"b","age":5}"# + "\n"
        let json = try await repository.importing(objects) {
            $0.format = .json
            $0.key = .content
        }
        #expect(json.outcomes == [0, 0, 0, 1], "the same row in JSON has the same key")
    }

    @Test func `a file without a column of the content is refused, unless a column holds the keys`() async throws {
        let folder = try ImportFolder()
        let schema = try ProfileSchema(
            parsing: Self.schema.replacing(
                "\"fields\"", with: #""profiles": {"key": "content", "contentFields": ["site", "number"]}, "fields""#))
        let repository = try await folder.store(schema: schema)
        #expect(try await repository.importing("site,number,age\na,1,5\n") { _ in }.outcomes == [1, 0, 0, 0])
        let key = try #require(try await keys(repository).first)
        await #expect(throws: ImportError.keyColumnMissing("number")) {
            try await repository.importing("site,age\na,5\n") { _ in }
        }
        await #expect(throws: ImportError.keyColumnWithoutField("number")) {
            try await repository.importing("site,number\na,1\n") { $0.ignoredColumns = ["number"] }
        }
        // Further columns make no difference.
        let skipped = try await repository.importing("number,site\n1,a\n") { $0.duplicates = .skip }
        #expect(skipped.outcomes == [0, 0, 1, 0])
        let updated = try await repository.importing("username,age\n\(key),7\n,8\n") { $0.duplicates = .update }
        #expect(updated.outcomes == [0, 1, 0, 1], "\(updated.lines)")
        let object = #"{"site":"a","number":"1","age":9}"# + "\n"
        let ignored = try await repository.importing(object) {
            $0.format = .json
            $0.ignoredColumns = ["number"]
        }
        #expect(ignored.outcomes == [0, 0, 0, 1], "an object whose key cannot be made has no key")
    }

    @Test func `I7: a rejected row keeps the key of its content when it is corrected`() async throws {
        let folder = try ImportFolder()
        let repository = try await store(folder)
        let importer = ProfileImporter(repository: repository, options: importOptions { $0.key = .content })
        let text = "site,number,age\na,1,x\na,2,5\n"
        let (report, rejects) = try await importer.runKeepingRejects(text)
        #expect(report.outcomes == [1, 0, 0, 1])
        #expect(try await importer.run(rejects.replacing(",x,", with: ",3,")).outcomes == [1, 0, 0, 0])
        let again = try await repository.importing(text) {
            $0.key = .content
            $0.duplicates = .skip
        }
        #expect(again.outcomes == [0, 0, 1, 1], "the row with the mistake is still refused for it")
    }
}
