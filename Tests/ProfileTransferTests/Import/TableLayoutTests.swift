import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

@Suite("Tables that need to be told where they begin", .watched) struct TableLayoutTests {
    /// The rules for a headerless file.
    private func numberedSchema() throws -> ProfileSchema {
        try ProfileSchema(
            parsing: """
                {"name": "numbered", "primaryKey": "column_1", "fields": [
                  {"name": "column_1", "constraints": {"required": true, "unique": true}},
                  {"name": "column_2", "type": "integer"}, {"name": "column_3"}
                ]}
                """)
    }

    private func layout(_ change: (inout TableLayout) -> Void) -> (inout ImportOptions) -> Void {
        var layout = TableLayout()
        change(&layout)
        return { [layout] options in
            options.format = .automatic
            options.layout = layout
        }
    }

    @Test func `I2: the lines above the header are skipped, by their number or by the header's line`() async throws {
        let text = "Members, \"2024\nof, the, club\nusername;note\nann;a,b\nb;c,d\n"
        for change in [layout { $0.skippedLines = 2 }, layout { $0.headerLine = 3 }] {
            let report = try await validating(text, schema: schemaOfNames(), change)
            #expect(report.outcomes == [1, 0, 0, 1] && report.format == .csv(delimiter: UInt8(ascii: ";")))
            #expect(report.lines == ["5/2 username too_short"])
        }
    }

    @Test func `I2: a line without a header is named, and no other line is taken for it`() async throws {
        for (text, line) in [("a\n\nusername,note\n", 2), ("username\n", 4), ("\nusername\n", 1)] {
            let found = try await refusal(of: text, schema: schemaOfNames(), layout { $0.headerLine = line })
            #expect(found == .noHeaderInLine(line))
        }
        let comment = try await refusal(
            of: "#username\nusername\n", schema: schemaOfNames(),
            layout {
                $0.headerLine = 1
                $0.comment = UInt8(ascii: "#")
            })
        #expect(comment == .noHeaderInLine(1))
    }

    @Test func `I1: comment lines are no rows, and lines keep their numbers`() async throws {
        let report = try await validating(
            "# made by \"x\nusername,note\n#ann,1\nann,#1\n#\nb,2\n", schema: schemaOfNames(),
            layout { $0.comment = UInt8(ascii: "#") })
        #expect(report.outcomes == [1, 0, 0, 1] && report.lines == ["6/2 username too_short"])
        #expect(report.warnings == [])
    }

