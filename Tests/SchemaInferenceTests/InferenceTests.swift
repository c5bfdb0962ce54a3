import Platform
import ProfileCore
import ProfileStore
import ProfileTesting
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

@Suite(.watched) struct InferenceTests {
    // MARK: Types

    @Test(arguments: [
        (["1", "-20", "0", "999999999999999"], "integer"),
        (["1.5", "-0.25", "7", "1.0E5"], "number"),
        (["1.234,5", "12,75", "3"], "number ,."),
        (["12,75", "0,5", "3"], "number ,"),
        (["1,234.50", "12,345,678", "3"], "number .,"),
        (["2024-01-31", "1999-12-01"], "date"),
        (["31.01.2024", "1.2.2024"], "date %d.%m.%Y"),
        (["13:05", "00:59"], "time %H:%M"),
        (["2024-01-31T10:00:00Z", "2024-01-31T10:00:00.5+02:00"], "datetime"),
        (["ada@example.org", "bo.b@mail.example.com"], "email"),
        (["https://example.org/a?b", "http://localhost:80"], "uri url"),
        (["6f1a1d2e-7c1b-4c5e-9d3f-0123456789ab"], "uuid"),
        (["true", "FALSE", "True"], "boolean"),
        (["Ja", "nein", "ja"], "boolean"),
    ])
    func `N2: a column has a type if every value has this type in the same notation`(
        cells: [String], label: String
    ) async throws {
        let label = label == "date" ? "date yyyy-MM-dd" : label
        #expect(try await column(of: cells).label == label)
        // One value that does not fit makes the column text.
        #expect(try await column(of: cells + ["none of it"]).label.hasPrefix("string"))
    }

    @Test(arguments: [
        ["007", "008"], ["+1", "+2"], ["1", "1234567890123456"], ["-0", "1"], ["1E5", "2E7"], ["0x1F"],
    ])
    func `N2: leading zeros, a plus sign or more than 15 digits make text of numbers`(cells: [String]) async throws {
        #expect(try await column(of: cells).label == "string")
    }

    @Test func `N2: a date whose day and month are ambiguous is text, and a doubt says so`() async throws {
        let told = try await column(of: ["03/04/2020", "25/04/2020", "01/02/2021"])
        #expect(told.label == "date dd/MM/yyyy")
        let untold = try await column(of: ["03/04/2020", "12/11/2020", "01/02/2021"])
        #expect(untold.rules?.type == .string)
        #expect(untold.doubts.contains(.dayOrMonth))
    }

    @Test func `a sign that may be a decimal or a thousands sign makes text, and a doubt says so`() async throws {
        let untold = try await column(of: ["1,234", "5,678"])
        #expect(untold.rules?.type == .string)
        #expect(untold.doubts.contains(.fractionOrThousands))
    }

    @Test func `a column that proves the decimal sign decides for the others`() async throws {
        func formats(_ proven: String) async throws -> [NumberFormat?] {
            let proposal = try await inferring("id;a;b;c\nx;5,239;5.239;\(proven)\ny;1,234;6.186;\(proven)\n")
            return ["a", "b", "c"].map { proposal[$0]?.rules.flatMap { $0.type == .number ? $0.numberFormat : nil } }
        }
        func shape(_ format: NumberFormat?) -> String {
            format.map { "\($0.decimalCharacter)\($0.groupCharacter.map(String.init) ?? "")" } ?? "text"
        }
        #expect(try await formats("12,5").map(shape) == [",", ",.", ","])
        #expect(try await formats("12.5").map(shape) == [".,", ".", "."])
        // Nothing proves a sign, or two columns prove different ones.
        #expect(try await formats("12").map(shape) == ["text", ".", "text"])
    }

