import InputFixtures
import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

@Suite("What is odd about an input, and read all the same", .watched) struct InputWarningTests {
    private func schema() throws -> ProfileSchema {
        try ProfileSchema(
            parsing: """
                {"name": "odd", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "age", "type": "integer"}, {"name": "zip", "type": "integer"}, {"name": "note"}
                ]}
                """)
    }

    /// Encodes each character as one byte.
    private func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

    @Test func `I1: zeros before an integer are counted by field, with the line of the first`() async throws {
        let text = """
            username,age,zip,note
            ann,7,01234,007
            bob,0,12345,
            cid," 007",00,
            dan,-01,1.0,
            eve,x0,0x1,
            """
        let report = try await validating(text, schema: schema())
        #expect(
            report.warnings == [
                .leadingZeros(field: "age", cells: 2, line: 4), .leadingZeros(field: "zip", cells: 2, line: 2),
            ])
        let objects = #"[{"username":"ann","zip":"0123"},{"username":"bob","zip":0}]"#
        #expect(
            try await validating(objects, schema: schema()).warnings
                == [.leadingZeros(field: "zip", cells: 1, line: 1)])
    }

    @Test func `I1: warnings of all batches are added up, and each is reported once`() async throws {
        let rows = (0..<30_000).map { $0 % 10_000 == 9_999 ? "u\($0),07,1,5\"\n" : "u\($0),7,1,x\n" }
        let report = try await validating("username,age,zip,note\n" + rows.joined(), schema: schema())
        #expect(report.outcomes == [30_000, 0, 0, 0])
        #expect(
            report.warnings == [
                .strayQuotes(rows: 3, line: 10_001), .leadingZeros(field: "age", cells: 3, line: 10_001),
            ])
    }

    @Test(arguments: [false, true])
    func `I1: an input that is read twice is warned of once`(isExclusive: Bool) async throws {
        let schema = try ProfileSchema(
            parsing: """
                {"name": "accounts", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "password", "profiles": {"secret": true}}, {"name": "note"}
                ]}
                """)
        let folder = try ImportFolder()
        let report = try await folder.store(schema: schema).importing(
            "username,password,note\nann,Geheim1,5\"\n\nbob,,6\"\n"
        ) { $0.isExclusive = isExclusive }
        #expect(report.outcomes == [2, 0, 0, 0])
        #expect(report.warnings == [.strayQuotes(rows: 2, line: 2), .blankLines(count: 1, line: 3)])
    }

    @Test func `N7: a guessed encoding is reported, and a given encoding is not`() async throws {
        let bytes = latin1("username,note\nann,Jos\u{E9}\n")
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schema())
        let guessed = try await ProfileImporter(repository: repository).run(bytes)
        #expect(guessed.warnings == [.guessedEncoding("windows-1252")])
        #expect(try await repository.everything()["ann"]?["note"] == "José")
        let said = try await ProfileImporter(
            schema: schema(), today: .latest, options: importOptions { $0.encoding = "latin1" }
        ).run(bytes)
        #expect(said.warnings == [] && said.imported == 1)
        let refused = try await ProfileImporter(
            schema: schema(), today: .latest, options: importOptions { $0.encoding = "UTF-8" }
        ).run(bytes)
        #expect(refused.lines == ["2/1 row bad_encoding"] && refused.warnings == [])
        #expect(refused.summary().contains("Name its encoding with --encoding."))
    }

    @Test func `N7: an unknown encoding is refused`() async throws {
        #expect(await refusal(of: "username\n") { $0.encoding = "klingon" } == .unknownEncoding("klingon"))
    }

    @Test func `I7, N7: rejected rows of another encoding import with the options of their input`() async throws {
        let schema = try schema()
        let options = importOptions { $0.encoding = "latin1" }
        let rejects = try unnamedFile()
        defer { close(rejects) }
        let importer = ProfileImporter(schema: schema, today: .latest, options: options)
        let report = try await importer.run(latin1("username;note;age\nann;Jos\u{E9};x\n"), rejects: rejects)
        #expect(report.rejected == 1)
        let bytes = importedBytes(of: rejects)
        #expect(bytes.starts(with: [0xEF, 0xBB, 0xBF]))
        let mended = String(decoding: bytes, as: UTF8.self).replacing(";x;", with: ";7;")
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schema)
        let again = try await ProfileImporter(repository: repository, options: options).run(mended)
        #expect(again.outcomes == [1, 0, 0, 0])
        #expect(try await repository.everything()["ann"]?["note"] == "José")
    }

    /// Rows of an identifier, a name, a score and a day, so many of them that they fill several batches.
    private func rows(_ count: Int) -> String {
        (0..<count).map { "m\($0),Name \($0 % 7 == 0 ? "" : "X"),\($0),2024-01-\(10 + $0 % 20)\n" }.joined()
    }

    private func fourTexts() throws -> ProfileSchema {
        try ProfileSchema(
            parsing: """
                {"name": "texts", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "name"}, {"name": "score"}, {"name": "day"}
                ]}
                """)
    }

    @Test(arguments: [20, 64, 65, 12_000])
    func `I1: a second table and a second line of the header are found by the form of their cells`(
        count: Int
    ) async throws {
        let header = "username,name,score,day\n"
        func warnings(_ text: String) async throws -> [InputWarning] {
            try await validating(header + text, schema: fourTexts()).warnings
        }
        #expect(try await warnings(rows(count)) == [])
        #expect(try await warnings("(key),both,points,ISO\n" + rows(count)) == [.unlikeFirstRows(rows: 1, line: 2)])
        #expect(try await warnings(rows(count) + "Total,,\(count * count),\n") == [.totals(line: count + 2)])
        #expect(try await warnings(rows(count) + "Total,,0,\n") == [.totals(line: count + 2)])
        for unit in [" kg", "€", " USD"] {
            let amounts = rows(count).split(separator: "\n").enumerated()
                .map { "\($1.replacing(",\($0),", with: ",\($0)\(unit),"))\n" }.joined()
            #expect(
                try await warnings(amounts + "Total,,\(count * count)\(unit),\n") == [.totals(line: count + 2)],
                "\(unit)")
        }
        #expect(
            try await warnings(rows(count) + "code,label,note,colour\nA,one,x,red\n")
                == [.unlikeLastRows(line: count + 2)])
        #expect(try await warnings("username,name,score,day\n" + rows(count)) == [])
    }

    @Test func `I1: one cell that is unlike its column, and a row with gaps, are not taken for another table`()
        async throws
    {
        let header = "username,name,score,day\n"
        for row in ["admin,Name,7,2024-01-01\n", "m-1,Name,N/A,-\n", "m0,Name,x,2024-01-01\n"] {
            for text in [row + rows(20), rows(20) + row] {
                let report = try await validating(header + text, schema: fourTexts())
                #expect(report.warnings == [], "\(row)")
            }
        }
    }

    @Test func `I2: lines above a header of the store are skipped, and the report says so`() async throws {
        let text = "Members\nof 2024,\n\nusername,note\nann,x\n"
        let report = try await validating(text, schema: schemaOfNames())
        #expect(report.imported == 1 && report.warnings == [.linesAboveHeader(line: 4)])
        let plain = try await validating("username,note\nusername,x\n", schema: schemaOfNames())
        #expect(plain.imported == 1 && plain.warnings == [])
    }

    @Test func `I2: the refusal says which line looks like the header`() async throws {
        let text = "Members\nof 2024,,\n\nusername,note,more\nann,x,y\n"
        guard case .columnMismatch(let mismatch) = await refusal(of: text, schema: try schemaOfNames()) else {
            Issue.record("not refused")
            return
        }
        #expect(mismatch.headerLine == 4)
    }

    @Test func `I3: a row that repeats the header is rejected, and a row that nearly repeats it is not`() async throws {
        let report = try await validating("username,note\nUsername,NOTE\nusername,notes\n", schema: schemaOfNames())
        #expect(report.lines == ["2/1 row bad_row"])
        #expect(report.issues.listed.first?.issue.message == "The row is the header once more")
        #expect(report.outcomes == [1, 0, 0, 1])
    }

    @Test func `I8: warnings are in every report that has room for them`() throws {
        var report = sampleImport()
        report.warnings = [
            .guessedEncoding("windows-1252"), .strayQuotes(rows: 1, line: 7), .blankLines(count: 2_000, line: 8),
            .leadingZeros(field: "zip", cells: 3, line: 9), .otherQuotes(columns: 2, line: 2),
            .unlikeFirstRows(rows: 1, line: 2), .unlikeLastRows(line: 10), .totals(line: 11),
            .shortRows(rows: 2, line: 12), .repeatedHeaders(columns: 1, name: "a_2"), .joinedLists(rows: 1, line: 13),
            .headerLikeRows,
        ]
        let json = try JSONValue(parsing: report.rendered(as: .json))["warnings"]
        #expect(
            json?.text() == """
                [{"code":"guessed_encoding","encoding":"windows-1252"},{"code":"stray_quotes","count":1,"line":7},\
                {"code":"blank_lines","count":2000,"line":8},\
                {"code":"leading_zeros","field":"zip","count":3,"line":9},\
                {"code":"other_quotes","count":2,"line":2},{"code":"unlike_first_rows","count":1,"line":2},\
                {"code":"unlike_last_rows","line":10},{"code":"totals","line":11},\
                {"code":"short_rows","count":2,"line":12},{"code":"repeated_headers","count":1,"column":"a_2"},\
                {"code":"joined_lists","count":1,"line":13},{"code":"header_like_rows"}]
                """)
        for text in [report.summary(), report.rendered(as: .text), report.rendered(as: .html)] {
            #expect(text.contains("It was read as windows-1252, which is a guess"))
            #expect(text.contains("1 row has a quote inside a cell that is not quoted, in line 7;"))
            #expect(text.contains("2,000 blank lines stand between rows, the first in line 8;"))
            #expect(text.contains("3 cells of zip begin with zeros, the first in line 9;"))
            #expect(text.contains("2 columns are enclosed in apostrophes or similar quotes, as in line 2;"))
            #expect(text.contains("1 row below the header, in line 2, is unlike the rows that follow"))
            #expect(text.contains("The last rows are unlike the rows above them, as in line 10:"))
            #expect(text.contains("Line 11 looks like a row of totals; it was read as a row."))
            #expect(text.contains("2 rows have fewer cells than there are columns, the first in line 12. If only"))
            #expect(text.contains("1 column has the name of an earlier column, and was given a number:"))
            #expect(text.contains("1 object has lists, in line 13; the elements of each list were joined to one value"))
            #expect(text.contains("The row that was read as the header looks like the rows that follow"))
        }
    }
}