    @Test func `I2: without a header the columns have numbers, and the first row is a row`() async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: numberedSchema())
        let text = "ann;7;x\nbob;y;\nann;8;\ncy;1;z;2\n"
        let report = try await repository.importing(text, layout { $0.hasHeader = false })
        #expect(report.outcomes == [1, 0, 0, 3])
        #expect(report.lines.sorted() == ["2/2 column_2 bad_format", "3/3 column_1 duplicate", "4/4 row bad_row"])
        #expect(try await repository.everything()["ann"] == ["column_1": "ann", "column_2": "7", "column_3": "x"])
        let unknown = try await refusal(
            of: "ann,7,x\n", schema: schemaOfNames(), layout { $0.hasHeader = false })
        #expect(unknown?.mismatch?.unknownColumns == ["column_1", "column_2", "column_3"])
        #expect(unknown?.mismatch?.mayBeData == false)
    }

    @Test func `I2: the columns of a file without a header are those of most of its rows`() async throws {
        let text = "Title\nann,7,x\nbob,8,y\ncy,9\n"
        let report = try await validating(text, schema: numberedSchema(), layout { $0.hasHeader = false })
        #expect(report.outcomes == [2, 0, 0, 2])
        let padded = try await validating(
            "ann,1\nbob,2\neve,3\ncy,1,x\nde,2,y\nfay,1,2,3,4\n", schema: numberedSchema(),
            layout {
                $0.hasHeader = false
                $0.padsShortRows = true
            })
        #expect(padded.outcomes == [5, 0, 0, 1])
    }

    @Test func `I2: if two numbers of columns are equally frequent, that of the store counts`() async throws {
        let schema = try ProfileSchema(
            parsing: #"{"fields": [{"name": "column_1"}, {"name": "column_2"}], "primaryKey": "column_1"}"#)
        let report = try await validating("ann,7\nbob,8,x\n", schema: schema, layout { $0.hasHeader = false })
        #expect(report.outcomes == [1, 0, 0, 1])
    }

    @Test func `I3: short rows are padded, and long rows stay errors`() async throws {
        let schema = try ProfileSchema(
            parsing: """
                {"name": "odd", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "age", "type": "integer"}, {"name": "note", "constraints": {"required": true}}, {"name": "x"}
                ]}
                """)
        let text = "username,age,note,x\nann,7,a\nbob\ncy,x,b\ndan,1,c\neve,1,c,d,e\nfay,1,c,d\n"
        let strict = try await validating(text, schema: schema)
        #expect(strict.outcomes == [1, 0, 0, 5])
        // Two of the four short rows would be valid.
        #expect(strict.warnings == [.shortRows(rows: 2, line: 2)])
        let padded = try await validating(text, schema: schema, layout { $0.padsShortRows = true })
        #expect(padded.outcomes == [3, 0, 0, 3] && padded.warnings == [])
        #expect(padded.lines == ["3/2 note required", "4/3 age bad_format", "6/5 row bad_row"])
    }

    @Test func `I3: one short row may be the end of a file that was cut off, so no padding is offered`() async throws {
        #expect(try await validating("username,note\nann,1\nbo", schema: schemaOfNames()).warnings == [])
    }

    @Test(.unsanitized) func `I11: the short rows of a very wide file are padded in small batches`() async throws {
        let wide = "username" + String(repeating: ",", count: 9_999) + "\n"
        let report = try await validating(
            wide + (0..<2_000).map { "u\($0)\n" }.joined(), schema: schemaOfNames()
        ) {
            $0.layout.padsShortRows = true
            $0.ignoresUnknownColumns = true
        }
        #expect(report.outcomes == [2_000, 0, 0, 0])
    }

    @Test func `I7: the rejected rows of each layout import again with the same options`() async throws {
        let schema = try numberedSchema()
        let layouts: [(text: String, change: (inout ImportOptions) -> Void)] = [
            ("ann,x,\"#\"\n\"#b\",y,\n", layout { $0.hasHeader = false }),
            ("Title\ncolumn_1,column_2,column_3\nann,x,\n\"#b\",y,\n", layout { $0.skippedLines = 1 }),
            ("Title\ncolumn_1,column_2,column_3\nann,x,\n\"#b\",y,\n", layout { $0.headerLine = 2 }),
            (
                "#\ncolumn_1,column_2,column_3\nann,x,\n\"#b\",y\n#c,d\n",
                layout {
                    $0.comment = UInt8(ascii: "#")
                    $0.padsShortRows = true
                }
            ),
        ]
        for (text, change) in layouts {
            let folder = try ImportFolder()
            let repository = try await folder.store(schema: schema)
            let importer = ProfileImporter(repository: repository, options: importOptions(change))
            let (report, rejects) = try await importer.runKeepingRejects(text)
            #expect(report.outcomes == [0, 0, 0, 2], "\(text)")
            #expect(rejects.hasPrefix("column_1,column_2,column_3,_line,_issues\nann,x,"), "\(rejects)")
            let mended = rejects.replacing("ann,x", with: "ann,1").replacing("#b,y", with: "#b,2")
            #expect(try await importer.run(mended).outcomes == [2, 0, 0, 0], "\(mended)")
            #expect(try await repository.everything().keys.sorted() == ["#b", "ann"])
            let file = try RejectedRowFile(
                ImportInput(bytes: Array(rejects.utf8), name: "rejects.csv"), schema: schema,
                options: importOptions(change))
            #expect(try await file.count() == 2)
        }
    }

    @Test func `I2: a repeated header gets a number, and goes to the field of that name`() async throws {
        let folder = try ImportFolder()
        let schema = try ProfileSchema(
            parsing: """
                {"name": "two", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "phone"}, {"name": "phone_2"}
                ]}
                """)
        let repository = try await folder.store(schema: schema)
        let text = "username,phone, phone\nann,1,2\nusername,phone, phone\nbob,3,4\n"
        let report = try await repository.importing(text)
        #expect(report.outcomes == [2, 0, 0, 1] && report.lines == ["3/2 row bad_row"])
        #expect(report.warnings == [.repeatedHeaders(columns: 1, name: "phone_2")])
        #expect(try await repository.everything()["bob"] == ["username": "bob", "phone": "3", "phone_2": "4"])
    }

    @Test func `I2: a repeated header of a field that the store has once is refused`() async throws {
        let schema = try schemaOfNames()
        for ignores in [false, true] {
            let found = await refusal(of: "username,note,note\nann,1,2\n", schema: schema) {
                $0.ignoresUnknownColumns = ignores
            }
            #expect(found == .columnTwice("note", columns: ["note", "note_2"]))
        }
        let ignored = try await validating("username,note,note\nann,1,2\n", schema: schema) {
            $0.ignoredColumns = ["note_2"]
        }
        #expect(ignored.outcomes == [1, 0, 0, 0])
        // Repeated columns that match no field are unknown columns.
        let unknown = await refusal(of: "username,x,x,x,x_2\nann,1,2,3,4\n", schema: schema)
        #expect(unknown?.mismatch?.unknownColumns == ["x", "x_3", "x_4", "x_2"])
    }

    @Test(arguments: [3, 300, 12_000])
    func `I1: a row of totals at the end is named`(rows: Int) async throws {
        let schema = try ProfileSchema(
            parsing: """
                {"name": "sums", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "city"}, {"name": "paid"}
                ]}
                """)
        let text = "username,city,paid\n" + (0..<rows).map { "u\($0),Oslo,\($0 % 7 + 1).50\n" }.joined()
        for (last, isFound) in [
            ("Total,,\(rows * 9).00\n", true), ("SUMME:,,1.234.567\n", true), (",Grand total,99999999\n", true),
            ("Total,Oslo,99999999\n", false), ("Totally,,99999999\n", false), ("Total,,0.1\n", true),
            ("zoe,,99999999\n", false), ("Total,,\n", false),
        ] {
            let warnings = try await validating(text + last, schema: schema).warnings
            #expect(warnings.contains(.totals(line: rows + 2)) == isFound, "\(last) \(warnings)")
        }
        let first = try await validating("username,city,paid\nTotal,,99999999\n" + text, schema: schema)
        #expect(!first.warnings.contains(.totals(line: 2)))
    }
}

extension ImportError {
    fileprivate var mismatch: ColumnMismatch? { if case .columnMismatch(let mismatch) = self { mismatch } else { nil } }
}