    @Test func `a sign before three digits is read as another column proves, and otherwise makes text`() async throws {
        // In the first column, only some thousands are separated.
        func first(beside proven: String) async throws -> FieldRules? {
            try await inferring("id;a;b\nx;5,239;\(proven)\ny;253251;\(proven)\nz;17;\(proven)\n")["a"]?.rules
        }
        let grouped = try #require(try await first(beside: "1,299,059"))
        #expect(grouped.type == .number && grouped.numberFormat.groupCharacter == ",")
        let decimal = try #require(try await first(beside: "1.299,5"))
        #expect(decimal.type == .number && decimal.numberFormat.decimalCharacter == ",")
        #expect(try await first(beside: "12")?.type == .string)
    }

    @Test func `a value that keeps a column from being a number is reported with its line`() async throws {
        let cells = (0..<100).map { $0 == 41 ? "n.v." : String($0) }
        let near = try await column(of: cells)
        #expect(near.rules?.type == .string)
        guard case .nearly(.integer, let lines)? = near.doubts.first else {
            Issue.record("\(near.doubts)")
            return
        }
        #expect(lines.lines == [43])
    }

    // MARK: Rules

    @Test func `few values that repeat are an enumeration, and many are not`() async throws {
        let few = try await column(of: (0..<60).map { ["red", "green", "blue"][$0 % 3] })
        #expect(few.rules?.allowedValues == ["blue", "green", "red"])
        #expect(try await column(of: (0..<60).map { "colour \($0 % 30)" }).rules?.allowedValues == [])
        // Names of people are never an enumeration, however few there are.
        let names = try await column(of: (0..<60).map { ["Ann", "Bo"][$0 % 2] }, named: "First name")
        #expect(names.rules?.allowedValues == [])
    }

    @Test func `one shape of digits and literals is a mask`() async throws {
        let cells = (0..<9).map { "A-\($0)1/2\($0)" }
        #expect(try await column(of: cells).rules?.mask?.pattern == "A-##/##")
        #expect(try await column(of: cells + ["B-11/22"]).rules?.mask == nil)
    }

    @Test func `a value that is always the same gives no mask`() async throws {
        let constant = try await column(of: (0..<9).map { _ in "A-12" })
        #expect(constant.rules?.mask == nil)
        #expect(constant.rules?.minimumLength == nil)
    }

    @Test func `maximum lengths leave room, except for codes of equal length`() async throws {
        let words = try await column(of: ["one", "three", "seventeen", "four", "eleven!"])
        #expect(words.rules?.minimumLength == nil)
        #expect(words.rules?.maximumLength == 10)
        let codes = try await column(of: ["ABX", "CDY", "EFZ", "GHA", "IJB"])
        #expect(codes.rules?.minimumLength == 3)
        #expect(codes.rules?.maximumLength == 3)
        #expect(codes.rules?.characters == [.asciiLetters])
    }

    @Test func `a column without an empty cell is required`() async throws {
        #expect(try await column(of: ["a", "b"]).rules?.isRequired == true)
        #expect(try await column(of: ["a", " "]).rules?.isRequired == false)
    }

    // MARK: Missing values

    @Test func `texts for missing values are recognised if they differ from the other values`() async throws {
        let numbers = try await column(of: ["1", "NA", "3", "n/a", "-"])
        #expect(numbers.label == "integer")
        #expect(numbers.rules?.missingValues == ["NA", "n/a", "-"])
        #expect(numbers.values == 2)
        #expect(numbers.missing == 3)
        let words = try await column(of: ["north", "-", "south"])
        #expect(words.rules?.missingValues == ["-"])
    }

    @Test func `texts that may be values are kept as values, and a doubt says so`() async throws {
        let codes = try await column(of: ["DE", "NA", "FR", "IT", "BE"])
        #expect(codes.rules?.missingValues == [])
        #expect(codes.rules?.isRequired == true)
        #expect(codes.doubts == [.mayBeMissing("NA", count: 1)])
        let names = try await column(of: ["Smith", "Null", "Jones"])
        #expect(names.rules?.missingValues == [])
    }

    // MARK: Keys

    @Test func `N3: the key is found by name first`() async throws {
        let proposal = try await inferring("code,email,id,user\n1,a@b.org,7,ann\n2,b@b.org,8,bob\n")
        #expect(proposal.key == .column("user"))
        #expect(proposal.schema?.primaryKey.name.text == "user")
    }

