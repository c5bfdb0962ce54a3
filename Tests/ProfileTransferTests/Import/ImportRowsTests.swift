import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct ImportRowsTests {
    @Test func `I3: every fault of a row has its line and record, and the rows after it are read`() async throws {
        let schema = try schemaOfNames()
        let text =
            "username,note\n"  // line 1
            + "ann,ok\n"  // 2, record 1
            + "\n"  // 3, blank
            + "bob\n"  // 4, record 2: too few
            + "cid,1,2\n"  // 5, record 3: too many
            + "\"dan\",\"two\nlines\"\n"  // 6 and 7, record 4
            + "x,\n"  // 8, record 5: too short
            + "e\0e,\n"  // 9, record 6: NUL
            + "\"fay\"x,\n"  // 10, record 7: text after a quote
            + ",note alone\n"  // 11, record 8: no username
            + "gus,ok\n"  // 12, record 9
            + "hal,\"open\n"  // 13, record 10: never closed
            + "ida,ok\n"  // 14, record 11
        var bytes = Array(text.utf8)
        bytes += Array("j".utf8) + [0xFF] + Array("n,\n".utf8)  // 15, record 12: no UTF-8
        // Line 16, record 13. Without valid UTF-8 in some row, the text would be taken for another encoding.
        bytes += Array("kim,läst".utf8)
        let report = try await ProfileImporter(schema: schema, today: .latest).run(bytes)
        #expect(
            report.lines == [
                "4/2 row bad_row", "5/3 row bad_row", "8/5 username too_short", "9/6 row bad_row",
                "10/7 row bad_row", "11/8 username required", "13/10 row unclosed_quote", "15/12 row bad_encoding",
            ])
        #expect(report.rows == 13)
        #expect(report.outcomes == [5, 0, 0, 8])
        #expect(report.issues.listed.map(\.value) == [nil, nil, "x", nil, nil, "", nil, nil])
        // The key of each row, if it is certain.
        #expect(report.issues.listed.map(\.key) == [nil, nil, "x", nil, nil, nil, nil, nil])
    }

    @Test func `I3: a row is rejected with all its issues, in the order of the fields`() async throws {
        let report = try await validating(
            "birthday,phone,username,password,address\n19991332,1234567x,\u{4E2D},a,two  spaces\n")
        let fields = report.issues.listed.compactMap(\.issue.field)
        #expect(
            fields.reduce(into: []) { if $0.last != $1 { $0.append($1) } } == [
                "username", "password", "phone", "address", "birthday",
            ])
        #expect(fields.count > 5, "more than one issue of a field")
        #expect(report.issues.listed.filter { $0.issue.field == "password" }.allSatisfy { $0.value == nil })
        #expect(report.issues.listed.first?.value == "\u{4E2D}")
    }

    @Test func `I1: line ends of every kind, mixed, and a last line without one`() async throws {
        let report = try await validating("username\r\nann\rbob\ncid\r\n\r\rdan", schema: schemaOfNames())
        #expect(report.outcomes == [4, 0, 0, 0])
    }

    @Test func `I1: UTF-16 with a byte order mark is imported`() async throws {
        let text = "username,note\nann,\u{E9}\u{1F600}\n"
        for isBig in [false, true] {
            let bytes = ([0xFEFF] + Array(text.utf16)).flatMap { unit in
                isBig ? [UInt8(unit >> 8), UInt8(unit & 255)] : [UInt8(unit & 255), UInt8(unit >> 8)]
            }
            let folder = try ImportFolder()
            let repository = try await folder.store(schema: schemaOfNames())
            let report = try await ProfileImporter(repository: repository).run(bytes)
            #expect(report.outcomes == [1, 0, 0, 0])
            #expect(try await repository.everything()["ann"]?["note"] == "\u{E9}\u{1F600}")
        }
    }

    @Test func `I8: the number of listed issues is limited, and all issues are counted`() async throws {
        let rows = (0..<50).map { "x,\($0)\n" }.joined()
        let report = try await validating("username,note\n" + rows, schema: schemaOfNames()) { $0.mostIssues = 7 }
        #expect(report.issues.listed.count == 7)
        #expect(report.issues.total == 50)
        #expect(report.issues.isTruncated)
        #expect(report.issues.issueCounts.map(\.count) == [50])
        #expect(report.outcomes == [0, 0, 0, 50])
        let none = try await validating("username,note\n" + rows, schema: schemaOfNames()) { $0.mostIssues = 0 }
        #expect(none.issues.listed.isEmpty)
        #expect(none.issues.total == 50)
    }

    @Test func `I8: the issues that are listed are spread over their kinds, so that a rare one is among them`()
        async throws
    {
        let rows = (0..<3_000).map { "x,\($0)\n" }.joined() + "good name,1\nann,2\n"
        let report = try await validating("username,note\n" + rows, schema: schemaOfNames()) { $0.mostIssues = 10 }
        #expect(report.issues.listed.count == 10)
        for count in report.issues.issueCounts {
            let listed = report.issues.listed.filter { $0.issue.field == count.field && $0.issue.code == count.code }
            #expect(!listed.isEmpty, "\(count)")
        }
    }

    @Test func `P12: the key of a row beside its issues is never a cell that may be a secret`() async throws {
        let report = try await validating(
            "username,password,phone,address\n"
                // One cell less or more, so that a password may stand where the username belongs.
                + "Sesame0pen,78761241,x\nann,Sesame0pen,78761241,x,y\n\"Sesame0pen\"x,Sesame0pen,1,x\n"
                + "ann,Sesame0pen,1,x\n")
        #expect(Set(report.issues.listed.compactMap(\.key)) == ["ann"])
        #expect(report.issues.listed.filter { $0.key == "ann" }.allSatisfy { $0.line == 5 })
        for format in ReportFormat.allCases { #expect(!report.rendered(as: format).contains("Sesame0pen")) }
    }

    @Test func `I8: what a report quotes is cut, also where one character is a megabyte`() async throws {
        let long = "a" + String(repeating: "\u{301}", count: 100_000)
        let report = try await validating("username\n\(long)\n", schema: schemaOfNames())
        #expect(report.rejected == 1)
        let value = try #require(report.issues.listed.first?.value)
        #expect(value.utf8.count <= 800)
    }

    @Test func `I7: an import ends early once more rows are rejected than may be`() async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schemaOfNames())
        let good = (0..<40_000).map { "user\($0),some note to fill the line\n" }
        let text = "username,note\n" + good[..<20_000].joined() + "x,\ny,\nz,\n" + good[20_000...].joined()
        let few = try await repository.importing(text) { $0.rejectLimit = .count(2) }
        #expect(few.earlyEnd == .tooManyRejects)
        #expect(few.rejected == 3)
        #expect(few.imported >= 20_000 && few.imported < 40_000)
        #expect(try await repository.statistics().profiles == few.imported)

        let all = try await validating(text, schema: schemaOfNames()) { $0.rejectLimit = .count(3) }
        #expect(all.earlyEnd == nil)
        #expect(all.outcomes == [40_000, 0, 0, 3])

        let percent = try await validating(
            "username\n" + String(repeating: "x\n", count: 2_000), schema: schemaOfNames()
        ) {
            $0.rejectLimit = .percent(99.9)
        }
        #expect(percent.earlyEnd == .tooManyRejects)
        let fewRows = try await validating("username\nx\n", schema: schemaOfNames()) { $0.rejectLimit = .percent(1) }
        #expect(fewRows.earlyEnd == nil, "a percentage of a few rows says nothing")
    }

    @Test func `I7: rejected rows import again once they are mended`() async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schemaOfClub())
        let importer = ProfileImporter(
            repository: repository,
            options: importOptions {
                $0.format = .csv(delimiter: UInt8(ascii: ";"))
                $0.ignoresUnknownColumns = true
                $0.keepsIgnoredColumns = true
            })
        let (first, rejects) = try await importer.runKeepingRejects(
            "User Name;Level;shoe\nann;1;4\"1\nbob;12;\"a; b\"\n\ncid;;x\nANN;3;y\n")
        #expect(first.outcomes == [1, 0, 0, 3])
        #expect(
            rejects.split(separator: "\n").map { $0.prefix(18) }
                == [
                    "User Name;Level;sh", "bob;12;\"a; b\";3;le", "cid;;x;5;level: re", "ANN;3;y;6;username",
                ].map { $0.prefix(18) })
        let mended = rejects.replacing("bob;12", with: "bob;2").replacing("cid;;", with: "cid;3;")
            .replacing("ANN;", with: "dan;")
        let second = try await importer.run(mended)
        #expect(second.outcomes == [3, 0, 0, 0], "\(second.lines)")
        #expect(Set(try await repository.everything().keys) == ["ann", "bob", "cid", "dan"])
    }

    @Test func `I7: an import says whether the rejected rows are all in their file`() async throws {
        let importer = ProfileImporter(schema: try schemaOfNames(), today: .latest)
        let text = "username\nx\nann\n"
        #expect(try await !importer.run(text).hasWrittenRejects)
        let rejects = try unnamedFile()
        #expect(try await importer.run(text, rejects: rejects).hasWrittenRejects)
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        // The error occurs when the last rejected rows are written, or while more rows follow.
        for rows in [1, 20_000] {
            let text = "username\nann\n" + String(repeating: "x\n", count: rows)
            let error = await #expect(throws: ImportError.self) { try await importer.run(text, rejects: full) }
            guard case .ended(.writingRejects(ENOSPC), let report) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(!report.hasWrittenRejects)
            #expect(report.rejected == rows || rows > 1)
        }
    }

    @Test func `I7, P12: ignored columns are not in the file of rejected rows, unless an option keeps them`()
        async throws
    {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schemaOfClub())
        let text = "username,pw,level\nann,Geheim7,99\nbob,Geheim8,1,x\ncid,\"Geheim9,1\n"
        func rejects(keepsIgnored: Bool) async throws -> String {
            try await ProfileImporter(
                repository: repository,
                options: importOptions {
                    $0.ignoresUnknownColumns = true
                    $0.keepsIgnoredColumns = keepsIgnored
                }
            ).runKeepingRejects(text).rejects
        }
        let without = try await rejects(keepsIgnored: false)
        #expect(without.hasPrefix("username,level,_line,_issues\nann,99,2,"), "\(without)")
        #expect(!without.contains("pw") && !without.contains("Geheim"))
        // Their line leads to rows whose cells cannot be told apart.
        #expect(without.contains("\n,,,3,row: bad_row") && without.contains("4,row: unclosed_quote"))
        let with = try await rejects(keepsIgnored: true)
        #expect(with.hasPrefix("username,pw,level,_line,_issues\nann,Geheim7,99,2,"), "\(with)")
        #expect(with.contains("Geheim8") && with.contains("Geheim9"))
    }

    @Test func `I7: secrets of rejected rows are not in the file, and other cells are`() async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store()
        let text = "username,password,phone,address\nann,Geheim7,787,12 Main St\nbob,Geheim8\n"
        let (report, rejects) = try await ProfileImporter(repository: repository).runKeepingRejects(text)
        #expect(report.rejected == 2)
        #expect(!rejects.contains("Geheim"))
        #expect(rejects.contains("\nann,,787,12 Main St,2,"))
        let listed = report.issues.listed.map { $0.issue.message + ($0.value ?? "") }.joined()
        #expect(!listed.contains("Geheim"))
    }
}
