import ProfileCore
import ProfileStore
import ProfileTesting
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// The choice of columns and of field names, and that an import reads each column as the inference did.
@Suite(.watched) struct ColumnChoiceTests {
    // MARK: Names

    @Test(
        "N1: with any column names, the schema is accepted, and every row is imported",
        arguments: [
            "id,username,item\n1,ann,A\n2,ann,B\n3,bob,C\n", "key,username\n1,a\n2,b\n3,b\n",
            "id,postal code,postal_code\n1,a,x\n2,d,y\n", "id,postal_code,postal code,Postal-Code\n1,a,x,q\n2,d,y,q\n",
            "id,source_status,status\n1,a,b\n2,a,b\n", "User Name,username\n1,a\n2,a\n",
        ])
    func odd(text: String) async throws {
        try await expectAllRows(of: text)
    }

    @Test func `N3: the row number gets its own field, and a column of usernames keeps its values`() async throws {
        let text = "username,row\nann,1\nann,1\n"
        let proposal = try await inferring(text) { $0.key = .rowNumber }
        #expect(proposal.schema?.primaryKey.name.text == "row_2")
        #expect(proposal["username"]?.rules?.name.text == "source_username")
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
    }

    @Test func `N1: names that are hard to tell apart, in any order, give a schema by which each row is valid`()
        async throws
    {
        let names = [
            "username", "Username", "user name", "id", "password", "password hash", "passwordhash", "e-mail", "e_mail",
            "email", "", "status", "source_status", "row", "pwd", "x", "X", "_line",
        ]
        var random = SeededGenerator(printingSeedOf: "column names")
        for _ in 0..<rounds(300) {
            let header = (0..<random.number(1...6)).map { _ in random.one(of: names) }
            guard Set(header.filter { !$0.isEmpty }).count == header.count(where: { !$0.isEmpty }) else { continue }
            let rows = (0..<3).map { row in header.indices.map { "v\(row % (($0 % 3) + 1))\($0)x" } }
            let text = ([header] + rows).map { $0.joined(separator: ",") + ";\n" }.joined()
                .replacing(";\n", with: ",end\n")
            try await expectAllRows(of: text)
        }
    }

    private func expectAllRows(of text: String) async throws {
        let proposal: SchemaProposal
        do {
            proposal = try await inferring(text) { $0.key = .rowNumber }
        } catch InferenceError.headerFurtherDown {
            // Where most columns have no name, the first row may be a title.
            return
        }
        do {
            let report = try await proposal.validating(Array(text.utf8))
            #expect(report.rejected == proposal.refusedRows, "\(report.lines) \(proposal.refused)\n\(text)")
        } catch {
            Issue.record("\(error)\n\(text)\n\(proposal.schema?.document() ?? "")")
        }
    }

    // MARK: Columns that are left out

    @Test func `N1: an import ignores the columns that were left out, whatever their names mean`() async throws {
        let text = "id,pwd,Password,username\n1,Abc,x,a\n2,Abd,y,b\n"
        let secrets = try await inferring(text)
        #expect(secrets["Password"]?.label == "left out")
        #expect(secrets.schema?.importSettings.ignoredColumns.contains("Password") == true)
        #expect(try await secrets.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
        let some = try await inferring(text) { $0.columns = ["id", "pwd"] }
        #expect(try await some.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
    }

    @Test func `N1: a control character in a column that is not a field does not refuse its row`() async throws {
        let text = "id,,x,_issues\n1,a\u{7},2,\u{7}\n2,c,3,\n"
        let proposal = try await inferring(text)
        #expect(proposal.refused.isEmpty)
        #expect(try await inferring(text) { $0.columns = ["x"] }.refused.isEmpty)
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
    }

