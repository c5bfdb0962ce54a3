import ArgumentParser
import ProfileTesting
import Testing
import Watchdog

@testable import profiles

/// Conditions, orders, columns and formats of `lookup` and `list`.
@Suite(.watched) struct QueryCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "city", "title": "City", "profiles": {"indexed": true}},
                  {"name": "age", "title": "Age", "type": "integer"},
                  {"name": "fee", "title": "Fee", "type": "number", "decimalChar": ","}]}
                """)
        try workplace.importRows(
            """
            username;city;age;fee
            anna;Łódź;34;1,5
            bert;"Bath, Avon";9;
            carl;Leeds;;2
            dora;lodz;120;-3

            """)
    }

    private func run(_ arguments: [String]) throws -> Workplace.Outcome {
        try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
    }

    /// The usernames that a command answers.
    private func names(_ arguments: String...) throws -> String {
        let outcome = try run(arguments + ["--columns", "username", "--format", "csv"])
        return outcome.output.split(separator: "\n").dropFirst().joined(separator: " ")
    }

    @Test func `R8: every condition and order of a query can be asked for`() throws {
        let cases: [([String], String)] = [
            (["--where", "age=34"], "anna"), (["--where", "age!=34"], "bert carl dora"),
            (["--where", "age<34"], "bert"), (["--where", "age<=34"], "anna bert"), (["--where", "age>34"], "dora"),
            (["--where", "age>=9", "--where", "age<100"], "anna bert"), (["--where", "age >= 34"], "anna dora"),
            (["--where", "age="], "carl"), (["--where", "age!="], "anna bert dora"),
            (["--where", "fee=1,50"], "anna"), (["--where", "fee<0"], "dora"),
            (["--contains", "city=LODZ"], "anna dora"), (["--contains", "city=ath"], "bert"),
            (["--any", #"city=Leeds,Bath\, Avon"#], "bert carl"), (["--any", "city=Leeds", "--any", "city=lodz"], ""),
            (["--any", "age=9,34"], "anna bert"), (["--prefix", "--where", "city=L"], "carl"),
            (["--or", "--where", "age=34", "--where", "city=Leeds"], "anna carl"),
            (["--or", "--contains", "city=LODZ", "--where", "age<10"], "anna bert dora"),
            (["--or", "--invalid", "--any", "age=34,120"], "anna dora"), (["--or", "--where", "age=34"], "anna"),
            (["--where", "age==34"], "anna"), (["--where", "Age=34"], "anna"), (["--where", "CITY=Leeds"], "carl"),
            (["--where", "_id=2"], "bert"), (["--where", "id>3"], "dora"), (["--where", "_created_at<2000-01-01"], ""),
            (["--where", "status=valid", "--where", "_revision=1"], "anna bert carl dora"),
            (["--contains", "City=ath"], "bert"), (["--any", "Age=9,34"], "anna bert"),
            (["--sort", "Age"], "bert anna dora carl"), (["--sort", "_id", "--descending"], "dora carl bert anna"),
            (["--sort", "age"], "bert anna dora carl"), (["--sort", "age", "--descending"], "dora anna bert carl"),
            (["--sort", "username", "--descending", "--limit", "2"], "dora carl"),
            (["--sort", "Age:desc"], "dora anna bert carl"),
            (["--sort", "age:asc", "--descending"], "bert anna dora carl"),
            (["--sort", "_status", "--sort", "age:desc"], "dora anna bert carl"),
            (["--sort", "_status:desc", "--sort", "fee", "--descending"], "carl anna dora bert"),
            (["--sort", "_revision", "--sort", "username:desc", "--limit", "3"], "dora carl bert"),
        ]
        for (arguments, found) in cases {
            let outcome = try run(["list", "--columns", "username", "--format", "csv"] + arguments)
            #expect(outcome.status == 0)
            #expect(outcome.output.split(separator: "\n").dropFirst().joined(separator: " ") == found, "\(outcome)")
            guard !arguments.contains("--sort") else { continue }
            let looked = try run(["lookup", "--columns", "username", "--format", "csv"] + arguments)
            #expect(looked.output == outcome.output)
            #expect(looked.status == (found.isEmpty ? 1 : 0))
            let counted = try run(["list", "--count"] + arguments)
            #expect(counted.output == "\(found.split(separator: " ").count)\n")
        }
    }

    @Test func `R8: the next page continues in the same order`() throws {
        let first = try workplace.profiles("list", "--sort", "age", "--limit", "2", "--columns", "username")
        #expect(first.output == "Username\nbert\nanna\n")
        let cursor = try #require(first.error.split(separator: " ").last).split(separator: "\n")[0]
        #expect(try names("list", "--sort", "age", "--after", String(cursor)) == "dora carl")
        let other = try workplace.profiles("list", "--after", String(cursor))
        #expect(
            other.status == 64
                && other.error.contains("--after continues in the order of the previous page: give the same --sort"))
    }

    @Test func `R8: the next page continues in an order by several fields`() throws {
        let order = ["--sort", "_status", "--sort", "age:desc"]
        let first = try run(["list", "--limit", "2", "--columns", "username", "--format", "json"] + order)
        #expect(first.output.contains("\"dora\"") && first.output.contains("\"anna\""))
        let cursor = try #require(first.output.firstMatch(of: /"next": "(.+)"/)?.output.1)
        #expect(
            try run(["list", "--after", String(cursor), "--columns", "username", "--format", "csv"] + order).output
                == "username\nbert\ncarl\n")
        let other = try workplace.profiles("list", "--sort", "_status", "--after", String(cursor))
        #expect(other.status == 64 && other.error.contains("give the same --sort"))
    }

    @Test func `list with a text searches, and exits 0 without results`() throws {
        let found = try workplace.profiles("list", "LODZ", "--columns", "username", "--format", "csv")
        #expect(found == Workplace.Outcome(status: 0, output: "username\nanna\ndora\n", error: ""))
        #expect(try workplace.profiles("list", "lodz").output == (try workplace.profiles("find", "lodz").output))
        #expect(try names("list", "bath", "avon") == "")
        #expect(try names("list", "Bath,", "Avon") == "bert")
        #expect(try names("list", "lodz", "--where", "age>100") == "dora")
        #expect(try names("list", "lodz", "--sort", "age:desc") == "dora anna")
        #expect(try workplace.profiles("list", "lodz", "--count").output == "2\n")
        let none = try workplace.profiles("list", "nowhere", "--where", "age>1")
        #expect(
            none
                == Workplace.Outcome(
                    status: 0, output: "",
                    error: "There are no profiles with \"nowhere\" in any field that meet the conditions.\n"))
    }

    @Test func `one profile is shown by its key, as a look-up shows it`() throws {
        let shown = try workplace.profiles("show", "ANNA")
        #expect(shown == (try workplace.profiles("lookup", "anna")))
        #expect(shown.status == 0 && shown.output.hasPrefix("Username"), "\(shown)")
        #expect(shown.output.contains("\nRevision"))
        let json = try workplace.profiles("show", "anna", "--format", "json")
        #expect(json.output.hasPrefix("{\n  \"id\": 1,"), "\(json.output)")
        let none = try workplace.profiles("show", "emil")
        #expect(none == Workplace.Outcome(status: 1, output: "", error: "Error: There is no profile \"emil\"\n"))
        #expect(try workplace.profiles("show").status == 64)
    }

    @Test func `--count counts the profiles of all pages, and a look-up that finds none exits 1`() throws {
        #expect(try workplace.profiles("list", "--count", "--limit", "1").output == "4\n")
        #expect(try workplace.profiles("list", "--count", "--format", "ndjson").output == "{\"count\":4}\n")
        let none = try workplace.profiles("lookup", "--count", "--where", "age>500", "--format", "json")
        #expect(none.output == "{\n  \"count\": 0\n}\n")
        #expect(none.status == 1 && none.error == "Error: No profile matches\n")
        for arguments in [["--where", "_id=9"], ["--or", "--invalid", "--where", "age=1"]] {
            #expect(try run(["lookup"] + arguments).error == "Error: No profile matches\n")
        }
        for (fact, value) in [("_created_at", "soon"), ("_status", "bad")] {
            let outcome = try workplace.profiles("lookup", "--where", "\(fact)=\(value)")
            let start = "Error: No profile matches\n  No valid profile has this value: \(fact) should be "
            #expect(outcome.status == 1 && outcome.error.hasPrefix(start), "\(outcome)")
        }
        let impossible = try workplace.profiles("lookup", "--count", "--where", "age=x")
        #expect(impossible.output == "0\n" && impossible.status == 1)
        let listed = try workplace.profiles("list", "--count", "--where", "age>500")
        #expect(listed == Workplace.Outcome(status: 0, output: "0\n", error: ""))
    }

    @Test func `I13: records have the columns that are asked for, and import back`() throws {
        #expect(
            try workplace.profiles("list", "--format", "csv").output
                == "username,city,age,fee\nanna,Łódź,34,\"1,5\"\nbert,\"Bath, Avon\",9,\ncarl,Leeds,,2\ndora,lodz,120,-3\n"
        )
        #expect(
            try workplace.profiles("list", "--format", "tsv", "--columns", "city, username", "--limit", "2").output
                == "city\tusername\nŁódź\tanna\nBath, Avon\tbert\n")
        #expect(
            try workplace.profiles("lookup", "anna", "--format", "ndjson").output
                == #"{"username":"anna","city":"Łódź","age":34,"fee":1.5}"# + "\n")
        #expect(
            try workplace.profiles("lookup", "dora", "--format", "csv", "--spreadsheet-safe").output
                == "username,city,age,fee\ndora,lodz,120,'-3\n")
        #expect(
            try workplace.profiles("list", "--format", "csv", "--where", "age>500").output == "username,city,age,fee\n")
        #expect(try workplace.profiles("list", "--format", "ndjson", "--where", "age>500").output == "")
        for format in ["csv", "tsv", "ndjson"] {
            let script = """
                profiles list --format \(format) > all.\(format)
                profiles init --database \(format).sqlite --schema schema.json --quiet
                profiles import all.\(format) --database \(format).sqlite --quiet
                cmp <(profiles export) <(profiles export --database \(format).sqlite)
                """
            #expect(try workplace.shell(script).status == 0)
        }
    }

    @Test func `the facts that the store keeps about a profile can be columns too`() throws {
        let columns = "id,username,revision,status"
        #expect(
            try workplace.profiles("lookup", "bert", "--columns", columns).output
                == "Id  Username  Revision  Status\n2   bert      1         valid\n")
        #expect(
            try workplace.profiles("lookup", "bert", "--columns", columns + ",issues", "--format", "json").output == """
                {
                  "profiles": [
                    {
                      "id": 2,
                      "revision": 1,
                      "status": "valid",
                      "issues": [],
                      "values": {
                        "username": "bert"
                      }
                    }
                  ],
                  "next": null
                }

                """)
        let times = try workplace.profiles("list", "--columns", "created_at,updated_at", "--format", "ndjson").output
        #expect(times.reproducible(workplace).hasPrefix(#"{"_created_at":"TIME","_updated_at":"TIME"}"#))
        #expect(
            try workplace.profiles("list", "--columns", "_id,City,status", "--limit", "1", "--format", "csv").output
                == "_id,city,_status\n1,Łódź,valid\n")
    }

    @Test func `R6: a table with an invalid profile has a column of issues, and a block has a line of them`() throws {
        try workplace.write(
            try workplace.read("schema.json").replacing(
                #""integer"}"#,
                with: """
                    "integer", "constraints": {"maximum": 100}}
                    """), to: "stricter.json")
        #expect(try workplace.profiles("schema", "adopt", "stricter.json", "--quiet", "--yes").status == 0)
        #expect(try workplace.profiles("revalidate", "--quiet").status == 1)
        let issue = "Age should be at most 100"
        #expect(
            try workplace.profiles("list", "--where", "city=lodz").output
                == "Username  City  Age  Fee  Revision  Issues\ndora      lodz  120  -3   1         \(issue)\n")
        #expect(
            try workplace.profiles("list", "--invalid", "--expanded").output
                == "Username  dora\nCity      lodz\nAge       120\nFee       -3\nRevision  1\nIssues    \(issue)\n")
        #expect(
            try workplace.profiles("list", "--invalid", "--columns", "username,issues", "--format", "csv").output
                == "username,_issues\ndora,\(issue)\n")
        #expect(
            try workplace.profiles("list", "--invalid", "--where", "age<100").error == """
                There are no profiles marked invalid that meet the conditions.

                """)
    }

    @Test func `--expanded shows a profile as a block with the chosen columns`() throws {
        #expect(
            try workplace.profiles("list", "--expanded", "--columns", "username,age", "--where", "city!=Leeds").output
                == "Username  anna\nAge       34\n\nUsername  bert\nAge       9\n\nUsername  dora\nAge       120\n")
        #expect(
            try workplace.profiles("lookup", "carl", "--expanded").output
                == "Username  carl\nCity      Leeds\nAge       –\nFee       2\nRevision  1\n")
    }

    @Test func `R5: --explain says whether an index is used, without the results of the query`() throws {
        let cases: [([String], String)] = [
            (["list"], "The order in which profiles were stored is used: only the profiles that are shown are read."),
            (["list", "--invalid"], "The index of invalid profiles is used: no other profile is read."),
            (["list", "--where", "city=Leeds"], "The index of city is used: only profiles that it finds are read."),
            (["list", "--sort", "username"], "The index of username is used: only profiles that it finds are read."),
            (["lookup", "ann"], "The index of username is used: only profiles that it finds are read."),
            (["list", "--where", "age=3"], "No index can be used: every profile may be read."),
            (["list", "--contains", "city=x"], "No index can be used: every profile may be read."),
            (["find", "x"], "No index can be used: every profile may be read."),
        ]
        for (words, said) in cases {
            #expect(try run(words + ["--explain"]) == Workplace.Outcome(status: 0, output: said + "\n", error: ""))
        }
    }

    @Test func `R5: --explain says in JSON too whether an index is used`() throws {
        #expect(
            try workplace.profiles("list", "--where", "city=Leeds", "--explain", "--format", "json").output == """
                {
                  "plan": "index",
                  "fields": [
                    "city"
                  ],
                  "text": "The index of city is used: only profiles that it finds are read."
                }

                """)
    }

    @Test func `an impossible query is a usage error with its reason`() throws {
        let cases: [([String], String)] = [
            (
                ["list", "--where", "ctiy=x"],
                "Error: There is no field \"ctiy\". Did you mean \"city\"?\n  The fields are: username, city, age, fee\n"
                    + "  Other columns are: _id, _revision, _created_at, _updated_at, _schema_version, _status\n"
            ),
            (
                ["list", "--sort", "zzzzzz"],
                "Error: There is no field \"zzzzzz\"\n  The fields are: username, city, age, fee\n"
                    + "  Other columns are: _id, _revision, _created_at, _updated_at, _schema_version, _status\n"
            ),
            (["list", "--columns", "username,agee"], "Error: There is no field \"agee\". Did you mean \"age\"?\n"),
            (
                ["list", "--columns", "revison"],
                """
                Error: There is no field "revison". Did you mean "_revision"?
                  The fields are: username, city, age, fee
                  Other columns are: _id, _revision, _created_at, _updated_at, _schema_version, _status, _issues

                """
            ),
            (["list", "--where", "_issues=x"], "Error: Profiles cannot be looked up or sorted by _issues\n"),
            (["list", "--where", "_created_at=soon"], "Error: _created_at should be "),
            (["lookup", "--where", "age=x", "--explain"], "Error: age should be a whole number\n"),
            (["list", "--columns", "age,username,age"], "Error: --columns names \"age\" twice\n"),
            (["list", "--any", "agee=1"], "Error: There is no field \"agee\". Did you mean \"age\"?\n"),
            (["list", "--contains", "agee=1"], "Error: There is no field \"agee\". Did you mean \"age\"?\n"),
            (
                ["list", "--where", "age"],
                "Error: --where takes FIELD=VALUE. Instead of = you can use !=, <, <=, > or >=; 'age'"
            ),
            (["list", "--where", "age!5"], "Error: --where takes FIELD=VALUE."),
            (["list", "--where", ">5"], "Error: --where takes FIELD=VALUE."),
            (["list", "--contains", "age"], "Error: --contains takes FIELD=TEXT."),
            (
                ["list", "--any", "age=1,,2"],
                #"Error: --any takes FIELD=A,B with at least one value, and \, for a comma"#
            ),
            (["list", "--where", "age>=old"], "Error: age should be a whole number\n"),
            (["list", "--where", "age=old"], "Error: age should be a whole number\n"),
            (["list", "--any", "age=1,old"], "Error: age should be a whole number\n"),
            (["lookup", "--where", "age>=old"], "Error: age should be a whole number\n"),
            (["list", "--descending"], "Error: --descending requires --sort FIELD."),
            (["list", "--sort", "age", "--sort", "Age:desc"], "Error: --sort names \"Age\" twice\n"),
            (["list", "--sort", "agee:desc"], "Error: There is no field \"agee\". Did you mean \"age\"?\n"),
            (["lookup", "--or", "--where", "age=x", "--where", "city=y"], "Error: age should be a whole number\n"),
            (["list", ""], "Error: Say what to look for."),
            (["list", "--count", "--explain"], "Error: Give --count or --explain, not both."),
            (["list", "--count", "--format", "csv"], "Error: --count supports text, json and ndjson only."),
            (["list", "--expanded", "--format", "json"], "Error: --expanded requires --format text."),
            (["list", "--format", "yaml"], "Error: The value 'yaml' is invalid for '--format <format>'"),
            (["find"], "Error: Say what to look for."),
            (["find", ""], "Error: Say what to look for."),
            (["find", "\u{301}"], "Error: Say what to look for."),
        ]
        for (arguments, error) in cases {
            let outcome = try run(arguments)
            #expect(outcome.status == 64 && outcome.output == "")
            #expect(outcome.error.hasPrefix(error), "\(outcome)")
        }
    }

    @Test func `a query that an index serves needs no thread`() throws {
        let cases: [(String, Bool)] = [
            ("lookup anna", false), ("lookup --phone 1", false), ("lookup --where phone=1", false), ("list", false),
            ("list --sort username", false), ("list --where username=anna --where age=3 --sort age", false),
            ("list --where age=3 --explain", false), ("lookup --prefix anna", true), ("list x", true),
            ("lookup anna --or --where phone=1", true), ("list --sort username --sort phone", true),
            ("list --sort username:desc", false), ("lookup --where phone>1", true),
            ("list --where phone=1 --sort age", true), ("list --where phone=1 --contains city=x", true),
            ("list --sort age", true), ("list --count", true), ("list --invalid", true), ("find x", true),
        ]
        for (line, needsThreads) in cases {
            let words = line.split(separator: " ").map(String.init)
            let command = try #require(try ProfilesCommand.parseAsRoot(words) as? any QueryCommand)
            #expect(command.needsThreads == needsThreads)
        }
    }

    @Test func `P12: profiles cannot be looked up, sorted or shown by a secret`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        for (arguments, error) in [
            (["--where", "password=x"], "Profiles cannot be looked up by a secret"),
            (["--contains", "password=x"], "Profiles cannot be looked up by a secret"),
            (["--any", "password=x"], "Profiles cannot be looked up by a secret"),
            (["--sort", "password"], "Profiles cannot be sorted by a secret"),
            (["--columns", "username,password"], "A secret is never shown"),
        ] {
            for command in [["list"], ["lookup", "anna"], ["find", "a"]] {
                let outcome = try workplace.run(
                    [try Workplace.binary()] + command + arguments, input: "", environment: [:])
                #expect(outcome == Workplace.Outcome(status: 64, output: "", error: "Error: \(error)\n"))
            }
        }
    }

    @Test func `if the reader closes the pipe early, every format ends quietly`() throws {
        for format in ["text", "csv", "tsv", "json", "ndjson"] {
            let outcome = try workplace.shell(
                "set -o pipefail; profiles list --format \(format) 2>&1 > >(exec 0<&-) | cat")
            #expect(outcome.error == "" && !outcome.output.contains("Error"), "\(format) \(outcome)")
        }
    }
}
