import ProfileCore
import ProfileStore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// N1: the inference from a table whose layout is given by options, and an import by the proposal.
@Suite(.watched) struct TableLayoutInferenceTests {
    @Test func `N1: the columns of a file without a header have numbers`() async throws {
        let text = "ann,1990-01-02,x\nbob,1991-02-03,y\n"
        let proposal = try await inferring(text) { $0.layout.hasHeader = false }
        #expect(proposal.columns.map(\.header) == ["column_1", "column_2", "column_3"])
        #expect(proposal.labels["column_2"] == "date yyyy-MM-dd")
        #expect(proposal.rows == 2 && proposal.warnings == [])
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
    }

    @Test func `I2: a header below other lines is read if its line is given`() async throws {
        let text = "Members, 2024\nby, \"me\nuser;born;note\nann;1990;x\nbob;1991;y\n"
        for isSkip in [false, true] {
            let proposal = try await inferring(text) {
                if isSkip { $0.layout.skippedLines = 2 } else { $0.layout.headerLine = 3 }
            }
            #expect(proposal.columns.map(\.header) == ["user", "born", "note"])
            #expect(try await proposal.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
        }
        await #expect(throws: InferenceError.input(.noHeaderInLine(9))) {
            try await inferring(text) { $0.layout.headerLine = 9 }
        }
    }

    @Test func `I2: lines below skipped lines are searched for the header as well`() async throws {
        let text = "# x\nTitle\n\nuser;born;note\nann;1990;x\nbob;1991;y\n"
        let found = try await inferring(again: text) { $0.layout.comment = UInt8(ascii: "#") }
        #expect(found.warnings == [.linesAboveHeader(line: 4)])
        #expect(found.schema?.importSettings.layout.comment == UInt8(ascii: "#"))
        // The given line is not doubted.
        let given = try await inferring("Title\na;b;c\nd;e;f\ng;h;i\n") { $0.layout.headerLine = 1 }
        #expect(given.columns.map(\.header) == ["Title"])
    }

    @Test func `N1: short rows are counted once, and padded on request`() async throws {
        let text = "user,age,note\nann,7\nbob,8,x\ncy\ndan,1,2,3\n"
        let strict = try await inferring(text)
        #expect(strict.refusedRows == 3 && strict.warnings == [.shortRows(rows: 2, line: 2)])
        let padded = try await inferring(text) { $0.layout.padsShortRows = true }
        #expect(padded.refusedRows == 1 && padded.warnings == [])
        #expect(padded["note"]?.missing == 2)
        #expect(try await padded.validating(Array(text.utf8)).outcomes == [3, 0, 0, 1])
    }

    @Test func `I2: repeated headers become fields, and the next such file needs no options`() async throws {
        let text = "user,phone,Phone Number,phone,phone,phone_3\nann,1,2,3,4,5\n"
        let proposal = try await inferring(text)
        #expect(
            proposal.columns.map(\.header) == ["user", "phone", "Phone Number", "phone_2", "phone_4", "phone_3"])
        #expect(proposal.warnings == [.repeatedHeaders(columns: 2, name: "phone_2")])
        let schema = try #require(proposal.schema)
        let report = try await ProfileImporter(schema: schema, today: .latest).run(
            ImportInput(bytes: Array(text.utf8), name: "next.csv"))
        #expect(report.outcomes == [1, 0, 0, 0])
        // A second password must not become an open field.
        let secret = try await inferring("user,password,password\nann,a,b\n")
        #expect(secret["password_2"]?.doubts == [.leftOut(.otherSecret)] && secret["password_2"]?.examples == [])
    }

    @Test func `I1: a row of totals is named`() async throws {
        let rows = (0..<9).map { "u\($0),\($0 + 1)\n" }.joined()
        #expect(try await inferring("user,paid\n" + rows + "Total,45\n").warnings == [.totals(line: 11)])
    }
}