    @Test func `N3: in a key that is found by name, one row in a hundred may repeat a value`() async throws {
        func file(repeats: Int) -> String {
            "login,n\n"
                + (0..<200).map { "\($0 < repeats ? "SAME\($0 % 1)" : $0 == 199 ? "same0" : "u\($0)"),\($0)\n" }
                .joined()
        }
        let one = try await inferring(file(repeats: 2))
        #expect(one.key == .column("login"))
        #expect(one.refused.map(\.reason) == [.repeatedKey])
        #expect(one.refused.first?.rows.lines == [3, 201])
        // With more repeated rows, the key is the first unique column.
        #expect(try await inferring(file(repeats: 3)).key == .column("n"))
    }

    @Test func `N3: without a name of a key, the first column that is unique and never empty is the key`()
        async throws
    {
        let proposal = try await inferring("a,b,c,d\n1,x,p,s\n1,,q,t\n2,y,r,u\n")
        #expect(proposal.key == .column("c"))
        #expect(proposal["c"]?.doubts == [.keyByValues])
    }

    @Test func `N3: rows are numbered only when that is asked for`() async throws {
        let text = "a,b\n1,x\n1,x\n2,x\n"
        let none = try await inferring(text)
        #expect(none.key == nil && none.schema == nil)
        let numbered = try await inferring(text) { $0.key = .rowNumber }
        #expect(numbered.key == .rowNumber)
        #expect(try await numbered.validating(Array(text.utf8)).outcomes == [3, 0, 0, 0])
    }

    @Test func `N3: a key may be a word for missing values in other columns, and is never a sign`() async throws {
        let text = "user\nann\nnone\nbob\n" + (0..<200).map { "u\($0)\n" }.joined() + "-\nNONE\n"
        let proposal = try await inferring(text)
        #expect(proposal.key == .column("user"))
        #expect(proposal.refused.map(\.reason) == [.noKey, .repeatedKey])
        #expect(proposal.refused.map(\.rows.lines) == [[205], [206]])
        #expect(try await proposal.validating(Array(text.utf8)).rejected == 2)
    }

    // MARK: Secrets

    private static let hash =
        "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

