import ProfileCore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// The bounds at which a column gets another type or rule, with a test on both sides.
@Suite(.watched) struct InferenceBoundsTests {
    // MARK: Types

    @Test(
        "N2: a column with at most three words, and at most one in twenty, is nearly numeric",
        arguments: [(57, 3, true), (56, 3, false), (96, 4, false), (19, 1, true), (18, 1, false)])
    func nearMiss(numbers: Int, words: Int, isTold: Bool) async throws {
        let found = try await column(of: (0..<numbers).map(String.init) + (0..<words).map { "none\($0)" })
        #expect(found.rules?.type == .string)
        guard isTold else { return #expect(found.doubts == []) }
        guard case .nearly(.integer, let lines)? = found.doubts.first else {
            Issue.record("\(found.doubts)")
            return
        }
        #expect(lines.lines == Array(numbers + 2..<numbers + words + 2))
    }

    @Test func `N2: a doubt lists the lines of digits that are not numbers`() async throws {
        let found = try await column(of: ["10", "20", "007", "30", "+1.5"])
        guard case .numerals(let lines)? = found.doubts.first else {
            Issue.record("\(found.doubts)")
            return
        }
        #expect(lines.lines == [4, 6] && lines.count == 2)
        guard case .numerals(let signs)? = try await column(of: ["8.21", "151.2", "-0.5", "+7.5", "3"]).doubts.first
        else {
            Issue.record("no doubt about a plus sign")
            return
        }
        #expect(signs.lines == [5])
        #expect(try await column(of: ["756.1234.5678.98", "75622223333"]).doubts == [])
        #expect(try await column(of: ["1.2.3", "4.5.6"]).doubts == [])
        #expect(try await column(of: ["10", "007", "x"]).doubts == [])
        // A postal code is not expected to be a number.
        let code = try await column(of: ["01234", "56789"], named: "zip")
        #expect(code.doubts == [] && code.label == "string postal-code")
        #expect(try await column(of: ["12345", "54321"], named: "zip").label == "string postal-code")
    }

    @Test func `N2: a point before three digits is a decimal point, as in the standard`() async throws {
        #expect(try await column(of: ["1.234", "5.678"]).label == "number")
    }

    @Test func `N2: eight digits are days in five rows, and numbers in fewer`() async throws {
        let days = ["20240131", "20231201", "20220315", "20210708", "19991231"]
        #expect(try await column(of: days).label == "date yyyyMMdd")
        #expect(try await column(of: days.dropLast()).label == "integer")
        #expect(try await column(of: days + ["18991231"]).label == "integer")
    }

    @Test func `N2: four digits are years in a column of that name`() async throws {
        #expect(try await column(of: ["1999", "2024"], named: "Year of birth").label == "year")
        #expect(try await column(of: ["1999", "24"], named: "Year of birth").label == "integer")
        #expect(try await column(of: ["1999", "2024"], named: "number").label == "integer")
    }

    @Test func `N2: yes and no are booleans if both occur, and 0 and 1 if the column name suggests it`() async throws {
        #expect(try await column(of: ["true", "TRUE", "True", "false", "FALSE", "False"]).label == "boolean")
        #expect(try await column(of: ["true", "true"]).label == "boolean")
        #expect(try await column(of: ["yes", "yes"]).label == "string")
        #expect(try await column(of: ["0", "1"], named: "is_open").label == "boolean")
        #expect(try await column(of: ["0", "1"], named: "open flag").label == "boolean")
        #expect(try await column(of: ["0", "1"], named: "open").label == "integer")
    }

    @Test(arguments: [
        (["1.5E3", "2"], "number"), (["1E5", "2.5"], "string"), (["1.5E+300", "2"], "number"),
        (["1.5E3000", "2"], "string"),
        (["1,234.5E3", "2"], "string"), (["12,34.5", "1"], "string"), (["1,2345.5", "1"], "string"),
        (["1.", "2"], "string"), (["1234", "1,234.5"], "string"), (["a://b", "c://d"], "string"),
    ])
    func `N2: only usual notations of numbers and addresses are recognised`(cells: [String], label: String)
        async throws
    {
        #expect(try await column(of: cells).label == label)
    }

    // MARK: Rules

    @Test(arguments: [(19, 3, false), (20, 3, true), (20, 4, true), (24, 5, false), (25, 5, true)])
    func `N2: values are choices in at least twenty rows, if each occurs five times on average`(
        rows: Int, kinds: Int, isChoice: Bool
    ) async throws {
        let found = try await column(of: (0..<rows).map { "kind " + String(repeating: "x", count: $0 % kinds) })
        #expect(found.rules?.allowedValues.isEmpty == !isChoice)
    }

    @Test func `N2: few values, and values in a column with a secret name, prove no rule`() async throws {
        #expect(try await column(of: ["abc", "de"]).rules?.characters == nil)
        #expect(try await column(of: ["a b", "c!", "d", "e", "f"]).rules?.characters == nil)
        #expect(try await column(of: ["ab", "bä", "cdé", "d", "e"]).rules?.characters == nil)
        #expect(try await column(of: ["a b1", "a b2", "a b3", "a b4", "a b5"]).rules?.mask == nil)
        #expect(try await column(of: ["#1", "#2", "#3", "#4", "#5"]).rules?.mask == nil)
        let hints = try await column(of: (0..<40).map { ["dog", "cat"][$0 % 2] }, named: "password_hint")
        #expect(hints.rules?.allowedValues == [] && hints.examples == [])
    }

    @Test func `N2: fifty values may be choices, and one more or a long one makes text`() async throws {
        func cells(_ kinds: Int) -> [String] { (0..<260).map { "k" + String($0 % kinds, radix: 36) + "!" } }
        #expect(try await column(of: cells(50)).rules?.allowedValues.count == 50)
        #expect(try await column(of: cells(51)).rules?.allowedValues == [])
        let long = String(repeating: "long ", count: 19)
        #expect(
            try await column(of: (0..<40).map { long + ["aaaaa", "bbbbb"][$0 % 2] }).rules?.allowedValues.count == 2)
        #expect(try await column(of: (0..<40).map { long + ["aaaaaa", "bbbbb"][$0 % 2] }).rules?.allowedValues == [])
        // The first eight bytes are equal, and the ninth differs.
        let alike = try await column(of: (0..<40).map { ["category1x", "category2x"][$0 % 2] })
        #expect(alike.rules?.allowedValues == ["category1x", "category2x"])
    }