    @Test func `N1: a column with a list or an object is not a field, and none of its rows is refused`() async throws {
        let text = """
            {"key":1,"name":"a","address":{"c":1},"username":"u"}
            {"key":2,"name":"b","address":"Main St","username":"u"}

            """
        let proposal = try await inferring(text)
        #expect(proposal["address"]?.doubts == [.leftOut(.holdsLists)])
        #expect(proposal.refused.isEmpty && proposal.rows == 2)
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
        let chosen = try await inferring(text) { $0.columns = ["key", "name"] }
        #expect(chosen.columns.map(\.header) == ["key", "name"])
        #expect(try await chosen.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
    }

    @Test func `an exact column name is chosen before similar names`() async throws {
        let text = "id,e-mail,email\n1,a,b\n2,c,d\n"
        let exact = try await inferring(text) { $0.columns = ["e-mail", "ID"] }
        #expect(exact.columns.map(\.header) == ["id", "e-mail"])
        #expect(exact.ignoredColumns == ["email"])
        let objects = #"{"id":1,"e-mail":"a","email":"b"}"# + "\n"
        let chosen = try await inferring(objects) { $0.columns = ["e-mail", "id"] }
        #expect(chosen.columns.map(\.header) == ["id", "e-mail"])
        #expect(try await chosen.validating(Array(objects.utf8)).outcomes == [1, 0, 0, 0])
    }

    @Test func `members that were not chosen are not columns, however many there are`() async throws {
        let first = #"{"id":0,"name":"zero""# + (0..<10_003).map { #","m\#($0)":1"# }.joined() + "}\n"
        let text = first + (1...1_000).map { #"{"id":\#($0),"name":"long name \#($0)"}"# + "\n" }.joined()
        let proposal = try await inferring(text) { $0.columns = ["id", "name"] }
        #expect(proposal.rows == 1_001 && !proposal.isSample)
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [1_001, 0, 0, 0])
        await #expect(throws: InferenceError.self) { try await inferring(text) }
    }

    @Test func `N4: the schema of a column with hidden values has only a type and a length`() async throws {
        for cells in [(0..<30).map { "AB-\($0 + 10)" }, (0..<30).map { $0 % 2 == 0 ? "yes" : "no" }] {
            let hint = try await column(of: cells, named: "password_hint")
            #expect(hint.rules?.mask == nil && hint.rules?.characters == nil && hint.rules?.allowedValues == [])
            #expect(hint.rules?.type == .string)
        }
    }

    @Test func `N11: several columns form the key together, and rows that repeat or lack it are refused`() async throws
    {
        let text = "site,number,password\na,1,x\na,2,x\nb,1,x\nA,2,x\n,3,x\n"
        let proposal = try await inferring(text) { $0.key = .columns(["Site", "number"]) }
        #expect(proposal.key == .columns(["site", "number"]))
        #expect(proposal.schema?.fields.map(\.name.text) == ["username", "site", "number", "password"])
        #expect(proposal["site"]?.rules?.isRequired == true && proposal["number"]?.rules?.type == .integer)
        #expect(proposal.refused.map(\.reason) == [.noKey, .repeatedKey] && proposal.refusedRows == 2)
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [3, 0, 0, 2])
        let objects = #"{"number":1}"# + "\n" + #"{"site":"a","number":1}"# + "\n"
        let json = try await inferring(objects) { $0.key = .columns(["site", "number"]) }
        #expect(json.refused.map(\.reason) == [.noKey])
        #expect(try await json.validating(Array(objects.utf8)).outcomes == [1, 0, 0, 1])
        for name in ["sites", "password"] {
            await #expect(throws: InferenceError.unknownKey(name)) {
                try await inferring(text) { $0.key = .columns(["number", name]) }
            }
        }
    }

    @Test func `N11: the content of a row is the key on request`() async throws {
        let text = "username,size\na,1\na,1\n"
        let proposal = try await inferring(text) { $0.key = .content }
        #expect(proposal.key == .content && proposal.refused.isEmpty)
        #expect(proposal.schema?.primaryKey.name.text == "row")
    }
}