    @Test(arguments: ["NULL", "NA", "-", " "], ["password_hash", "password", "credential"])
    func `N4: a column of hashes may have rows without a password`(token: String, header: String) async throws {
        let text =
            "user,\(header)\n" + (0..<10).map { "u\($0),\"\($0 % 3 == 0 ? token : Self.hash)\"\n" }.joined()
        let proposal = try await inferring(text)
        let column = try #require(proposal[header])
        #expect(column.holdsHashes && column.values == 6 && column.missing == 4 && column.rules?.isRequired == false)
        #expect(column.doubts == (token == " " ? [] : [.takenAsMissing([token], count: 4)]))
        #expect(proposal.refused.isEmpty)
        let report = try await proposal.validating(Array(text.utf8))
        #expect(report.lines == [])
        // The schema that is parsed again treats the token as a missing value, too.
        let again = try ProfileSchema(parsing: #require(proposal.schema).document())
        #expect(again == proposal.schema)
    }

    @Test func `N3: a column of hashes is no key, whatever its name`() async throws {
        let endings = ["A0", "B4", "Cw", "Pc"]
        let text = "id,note\n" + endings.map { "\"\(Self.hash.dropLast(2))\($0)\",\($0)\n" }.joined()
        let proposal = try await inferring(text)
        #expect(proposal["id"]?.holdsHashes == true)
        #expect(proposal.key == .column("note"))
        #expect(proposal.schema != nil)
    }

    @Test func `N4: one hash hides its column, and nothing of it is stored or shown`() async throws {
        let words = (0..<40).map { $0 == 17 ? Self.hash : ["red", "green"][$0 % 2] }
        let column = try await column(of: words)
        #expect(column.label == "left out" && column.examples == [] && column.doubts == [.leftOut(.someHashes)])
        // A column of passwords with one hash is left out as well, so the hash is not hashed as a password.
        let passwords = try await SchemaInferenceTests.column(of: words, named: "password")
        #expect(passwords.doubts == [.leftOut(.someHashes)])
    }

    @Test(arguments: [
        ("address", "street-address"), ("address_2", "address-line2"), ("Address Line 2", "address-line2"),
        ("phone_2", "tel"), ("Phone number", "tel"),
    ])
    func `a number after a name means a further value, or the second line of an address`(
        name: String, meaning: String
    ) async throws {
        let found = try await column(of: ["7876-1241", "12-44"], named: name)
        #expect(found.rules?.contentType == meaning)
    }

    @Test func `N4: a header for hashes is recognised with any capital letters`() async throws {
        let proposal = try await inferring("user,pasSword_hash\nann,\(Self.hash)\nbob,\n")
        #expect(proposal.columns.map(\.label) == ["key string username", "hash"])
        let others = try await inferring("user,pasSword_hash\nann,x\nbob,y\n")
        #expect(others.columns.map(\.doubts).last == [.leftOut(.unsupportedHashes)])
    }

    @Test(arguments: [["tRUE"], ["fALSE"], ["tRUE", "TRUE"], ["tRUE", "False"]])
    func `N2: the words true and false are booleans in any case, even if the other word never occurs`(words: [String])
        async throws
    {
        let column = try await column(of: words + words)
        #expect(column.label == "boolean")
    }

    @Test func `N3: the number of the row needs a field of its own`() async throws {
        let text =
            (0..<100).map { "c\($0)" }.joined(separator: ",") + "\n" + String(repeating: "1,", count: 99) + "1\n"
            + String(repeating: "1,", count: 99) + "1\n"
        for isNumbered in [false, true] {
            await #expect(throws: InferenceError.tooManyColumns(100, most: 99)) {
                try await inferring(text) { if isNumbered { $0.key = .rowNumber } }
            }
        }
    }

    @Test func `N1: a row is refused only once, and a refused row does not use up its key`() async throws {
        let text =
            "user,password_hash\n"
            + (0..<300).map { "u\($0),\"\(Self.hash)\"\n" }.joined()
            // The first two rows are not stored, so the third is no repetition. The fourth is refused for one reason
            // only.
            + "new,unset\nNEW,\"a\u{1}\"\nnew,\"\(Self.hash)\"\n,unset\n"
        let proposal = try await inferring(text)
        #expect(proposal.refused.map(\.reason) == [.unsupportedHash])
        #expect(proposal.refused.map(\.rows.lines) == [[302, 303, 305]])
        #expect(try await proposal.validating(Array(text.utf8)).rejected == 3)
    }

    @Test(arguments: ["password_hash", "password", "credential"])
    func `N1: the white space around a hash does not count, even if no text may hold it`(header: String) async throws {
        let cells = ["\u{B}", "\u{C}NULL\u{B}", "\u{B}\(Self.hash)\u{C}"] + Array(repeating: Self.hash, count: 10)
        let text = "user,\(header)\n" + cells.enumerated().map { "u\($0),\"\($1)\"\n" }.joined()
        let proposal = try await inferring(text)
        #expect(proposal[header]?.label == "hash")
        #expect(proposal.refused == [])
        #expect(try await proposal.validating(Array(text.utf8)).lines == [])
    }

    @Test func `N1: values in a column that is not a field refuse no row`() async throws {
        let text =
            "user,password_hash,password,other_password,mixed\n"
            + "ann,\"\(Self.hash)\",\u{1},\u{2},\"\(Self.hash)\"\nbob,\"\(Self.hash)\",a,b,\u{3}\n"
        let proposal = try await inferring(text)
        #expect(proposal.refused == [])
        #expect(try await proposal.validating(Array(text.utf8)).lines == [])
        let objects = #"{"user": "ann", "x": "a\u0000b"}"# + "\n" + #"{"user": "bob", "x": [[]]}"# + "\n"
        #expect(try await inferring(objects).refused == [])
    }

