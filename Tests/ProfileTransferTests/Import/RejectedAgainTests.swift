import Platform
import ProfileCore
import ProfileStore
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileTransfer

/// Files of rejected rows that are imported before a person has corrected them.
@Suite(.watched) struct RejectedAgainTests {
    private let schema: ProfileSchema

    init() throws {
        schema = try ProfileSchema(
            parsing: """
                {"name": "prices", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "note"},
                  {"name": "price", "type": "number", "bareNumber": false, "profiles": {"unit": "kg"}}
                ]}
                """)
    }

    private func imported(
        _ bytes: [UInt8], _ change: (inout ImportOptions) -> Void = { _ in }
    ) async throws -> (report: ImportReport, rejects: [UInt8]) {
        let rejects = try unnamedFile()
        defer { close(rejects) }
        let importer = ProfileImporter(schema: schema, today: .latest, options: importOptions(change))
        return (try await importer.run(bytes, rejects: rejects), importedBytes(of: rejects))
    }

    private static let header = "username,note,price\n"

    @Test(
        "I7: a row that was refused is refused again until a person changes it",
        arguments: [
            header + header, header + "ann,a,1 kg,2\n", header + "ann,Smith, John,3 kg,,\n", header + "ann,note\n",
            header + "ann\n",
            header + "ann,\"x\"y,1\n", header + "ann,a\0b,1\n", header + "ann,\"a,1\n",
            header + "ann,\"two\nlines\",1,7: x\n", header + "ann,note,5: x\n" + "bob,x,1,2: y,3: z\n",
            #"{"username":"ann","note":[["a"]]}"#, #"{"username":"ann","price":{"kg":1},"note":"x"}"#,
            #"{"username":"ann","note":"x","note":"y"}"#, #"{"username":"ann","note":"a\u0000b"}"#,
            #"{"username":"ann","note":"x","Note":"y"}"#, #"{"username":"ann","nte":"y"}"#, #"{"username":"ann""#,
            #"[{"username":"ann"} {"username":"bob","note":"x"}"#, #"[{"username":"ann"}, 7, ["x"]]"#,
        ])
    func refusedAgain(text: String) async throws {
        try await requireRefusedAgain(Array(text.utf8))
    }

    @Test func `I7: a row that is not UTF-8 is refused again until a person changes it`() async throws {
        try await requireRefusedAgain(Array((Self.header + "bob,é,1\nann,Jos").utf8) + [0xE9] + Array(",1\n".utf8))
    }

    @Test(arguments: ["ann,Jos\u{E9}", "\"ann\"x", "ann\0", "\"ann"])
    func `I7: a faulty row with too few cells is refused again, also if short rows are padded`(row: String) async throws
    {
        let bytes = row.unicodeScalars.map { UInt8($0.value) }
        try await requireRefusedAgain(Array(Self.header.utf8) + bytes) {
            $0.encoding = "UTF-8"
            $0.layout.padsShortRows = true
        }
    }

