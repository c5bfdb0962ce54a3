import Testing
import Watchdog

/// Registering, looking up, editing and removing profiles.
@Suite(.watched) struct ProfileCommandTests {
    private static let skboard = """
        Username     skboard
        Phone        7876-1241
        Address      12 Main St
        Postal code  –
        Birthday     1998-01-15

        Password     set
        Id           1
        Revision     1
        Created      TIME
        Updated      TIME
        Status       valid by schema version 1

        """

    @Test func `register shows the profile in its stored form, and lookup finds it in either form`() throws {
        let workplace = try Workplace()
        let registered = try workplace.profiles(
            "register", "--username", "skboard", "--phone", "78761241", "--address", " 12 Main St ",
            "--birthday", "1998.01.15", "--password-stdin", input: "aK8oio\n")
        #expect(registered.error == "")
        #expect(registered.output.reproducible(workplace) == Self.skboard)
        #expect(registered.status == 0)
        for arguments in [
            ["SKBOARD"], ["--phone", "78761241"], ["--phone", "7876-1241"], ["--prefix", "skb"],
            ["--where", "birthday=19980115", "--where", "username=skboard"],
        ] {
            let found = try workplace.run([try Workplace.binary(), "lookup"] + arguments, input: "", environment: [:])
            #expect(found.output.reproducible(workplace) == Self.skboard, "\(arguments): \(found.error)")
            #expect(found.status == 0)
        }
    }