    @Test func `N3: the row number is the key on request, even if a column is unique`() async throws {
        let text = "colour,size\nred,1\ngreen,2\n"
        #expect(try await inferring(text).key == .column("colour"))
        let proposal = try await inferring(text) { $0.key = .rowNumber }
        #expect(proposal.key == .rowNumber)
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
        #expect(try await inferring("id,size\n1,2\n") { $0.key = .rowNumber }.key == .rowNumber, "whatever its name")
    }

    @Test func `N11: the key is the column that a person chooses, and rows that repeat its values are refused`()
        async throws
    {
        let text = "id,Shop No,size\n1,a,1\n2,b,1\n3,A,2\n"
        #expect(try await inferring(text).key == .column("id"))
        let proposal = try await inferring(text) { $0.key = .columns(["shop no"]) }
        #expect(proposal.key == .column("Shop No"))
        #expect(proposal.refused.map(\.reason) == [.repeatedKey] && proposal.refusedRows == 1)
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [2, 0, 0, 1])
        for name in ["sizes", "password"] {
            await #expect(throws: InferenceError.unknownKey(name)) {
                try await inferring(text.replacing("size", with: "password")) { $0.key = .columns([name]) }
            }
        }
    }

    @Test func `N4: passwords and hashes are proposed as such, and none of their values is shown`() async throws {
        let hash = "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
        for (header, value, label) in [
            ("password", "Sesame7!", "password"), ("User Pwd", "Sesame7!", "password"),
            ("password_hash", hash, "hash"), ("password", hash, "hash"), ("credential", hash, "hash"),
            ("md5_password_hash", "5f4dcc3b5aa765d61d8327deb882cf99", "left out"),
            ("password_hint", "Sesame7!", "string"), ("user_pass", "Sesame7!", "password"),
            ("password1", "Sesame7!", "password"), ("access_token", "Sesame7!", "string"),
            ("secret_answer", "Sesame7!", "string"), ("PIN", "Sesame7!", "string"), ("PASSWORDHASH", hash, "hash"),
        ] {
            let text = "user,\(header)\nann,\"\(value)\"\nbob,\"\(value)\"\n"
            let proposal = try await inferring(text)
            #expect(proposal[header]?.label == label, "\(header)")
            #expect(proposal[header]?.examples == [], "\(header)")
            #expect(!"\(proposal)".contains(value), "\(header)")
            let report = try await proposal.validating(Array(text.utf8))
            #expect(report.outcomes == [2, 0, 0, 0], "\(header): \(report.lines)")
        }
    }

    // MARK: Names

    @Test func `N13: names that differ by an underscore alone are changed, the header is kept, and id is a name`()
        async throws
    {
        let text = "user,id,status,Post-Code,postcode,Ünïcode Größe,名前,2024\na,1,x,1,2,z,b,c\nb,2,y,3,4,z,b,d\n"
        let proposal = try await inferring(text)
        let fields = proposal.columns.map { $0.rules?.name.text ?? "" }
        #expect(
            fields == [
                "user", "id", "status", "post_code_2", "postcode", "unicode_grosse", "column_7",
                "column_2024",
            ])
        #expect(proposal["status"]?.rules?.columns == [] && proposal["status"]?.doubts == [])
        #expect(proposal["Post-Code"]?.rules?.columns == ["Post-Code"])
        // A header that is already a valid field name keeps its name.
        #expect(proposal["Post-Code"]?.doubts == [.renamed(.indistinct)])
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
    }

    @Test func `a file with more than a hundred columns is an error until columns are chosen`() async throws {
        let header = (0..<101).map { "c\($0)" }.joined(separator: ",")
        let row = (0..<101).map(String.init).joined(separator: ",")
        let text = "\(header)\n\(row)\n"
        await #expect(throws: InferenceError.tooManyColumns(101, most: 100)) { try await inferring(text) }
        let proposal = try await inferring(text) { $0.columns = ["c7", "c100"] }
        #expect(proposal.columns.map(\.header) == ["c7", "c100"])
        #expect(try await proposal.validating(Array(text.utf8)).imported == 1)
        await #expect(throws: InferenceError.unknownColumn("d")) { try await inferring(text) { $0.columns = ["d"] } }
    }

    @Test func `columns without a name are left out and reported`() async throws {
        let text = ",user,_\n0,ann,\n1,bob,\n"
        let proposal = try await inferring(text)
        #expect(proposal.columns.map(\.label) == ["left out", "key string username", "left out"])
        #expect(try await proposal.validating(Array(text.utf8)).imported == 2)
    }

    private static let statement =
        "Tag;Valuta;Zweck;Betrag;Saldo\n1.1.2026;1.1.2026;Miete;-850,00;5,00\n2.1.2026;2.1.2026;Gas;-8,00;4,00\n"
        + "3.1.2026;3.1.2026;Lohn;2.000,00;2.004,00\n"

    @Test(
        "I2: a header below other lines is found by its shape, and the lines above it are skipped",
        arguments: [
            ("Members of 2024\n\nuser,born,note\nann,1990,x\nbob,1991,y\n", 3),
            ("Members,2024\nby,me\nuser,born,note,b\nann,1990,x,\nbob,1991,y,\n", 3),
            ("Who,,When,\nuser,name,born,note\nann,Ann,1990,x\nbob,Bob,1991,y\n", 2),
            ("Members of 2024\nuser;born;note\nann;1990;x\nbob;1991;y\n", 2),
            ("Members\nof 2024\n\nuser;born;note\nann;1990;x\nbob;1991;y\n", 4),
            ("Members, 2024\nuser;born;note\nann;1990;x\nbob;1991;y\n", 2),
            ("Members;;\nof 2024;;\n;;\nuser;born;note\nann;1990;x\nbob;1991;y\n", 4),
            ("Konto;DE12;Inhaber;;\n" + Self.statement, 2),
            ("Zeitraum;01.01.2026;31.01.2026;;\n" + Self.statement, 2),
            ("Auszug;;;;\nKonto;12345;EUR;;\n;;;;\n" + Self.statement, 4),
            ("Auszug;;;;\nZeitraum;von;Januar;;\n" + Self.statement, 3),
            ("instrument 7\nID;Date;Conc\nS1;2026-01-03;1.2\nS2;2026-01-04;1.3\nS3;2026-01-05;1.4\nEnd of report\n", 2),
            ("Account 12\nSince: 2026\n\nday;who;sum\n2.1.;ann;-9,00\n3.1.;bob;4,50\n4.1.;cy;1,00\n", 4),
        ] as [(String, Int)])
    func preamble(text: String, line: Int) async throws {
        let proposal = try await inferring(again: text) { $0.key = .rowNumber }
        #expect(proposal.warnings.first == .linesAboveHeader(line: line))
        let settings = try #require(proposal.schema).importSettings
        #expect(settings.layout.headerLine == line)
        #expect(proposal.columns.count > 2 && proposal.columns[0].header != "Members")
        #expect(try await proposal.validating(Array(text.utf8)).rejected == proposal.refusedRows)
        await #expect(throws: InferenceError.headerFurtherDown(line: line)) { try await inferring(text) }
    }

    @Test(
        "I2: a header without some names, or with fewer cells than the rows, is still the header",
        arguments: [
            "name,city,\nann,rome,x\nbob,oslo,y\ncy,bern,z\n", "user,age,\nann,7,x\nn/a,n/a,n/a\nbob,8,1\ncy,9,2\n",
            ",user,\n0,ann,\n1,bob,\n", "user,name\nann,Ann,x\nbob,Bob,x\n", "user,,\nann,7,1\nbob,8,2\n",
            "note\nfoo; bar; baz\nfoo\na;b;c\n", "user\nann,x\nbob\ncy\n",
        ])
    func noPreamble(text: String) async throws {
        _ = try await inferring(text)
    }

    @Test func `I1: another delimiter in a single column is an error, unless the delimiter was given`() async throws {
        let text = "user:name:city\nann:Ann:Oslo\nbob:Bob:Rome\ncy:Cy:Bonn\n"
        await #expect(throws: InferenceError.input(.otherDelimiter(UInt8(ascii: ":")))) { try await inferring(text) }
        let said = try await inferring(text) { $0.format = .csv(delimiter: UInt8(ascii: ",")) }
        #expect(said.columns.count == 1)
        #expect(try await inferring("from:to\n1:2\n3:4\n5:6\n").columns.count == 1)
    }

    @Test func `I1: a first row that looks like the others causes a warning, and names of years do not`() async throws {
        let rows = (0..<9).map { "\($0),Ann,2024-01-0\($0 + 1),\($0).5\n" }.joined()
        #expect(try await inferring(rows) { $0.key = .rowNumber }.warnings == [.headerLikeRows])
        let years = "2001,2002,2003\n" + (0..<9).map { "\($0),7,1\n" }.joined()
        #expect(try await inferring(years).warnings == [])
        #expect(try await inferring("id,name,day,score\n" + rows).warnings == [])
    }

    @Test func `I1: a proposal has warnings about unusual parts of the file`() async throws {
        let rows = (0..<9).map { "m\($0),\($0),'x'\n" }.joined()
        let proposal = try await inferring("user,n,note\n(key),(count),(text)\n" + rows + "\nm9,9,'y \"z\" '\n")
        #expect(
            proposal.warnings == [
                .strayQuotes(rows: 1, line: 13), .blankLines(count: 1, line: 12), .unlikeFirstRows(rows: 1, line: 2),
            ])
    }

    @Test func `a sample has the first rows, and the proposal says whether there are more`() async throws {
        let text = "user,n\na,1\nb,2\nc,x\n"
        let proposal = try await inferring(text) { $0.sample = 2 }
        #expect(proposal.rows == 2 && proposal.isSample)
        #expect(proposal["n"]?.label == "integer")
        #expect(try await inferring(text) { $0.sample = 3 }.isSample == false)
        // A batch has 5,000 rows.
        let long = "user\n" + (0..<5_001).map { "u\($0)\n" }.joined()
        #expect(try await inferring(long) { $0.sample = 5_000 }.isSample)
        #expect(try await inferring(long) { $0.sample = 5_001 }.isSample == false)
    }

    @Test func `values that no field may hold are counted with their lines`() async throws {
        let text = "user,note\na,x\nb,\u{1B}[2J\nc,\u{85}\nd,y\n"
        let proposal = try await inferring(text)
        #expect(proposal.refused.map(\.reason) == [.controlCharacter])
        #expect(proposal.refused.first?.rows.lines == [3, 4])
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [2, 0, 0, 2])
    }

    @Test func `the members of JSON objects are columns`() async throws {
        let text = """
            {"user":"ann","age":7}
            {"user":"bob","active":true,"age":null}
            [1]
            {"user":"cy","age":9,"active":false}

            """
        let proposal = try await inferring(text)
        #expect(proposal.labels == ["user": "key string username", "age": "integer", "active": "boolean"])
        #expect(proposal["active"]?.missing == 1)
        #expect(proposal.refused.map(\.reason) == [.notAnObject])
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [3, 0, 0, 1])
    }

    @Test func `input from a pipe can be read for an inference and then imported`() async throws {
        let text = "user,n\nann,1\nbob,2\n"
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        // It fits into the pipe's buffer.
        try #require(write(ends[1], text, text.utf8.count) == text.utf8.count)
        close(ends[1])
        let input = try ImportInput(descriptor: ends[0], name: "-", byteCount: nil).readableAgain(keptIn: "/tmp")
        let proposal = try await SchemaInferrer().run(input)
        let report = try await ProfileImporter(schema: try #require(proposal.schema), today: .latest).run(input)
        #expect(report.outcomes == [2, 0, 0, 0])
    }

    @Test func `an empty file is an error, and a file with only a header is inferred from its names`() async throws {
        await #expect(throws: InferenceError.input(.noHeader)) { try await inferring("") }
        let proposal = try await inferring("user,note\n")
        #expect(proposal.key == .column("user"))
        #expect(proposal.rows == 0)
    }
}