    @Test func `N2: the longest value may be as long as the limit`() async throws {
        #expect(try await column(of: ["abcdefghij", "abc"]).rules?.maximumLength == 10)
        #expect(try await column(of: ["abcdefghijk", "abc"]).rules?.maximumLength == 20)
        // CR LF is one character. The length of a letter with very many combining marks depends on its bytes (S5).
        #expect(try await column(of: ["abcd\r\nefghi", "abc"]).rules?.maximumLength == 10)
        let marked = "e" + String(repeating: "\u{301}", count: 600)
        #expect(try await column(of: [marked, "x"]).rules?.maximumLength == 500)
    }

    @Test func `N2: a mask has 64 characters at the most`() async throws {
        func cells(_ pairs: Int) -> [String] {
            (0..<5).map { "\($0)" + String(repeating: "-1", count: pairs) + (pairs == 31 ? "/" : "//") }
        }
        #expect(try await column(of: cells(31)).rules?.mask?.pattern.count == 64)
        #expect(try await column(of: cells(32)).rules?.mask == nil)
    }

    @Test func `N2: a column name gives a content type only if the values fit it`() async throws {
        #expect(try await column(of: ["+49 30 123", "030/456"], named: "phone").rules?.contentType == "tel")
        #expect(try await column(of: ["٠٣٠", "٠٤٠"], named: "phone").rules?.contentType == nil)
        #expect(try await column(of: ["SW1A 1AA", "A 1"], named: "zip").rules?.contentType == "postal-code")
        #expect(try await column(of: ["SW1A 1AA and more", "A 1"], named: "zip").rules?.contentType == nil)
        #expect(try await column(of: ["north", "south"], named: "zip").rules?.contentType == nil)
        let titles = ["Dr.", "Prof. Dr.", "Dr.", "Dr."]
        #expect(try await column(of: titles, named: "title").rules?.contentType == "honorific-prefix")
        let films = ["The Third Man", "Metropolis", "Metropolis", "Metropolis"]
        #expect(try await column(of: films, named: "title").rules?.contentType == nil)
        #expect(try await column(of: ["Emma", "Dune", "Ulysses", "Dune"], named: "title").rules?.contentType == nil)
        #expect(try await column(of: ["spring", "autumn"], named: "birthday").rules?.contentType == nil)
        let nobody = try await inferring("user,phone\nann,\nbob,\n")["phone"]
        #expect(nobody?.rules?.contentType == nil && nobody?.rules?.isRequired == false)
        #expect(try await inferring("user,note\n")["note"]?.rules?.isRequired == false)
    }

    // MARK: Missing values