    @Test func `JSON escapes control characters and writing directions, and keeps the values`() throws {
        let workplace = try Workplace()
        let marks = "\u{61C}\u{200E}\u{200F}\u{2028}\u{2029}\u{202A}\u{202E}\u{2066}\u{2069}"
        let value = "a\(marks)b"
        try workplace.write(
            #"{"fields":[{"name":"username","constraints":{"required":true,"unique":true}},{"name":"note"}]}"#,
            to: "rules.json")
        try workplace.write("username,note\nann,\(value)\nbob,\u{85}\u{9B}31m\n", to: "people.csv")
        #expect(try workplace.profiles("init", "--schema", "rules.json").status == 0)
        let report = try workplace.profiles("import", "people.csv", "--format", "json")
        #expect(report.status == 1 && report.output.contains(#"\u0085\u009b31m"#), "\(report.output)")
        let answers = [
            report.output, try workplace.profiles("lookup", "ann", "--format", "json").output,
            try workplace.profiles("export", "--as", "ndjson").output,
            try workplace.profiles("list", "--where", "note=\(value)", "--format", "json").output,
        ]
        for answer in answers {
            #expect(
                !answer.unicodeScalars.contains {
                    $0 != "\n"
                        && ($0.properties.isBidiControl || (0..<0x20).contains($0.value)
                            || (0x7F...0x9F).contains($0.value) || $0 == "\u{2028}" || $0 == "\u{2029}")
                }, "\(answer)")
        }
        for answer in answers.dropFirst() {
            #expect(answer.contains(#""a\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069b""#), "\(answer)")
        }
    }

    @Test func `lookup answers in JSON, with the cursor of the next page`() throws {
        let workplace = try Workplace()
        for name in ["anna", "bert", "carl"] { try workplace.register(name) }
        let outcome = try workplace.profiles("lookup", "--phone", "78761241", "--limit", "2", "--format", "json")
        #expect(
            outcome.output.reproducible(workplace) == """
                {
                  "profiles": [
                    {
                      "id": 1,
                      "revision": 1,
                      "created_at": "TIME",
                      "updated_at": "TIME",
                      "schema_version": 1,
                      "status": "valid",
                      "values": {
                        "username": "anna",
                        "phone": "7876-1241",
                        "address": "12 Main St",
                        "postal_code": null,
                        "birthday": null
                      }
                    },
                    {
                      "id": 2,
                      "revision": 1,
                      "created_at": "TIME",
                      "updated_at": "TIME",
                      "schema_version": 1,
                      "status": "valid",
                      "values": {
                        "username": "bert",
                        "phone": "7876-1241",
                        "address": "12 Main St",
                        "postal_code": null,
                        "birthday": null
                      }
                    }
                  ],
                  "next": "2"
                }

                """)
        let list = try workplace.profiles("list", "--limit", "2", "--after", "1")
        #expect(
            list.output == """
                Username  Phone      Address     Postal code  Birthday  Revision
                bert      7876-1241  12 Main St  –            –         1
                carl      7876-1241  12 Main St  –            –         1

                """)
        #expect(list.error == "")
        #expect(try workplace.profiles("list", "--limit", "1").error == "More: --after 1\n")
        #expect(try workplace.profiles("list", "--limit", "1", "--quiet").error == "")
    }

    @Test(
        "A page or a look-up without results says what was not found",
        arguments: [
            ("list --after 2", 0, "There are no further profiles.\n"),
            ("list --invalid", 0, "There are no profiles marked invalid.\n"),
            ("list --invalid --after 1", 0, "There are no further profiles marked invalid.\n"),
            ("lookup --invalid", 1, "Error: No profile is marked invalid\n"),
            ("lookup --address x --after 1", 1, "Error: No further profile matches\n"),
            ("lookup --phone 99999999", 1, "Error: No profile matches\n"),
            ("lookup carl", 1, "Error: There is no profile \"carl\"\n"),
            (
                "lookup --phone 123 --address x", 1,
                "Error: No profile matches\n  No valid profile has this value: Phone should have at least 8 digits\n"
            ),
            (
                "lookup --birthday 1998-02-30", 1,
                "Error: No profile matches\n  No valid profile has this value: Birthday is no day of the calendar\n"
            ),
            ("lookup --prefix --phone 123", 1, "Error: No profile matches\n"),
            (
                "list --after 1.phone.ascending", 64,
                "Error: --after continues in the order of the previous page: give the same --sort\n"
            ),
            (
                "lookup a.b", 1,
                """
                Error: There is no profile "a.b"
                  No valid profile has this value: Username may hold letters A–Z, a–z and digits 0–9 only

                """
            ),
        ])
    func nothingFound(line: String, status: Int32, error: String) throws {
        let workplace = try Workplace()
        for name in ["anna", "bert"] { try workplace.register(name) }
        let outcome = try workplace.run(
            [try Workplace.binary()] + line.split(separator: " ").map(String.init), input: "", environment: [:])
        #expect(outcome == Workplace.Outcome(status: status, output: "", error: error))
    }

    @Test func `S3: all issues of a profile are reported at once, and nothing is stored`() throws {
        let workplace = try Workplace()
        let arguments = ["register", "--username", "sk board", "--phone", "1", "--set", "email=x"]
        let text = try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
        #expect(
            text.error.reproducible(workplace) == """
                Error: The profile is not valid. Nothing was stored in FOLDER/store.sqlite
                  Username may hold letters A–Z, a–z and digits 0–9 only
                  Password is required
                  Phone should have at least 8 digits
                  Address is required
                  There is no field "email"
                  The fields are: username, password, phone, address, postal_code, birthday
                  Give the password with --password-stdin or --password-file, or its hash with --set password_hash=PHC

                """)
        #expect(text.output == "")
        #expect(text.status == 1)
        let json = try workplace.run(
            [try Workplace.binary()] + arguments + ["--format", "json"], input: "", environment: [:])
        #expect(
            json.output.hasPrefix(
                "{\n  \"issues\": [\n    {\n      \"field\": \"username\",\n      \"code\": \"bad_character\","))
        #expect(json.error == "")
        #expect(json.status == 1)
        #expect(try workplace.profiles("list").output == "")
    }

    @Test func `a taken username is an issue of its field`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let outcome = try workplace.profiles(
            "register", "--username", "ANNA", "--phone", "78761241", "--address", "x", "--password-stdin",
            "--format", "json", input: "aK8oio")
        #expect(
            outcome.output == """
                {
                  "issues": [
                    {
                      "field": "username",
                      "code": "duplicate",
                      "message": "Username is taken"
                    }
                  ]
                }

                """)
        #expect(outcome.status == 1)
    }

    @Test func `an error in JSON from standard input names standard input`() throws {
        let workplace = try Workplace()
        for (input, text) in [("7", " should hold a JSON object"), ("{", " is not JSON")] {
            let outcome = try workplace.profiles("register", "--json", "-", input: input)
            #expect(outcome.status == 65 && outcome.error.hasPrefix("Error: Standard input\(text)"), "\(outcome)")
        }
    }

    @Test func `register takes JSON, and options replace its members`() throws {
        let workplace = try Workplace()
        try workplace.write(
            #"{"username": "json", "phone": 78761241, "address": "1 A St", "postal_code": null, "password": "aK8oio"}"#,
            to: "profile.json")
        let outcome = try workplace.profiles(
            "register", "--json", "profile.json", "--address", "2 B St", "--format", "json")
        #expect(outcome.output.contains(#""address": "2 B St""#))
        #expect(outcome.output.contains(#""phone": "7876-1241""#))
        #expect(outcome.status == 0)
        #expect(try workplace.profiles("login", "json", "--password-stdin", input: "aK8oio\n").output == "Hello json\n")
        try workplace.write("[1]", to: "array.json")
        #expect(try workplace.profiles("register", "--json", "array.json").status == 65)
        try workplace.write("{", to: "broken.json")
        #expect(try workplace.profiles("register", "--json", "broken.json").status == 65)
        try workplace.write(#"{"username": {}}"#, to: "nested.json")
        #expect(try workplace.profiles("register", "--json", "nested.json").status == 65)
        #expect(try workplace.profiles("register", "--json", "missing.json").status == 66)
    }

    @Test func `S6: register and edit accept JSON numbers and booleans for fields with other notations`() throws {
        let workplace = try Workplace(
            schema: """
                {"primaryKey": "member", "fields": [{"name": "member"},
                  {"name": "fee", "type": "number", "decimalChar": ",", "groupChar": "."},
                  {"name": "active", "type": "boolean", "trueValues": ["J"], "falseValues": ["N"]}]}
                """)
        try workplace.write(#"{"username": "ann", "fee": 1.234, "active": true}"#, to: "ann.json")
        let registered = try workplace.profiles("register", "--json", "ann.json", "--format", "json")
        #expect(registered.output.contains(#""fee": 1.234,"#), "\(registered)")
        #expect(registered.output.contains(#""active": true"#), "\(registered)")
        try workplace.write(#"{"fee": null, "active": false}"#, to: "change.json")
        let edited = try workplace.profiles("edit", "ann", "--json", "change.json", "--format", "json")
        #expect(edited.output.contains(#""fee": null,"#), "\(edited)")
        #expect(edited.output.contains(#""active": false"#), "\(edited)")
        // A user types the value of an option, so it is read in the notation of the field.
        let typed = try workplace.profiles("edit", "ann", "--set", "fee=1.234", "--format", "json")
        #expect(typed.output.contains(#""fee": 1234.0,"#) || typed.output.contains(#""fee": 1234,"#), "\(typed)")
    }

    @Test func `R3: an edit raises the revision, and an edit with a stale revision changes nothing`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let edited = try workplace.profiles("edit", "anna", "--phone", "7876-1242", "--if-revision", "1")
        #expect(edited.output.contains("Phone        7876-1242\n"))
        #expect(edited.output.contains("Revision     2\n"))
        #expect(edited.status == 0)
        let stale = try workplace.profiles("edit", "anna", "--phone", "7876-1243", "--if-revision", "1")
        #expect(
            stale
                == Workplace.Outcome(
                    status: 1, output: "",
                    error: """
                        Error: The profile has changed: its revision is 2, not 1; nothing was written
                          Look it up, and edit it with --if-revision 2

                        """))
        #expect(try workplace.profiles("lookup", "anna").output.contains("Phone        7876-1242\n"))
    }

    @Test func `edit clears a field, renames, and leaves the rest as it was`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        #expect(try workplace.profiles("edit", "anna", "--postal-code", "89761").status == 0)
        let edited = try workplace.profiles("edit", "anna", "--clear", "postal_code", "--username", "anne")
        #expect(
            edited.output.hasPrefix(
                "Username     anne\nPhone        7876-1241\nAddress      12 Main St\nPostal code  –\n"))
        #expect(try workplace.profiles("edit", "anne", "--clear", "email").status == 64)
        #expect(try workplace.profiles("edit", "anne", "--clear", "phone").status == 1)
        #expect(try workplace.profiles("login", "anne", "--password-stdin", input: "aK8oio").status == 0)
        #expect(try workplace.profiles("edit", "anna", "--phone", "78761241").status == 1)
    }

    @Test func `remove needs a confirmation, which is --yes without a terminal`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let refused = try workplace.profiles("remove", "anna")
        #expect(refused.error == "Error: There is no terminal to ask on; give --yes to remove anna's profile\n")
        #expect(refused.status == 64)
        #expect(try workplace.profiles("remove", "anna", "--yes").output == "Removed anna\n")
        let missing = try workplace.profiles("lookup", "anna")
        #expect(missing == Workplace.Outcome(status: 1, output: "", error: "Error: There is no profile \"anna\"\n"))
    }

    private static let schemaOfNotes = """
        {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}}, {"name": "note"}]}
        """

    @Test func `control characters of a value are escaped in the output`() throws {
        let workplace = try Workplace(schema: Self.schemaOfNotes)
        // U+202E reverses the text after it, but the rules do not count it as a control character.
        let outcome = try workplace.profiles("register", "--username", "한글", "--set", "note=a\tb\nc\u{202E}")
        #expect(outcome.output.hasPrefix("Username  한글\nNote      a\\tb\\nc\\u{202e}\n\nId        1\n"), "\(outcome)")
        #expect(try workplace.profiles("register", "--username", "abcd", "--set", "note=d").status == 0)
        #expect(
            try workplace.profiles("list").output == #"""
                Username  Note             Revision
                한글      a\tb\nc\u{202e}  1
                abcd      d                1

                """#)
        #expect(
            try workplace.profiles("lookup", "x\u{1B}[2J").error.hasPrefix(
                "Error: There is no profile \"x\\u{1b}[2J\"\n"))
    }

    @Test(.unsanitized)
    func `a long value is cut in a table and whole in JSON and lookup, with bounded memory`() throws {
        let workplace = try Workplace(schema: Self.schemaOfNotes)
        let note = String(repeating: "long ", count: 200_000)
        try workplace.importRows(
            "username,note\n" + (0..<40).map { "user\($0),\(note)\n" }.joined() + "漢字,短い\n")
        // The limit is 64 MiB, with threads and buffers. The values take 40 MB, so there is no room for two copies of
        // them.
        func listed(_ format: String) throws -> Workplace.Outcome {
            let script = "ulimit -d 65536; exec timeout 60 \"$0\" list --limit 2000 --format \(format)"
            return try workplace.run(
                ["/bin/bash", "-c", script, try Workplace.binary()], input: "", environment: [:])
        }
        let text = try listed("text")
        #expect(text.status == 0, "\(text.error)")
        let lines = text.output.split(separator: "\n")
        try #require(lines.count == 42)
        #expect(lines[1] == "user0     \(note.prefix(63))…  1")
        #expect(lines[41].hasPrefix("漢字      短い "))
        let json = try listed("json")
        #expect(json.status == 0, "\(json.error)")
        #expect(json.output.utf8.count > 40_000_000)
        #expect(try workplace.profiles("lookup", "user7").output.contains(note.dropLast()))
    }

    @Test func `a page of profiles in JSON is one document, whatever its size`() throws {
        let workplace = try Workplace()
        #expect(try workplace.profiles("init", "--quiet").status == 0)
        let none = try workplace.profiles("list", "--format", "json", "--quiet")
        #expect(none.output == "{\n  \"profiles\": [],\n  \"next\": null\n}\n")
        for name in ["anna", "bert", "carl"] { try workplace.register(name) }
        for (limit, next) in [(1, "\"1\""), (2, "\"2\""), (3, "null"), (4, "null")] {
            let page = try workplace.profiles("list", "--format", "json", "--limit", String(limit)).output
            let lines = page.split(separator: "\n")
            #expect(page.hasPrefix("{\n  \"profiles\": [\n    {\n      \"id\": 1,\n"))
            #expect(lines.filter { $0 == "    {" }.count == min(limit, 3))
            #expect(lines.filter { $0 == "    }," }.count == min(limit, 3) - 1)
            #expect(page.hasSuffix("\n    }\n  ],\n  \"next\": \(next)\n}\n"), "\(page)")
        }
    }

    @Test func `a look-up without options has the same result as one with --wait`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let names = [
            "anna", "ANNA", "bert", "", " anna", "a b", "\u{e9}", "x\u{1B}[1m", "help", "anna bert", "12345678901",
        ]
        let databases = [[], ["--database", "store.sqlite"], ["--database", "nowhere.sqlite"], ["--database", ""]]
        for name in names {
            for database in name == "anna" ? databases : [[]] {
                let plain = try workplace.run(
                    [try Workplace.binary(), "lookup", name] + database, input: "", environment: [:])
                let parsed = try workplace.run(
                    [try Workplace.binary(), "lookup", "--wait", "30"] + database + [name], input: "",
                    environment: [:])
                #expect(plain == parsed, "\(name) \(database)")
            }
        }
        // The same holds for a store whose key is another field.
        try workplace.write(
            #"{"primaryKey": "email", "fields": [{"name": "email", "format": "email"}]}"#, to: "members.json")
        try #require(
            workplace.profiles("init", "--database", "members.sqlite", "--schema", "members.json").status == 0)
        try #require(
            workplace.profiles("register", "--database", "members.sqlite", "--set", "email=ann@example.org").status == 0
        )
        for name in ["ann@example.org", "ANN@example.org", "ann", " ann@example.org"] {
            let plain = try workplace.profiles("lookup", name, "--database", "members.sqlite")
            #expect(plain == (try workplace.profiles("lookup", name, "--database", "members.sqlite", "--wait", "30")))
            #expect(plain.status == (name == "ann" ? 1 : 0))
        }
    }
}