    @Test func `I7: a row that was too long is refused again, although its cells are not kept`() async throws {
        let schema = try ProfileSchema(
            parsing: #"""
                {"fields": [{"name": "no"}, {"name": "note"}], "primaryKey": "no", "profiles": {"key": "row"}}
                """#)
        let importer = ProfileImporter(
            schema: schema, today: .latest, options: importOptions { $0.layout.padsShortRows = true })
        let long = String(repeating: "x", count: 2 << 20)
        let (report, rejects) = try await importer.runKeepingRejects("note\n\(long)\n")
        #expect(report.outcomes == [0, 0, 0, 1], "\(report.lines)")
        #expect(try await importer.run(rejects).outcomes == [0, 0, 0, 1], "\(rejects)")
    }

    @Test func `I7: a row that repeats a header with numbered names is refused again`() async throws {
        let schema = try ProfileSchema(
            parsing: #"{"fields": [{"name": "no"}, {"name": "note"}, {"name": "note_2"}], "primaryKey": "no"}"#)
        let importer = ProfileImporter(schema: schema, today: .latest)
        let (report, rejects) = try await importer.runKeepingRejects("no,note,note\n1,a,b\nNo,note,note\n")
        #expect(report.outcomes == [1, 0, 0, 1], "\(report.lines)")
        #expect(try await importer.run(rejects).outcomes == [0, 0, 0, 1], "\(rejects)")
    }

    private func requireRefusedAgain(
        _ bytes: [UInt8], _ change: (inout ImportOptions) -> Void = { _ in }
    ) async throws {
        let first = try await imported(bytes, change)
        #expect(first.report.rejected > 0)
        let again = try await imported(first.rejects, change)
        #expect(again.report.rejected == first.report.rejected && again.report.imported == 0, "\(again.report.lines)")
        // Only the lines and the issues change, so nothing is lost however often the file is imported.
        let third = try await imported(again.rejects, change)
        #expect(try cellsOfRows(third.rejects) == cellsOfRows(first.rejects))
    }

    /// The cells of each row without its line and issues.
    private func cellsOfRows(_ bytes: [UInt8]) throws -> [[String]] {
        try cells(of: String(decoding: bytes, as: UTF8.self)).map { Array($0.dropLast(2)) }
    }

    @Test(arguments: ["row", "content"])
    func `I7: a row that repeats the header is refused again, with a computed key and a password`(key: String)
        async throws
    {
        let schema = try ProfileSchema(
            parsing: """
                {"fields": [
                  {"name": "no", "constraints": {"required": true, "unique": true}}, {"name": "note"},
                  {"name": "password", "profiles": {"secret": true}}], "primaryKey": "no",
                  "profiles": {"key": "\(key)"}}
                """)
        let importer = ProfileImporter(schema: schema, today: .latest)
        let (report, rejects) = try await importer.runKeepingRejects("note,password\nx,aK8oio\nNote,password\n")
        #expect(report.outcomes == [1, 0, 0, 1], "\(report.lines)")
        #expect(try await importer.run(rejects).outcomes == [0, 0, 0, 1], "\(rejects)")
    }

    @Test func `I7: JSON values that fit into no column are written as JSON after the columns`() async throws {
        let text = """
            {"username":"ann","note":{"a":[1,"x"]},"price":"1 kg"}
            {"username":"bob","note":"x","Note":"y","nte":"z"}
            nonsense
            """
        let rejects = try await imported(Array(text.utf8)) { $0.format = .json }.rejects
        #expect(
            try cellsOfRows(rejects) == [
                ["username", "note", "price"], ["ann", "", "1 kg", #"{"note":{"a":[1,"x"]}}"#],
                ["bob", "x", "", #"{"Note":"y"}"#], ["", "", "", "nonsense"],
            ])
        let kept = try await imported(Array(text.utf8)) {
            $0.format = .json
            $0.keepsIgnoredColumns = true
        }
        #expect(try cellsOfRows(kept.rejects)[2] == ["bob", "x", "", #"{"Note":"y","nte":"z"}"#])
    }

    @Test func `P12: no password is written, nor a line that cannot be read if the schema has a password`() async throws
    {
        let (report, rejects) = try await ProfileImporter(schema: .standard, today: .latest).runKeepingRejects(
            """
            {"username":"ann","password":["Secret1"],"phone":["78761241",["1"]]}
            {"username":"bob","password":"Secret3"

            """)
        #expect(report.rejected == 2)
        #expect(rejects.contains(#"{""phone"":[""78761241"",[""1""]]}"#) && !rejects.contains("Secret"), "\(rejects)")
    }

    @Test func `I7: short rows of a file of rejected rows are padded before the line and the issues`() async throws {
        let rejects = try await imported(Array((Self.header + "ann\nbob,x\n").utf8)).rejects
        let again = try await imported(rejects) { $0.layout.padsShortRows = true }
        #expect(again.report.outcomes == [2, 0, 0, 0], "\(again.report.lines)")
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schema)
        _ = try await repository.importing(String(decoding: rejects, as: UTF8.self)) { $0.layout.padsShortRows = true }
        #expect(try await repository.everything()["bob"] == ["username": "bob", "note": "x"])
    }

    @Test func `I7: a row whose surplus cells were joined is imported`() async throws {
        let rejects = try await imported(Array((Self.header + "ann,Smith,John,3 kg\n").utf8)).rejects
        let mended = String(decoding: rejects, as: UTF8.self).replacing("Smith,John", with: "\"Smith,John\"")
        #expect(try await imported(Array(mended.utf8)).report.outcomes == [1, 0, 0, 0])
    }
}