    @Test(arguments: [(60, 5, true), (60, 4, false), (100, 5, true), (101, 5, false)])
    func `N2: a word counts as missing if it occurs five times, and once per twenty other values`(
        words: Int, tokens: Int, isMissing: Bool
    ) async throws {
        let cells = (0..<words).map { "word\($0) x" } + (0..<tokens).map { _ in "null" }
        let found = try await column(of: cells)
        #expect(
            found.doubts == [
                isMissing ? .takenAsMissing(["null"], count: tokens) : .mayBeMissing("null", count: tokens)
            ])
        #expect(found.missing == (isMissing ? tokens : 0))
        #expect(found.values == cells.count - found.missing)
    }

    @Test func `N2: a code as long as the others is a value, even if it means missing in another column`()
        async throws
    {
        let text =
            "user,n,code\n" + (0..<30).map { "u\($0),\($0 == 5 ? "NA" : "\($0)"),\($0 < 15 ? "NA" : "DE")\n" }.joined()
        let proposal = try await inferring(text)
        #expect(proposal["n"]?.rules?.missingValues == ["NA"])
        let code = try #require(proposal["code"])
        #expect(code.rules?.missingValues == [])
        #expect(code.doubts == [.mayBeMissing("NA", count: 15)])
        #expect(code.values == 30 && code.missing == 0)
    }

    // MARK: Keys and secrets

    @Test(arguments: [(2, 0, true), (1, 1, true), (2, 1, false), (3, 0, false)])
    func `N3: empty cells and repeats count alike against a key by name`(
        empty: Int, repeats: Int, isKey: Bool
    ) async throws {
        let cells = (0..<200).map { $0 < empty ? "" : $0 >= 200 - repeats ? "U100" : "u\($0)" }
        let text = "login,n\n" + cells.enumerated().map { "\($1),\($0)\n" }.joined()
        let proposal = try await inferring(text)
        #expect(proposal.key == .column(isKey ? "login" : "n"))
        let exceptions = proposal["login"]?.doubts.contains { if case .keyExceptions = $0 { true } else { false } }
        #expect(exceptions == isKey)
    }

    @Test func `N3: a key whose header cannot be its field name is called username`() async throws {
        let plain = try await inferring("id,n\n1,x\n2,x\n")
        #expect(plain.schema?.primaryKey.name == "id" && plain["id"]?.doubts == [])
        let underscored = try await inferring("_id,n\n1,x\n2,x\n")
        #expect(underscored.schema?.primaryKey.columns == ["_id"])
        #expect(try await underscored.validating(Array("_id,n\n1,x\n2,x\n".utf8)).outcomes == [2, 0, 0, 0])
        let same = try await inferring("User-Name,n\n1,x\n2,x\n")
        #expect(same.schema?.primaryKey.name.text == "username" && same["User-Name"]?.doubts == [])
    }

    @Test func `a possible key that is not the key is unique if different notations are different values`()
        async throws
    {
        let proposal = try await inferring("user,email,user_id,id\na,a@b.org,7,1.5\nb,b@b.org,8,2.5\n")
        #expect(proposal["email"]?.rules?.isUnique == true)
        #expect(proposal["user_id"]?.rules?.isUnique == true)
        #expect(proposal["id"]?.rules?.isUnique == false)
        #expect(try await inferring("user,user_id\na,7\nb,7\n")["user_id"]?.rules?.isUnique == false)
    }

    @Test func `N4: a password is required if each row has one, and one in a hundred hashes may be invalid`()
        async throws
    {
        #expect(try await inferring("user,password\na,Sesame7!\nb,Open8\n")["password"]?.rules?.isRequired == true)
        #expect(try await inferring("user,password\na,Sesame7!\nb,\n")["password"]?.rules?.isRequired == false)
        let hash = "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        for (rows, label) in [(100, "hash"), (99, "left out")] {
            let text = "user,password_hash\n" + (0..<rows).map { "u\($0),\" \($0 == 7 ? "unset" : hash) \"\n" }.joined()
            let proposal = try await inferring(text)
            #expect(proposal["password_hash"]?.label == label)
            #expect(proposal.refused.map(\.rows.lines) == (label == "hash" ? [[9]] : []))
        }
        // A file with only a header gives no evidence except its names.
        let empty = try await inferring("user,password_hash,password\n")
        #expect(empty["password_hash"]?.label == "hash" && empty["password"]?.doubts == [.leftOut(.otherSecret)])
    }

    // MARK: Names

    @Test func `reserved, long or similar names are changed so that a schema accepts them`() async throws {
        let kept = try await inferring("code,User Name\n1,a\n2,a\n")["User Name"]
        #expect(kept?.rules?.name.text == "source_user_name" && kept?.doubts == [.renamed(.reserved)])
        let alike = try await inferring("user,a_b,ab,A-B\nx,1,2,3\n")
        #expect(alike.columns.map { $0.rules?.name.text } == ["user", "a_b", "ab_2", "a_b_3"])
        let long = String(repeating: "a", count: 80)
        let names = try await inferring("user,\(long)1,\(long)2\nx,1,2\n").columns.map { $0.rules?.name.text }
        #expect(names == ["user", String(long.prefix(58)), long.prefix(58) + "_2"])
        let unnamed = try await inferring("user,\(String(repeating: "b", count: 1_001))\nx,1\n").columns
        #expect(unnamed.last?.doubts == [.leftOut(.noName)])
    }

    @Test func `chosen columns are matched as in an import, and a repeated column is an error`() async throws {
        let chosen = try await inferring("user,Shoe Size,n,\na,42,1,\n") { $0.columns = ["user", "shoe_size"] }
        #expect(chosen.columns.map(\.header) == ["user", "Shoe Size"])
        #expect(chosen.ignoredColumns == ["n", ""])
        await #expect(throws: InferenceError.repeatedHeader("a")) {
            try await inferring(#"{"user":"x","a":1," a":2}"#)
        }
        // The columns that a file of rejected rows adds are not columns of the proposal.
        let rejects = try await inferring("user,_line,_issues\na,7,x\n")
        #expect(rejects.columns.map(\.header) == ["user"] && rejects.ignoredColumns == [])
    }
}
