import ProfileCore
import ProfileTesting
import Testing
import Watchdog

/// What `profiles diff` shows, and its exit codes.
@Suite(.watched) struct DiffCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "city"},
                  {"name": "age", "type": "integer"}]}
                """)
        try workplace.importRows("username,city,age\nanna,Leeds,30\nbert,Bath,12\ncarl,,7\n")
    }

    private static let changed = "username,city,age\ncarl,,7\nanna,York,030\nzoe,Bath,1\n"
    private static let text = """
        ~ anna
            city  Leeds → York
        - bert
        + zoe
        3 differences: 1 added, 1 removed, 1 changed; 1 profile is equal

        """

    @Test func `a store and a file, two stores and two files are compared alike`() throws {
        try workplace.write(Self.changed, to: "changed.csv")
        let other = ["PROFILES_DATABASE": "\(workplace.folder)/other.sqlite"]
        #expect(try workplace.profiles("init", "--schema", "schema.json", environment: other).status == 0)
        #expect(try workplace.profiles("import", "changed.csv", environment: other).status == 0)
        let outcomes = [
            try workplace.profiles("diff", "changed.csv"),
            try workplace.profiles("diff", "store.sqlite", "changed.csv"),
            try workplace.profiles("diff", "people.csv", "other.sqlite"),
            try workplace.profiles("diff", "store.sqlite", "other.sqlite"),
            try workplace.profiles("diff", "other.sqlite", "--database", "store.sqlite", environment: other),
            try workplace.profiles("diff", "people.csv", "changed.csv", "--key", "username"),
            try workplace.profiles("diff", "-", input: Self.changed),
        ]
        for outcome in outcomes { #expect(outcome == Workplace.Outcome(status: 1, output: Self.text, error: "")) }
        // A file is not taken for a store, so no lock or log appears beside it.
        #expect(!workplace.exists("changed.csv-lock") && !workplace.exists("changed.csv-wal"))
    }

    @Test func `equal profiles exit 0`() throws {
        let outcome = try workplace.profiles("diff", "people.csv")
        #expect(outcome == Workplace.Outcome(status: 0, output: "No differences: 3 profiles are equal\n", error: ""))
        #expect(try workplace.profiles("diff", "store.sqlite", "store.sqlite").status == 0)
        let exported = try workplace.shell("profiles export --as ndjson > all.ndjson; profiles diff all.ndjson")
        #expect(exported.status == 0, "\(exported)")
    }

    @Test func `a profile that only one side has is a difference`() throws {
        try workplace.write("username,city,age\nanna,Leeds,30\nbert,Bath,12\n", to: "fewer.csv")
        let fewer = try workplace.profiles("diff", "fewer.csv")
        #expect(fewer.status == 1 && fewer.output.hasPrefix("- carl\n1 difference: "), "\(fewer)")
        let more = try workplace.profiles("diff", "fewer.csv", "store.sqlite")
        #expect(more.status == 1 && more.output.hasPrefix("+ carl\n1 difference: "), "\(more)")
    }

    @Test func `differences are written as JSON`() throws {
        try workplace.write(Self.changed, to: "changed.csv")
        let outcome = try workplace.profiles("diff", "changed.csv", "--format", "json")
        #expect(outcome.status == 1)
        let side: JSONValue = [
            "other_fields": [], "ignored_columns": [], "unread_rows": 0, "unread_lines": [], "repeated_keys": 0,
        ]
        #expect(
            try JSONValue(parsing: outcome.output) == [
                "differences": [
                    [
                        "kind": "changed", "key": "anna", "former_key": "anna",
                        "values": [["field": "city", "before": "Leeds", "after": "York"]],
                    ],
                    [
                        "kind": "removed", "key": "bert", "former_key": "bert",
                        "values": [
                            ["field": "city", "before": "Bath", "after": nil],
                            ["field": "age", "before": "12", "after": nil],
                        ],
                    ],
                    [
                        "kind": "added", "key": "zoe", "former_key": "zoe",
                        "values": [
                            ["field": "city", "before": nil, "after": "Bath"],
                            ["field": "age", "before": nil, "after": "1"],
                        ],
                    ],
                ],
                "added": 1, "removed": 1, "changed": 1, "equal": 1, "fields": ["city", "age"], "first": side,
                "second": side,
            ], "\(outcome.output)")
        let none = try workplace.profiles("diff", "people.csv", "--format", "json")
        #expect(try JSONValue(parsing: none.output)["differences"] == [])
    }

    @Test func `a page of differences is HTML in which no value is markup`() throws {
        try workplace.write("username,city,age\nanna,<b>York</b>,30\nbert,Bath,12\ncarl,,7\n", to: "a&b.csv")
        let outcome = try workplace.profiles("diff", "a&b.csv", "--format", "html")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("<!doctype html>") && outcome.output.hasSuffix("</html>\n"))
        #expect(
            outcome.output.contains("<td class=\"value\">Leeds</td><td class=\"value\">&lt;b&gt;York&lt;/b&gt;</td>"))
        #expect(outcome.output.contains("a&amp;b.csv") && !outcome.output.contains("<b>York"))
        #expect(outcome.output.contains("<div><dt>changed</dt><dd>1</dd></div>"))
        #expect(outcome.output.contains("Content-Security-Policy"))
    }

    @Test func `columns and rows that were not compared are reported`() throws {
        try workplace.write("username,age,shoe\nanna,30,41\nbert,12,42\ncarl,7,43\n", to: "part.csv")
        let part = try workplace.profiles("diff", "part.csv")
        #expect(part.status == 0)
        #expect(
            part.error
                == "Only \(workplace.folder)/store.sqlite has city\npart.csv: columns that were not compared: shoe\n",
            "\(part)")
        try workplace.write("username,city,age\nanna,Leeds,30\nbert,Bath,12\ncarl,,7\ncarl,,7\n,x,1\n", to: "odd.csv")
        let odd = try workplace.profiles("diff", "odd.csv")
        #expect(odd.status == 1)
        #expect(odd.output == "No differences: 3 profiles are equal\n")
        #expect(odd.error.contains("odd.csv: 1 row has no key or cannot be read (line 6);"), "\(odd)")
        #expect(odd.error.contains("odd.csv: 1 row repeats the key of an earlier row, and was not compared"), "\(odd)")
    }

    @Test func `the hints of an error name only options of diff`() throws {
        try workplace.write("1,2,3\n4,5,6\n", to: "data.csv")
        let outcome = try workplace.profiles("diff", "data.csv")
        #expect(outcome.status == 65)
        #expect(
            outcome.error == """
                Error: data.csv: The first row names no field
                  The required field username has no column
                  The fields are: username, city, age
                  Map a column with --map 'COLUMN=FIELD'

                """)
    }

    @Test func `a file or store that cannot be compared is named`() throws {
        try workplace.write("", to: "empty.csv")
        try workplace.write("a,b\n1,2\n1,2\n", to: "nokey.csv")
        for (arguments, status, message) in [
            (["nosuch.csv"], 66 as Int32, "nosuch.csv"), (["empty.csv"], 65, "empty.csv: The input is empty"),
            (["empty.csv", "people.csv"], 65, "Error: empty.csv: The input is empty"),
            (["nokey.csv", "nokey.csv"], 1, "No column of nokey.csv can be the key"),
            (["people.csv", "--key", "username"], 64, "--key is for two files"), ([], 64, "Give one or two"),
            (["-", "-"], 64, "Only one of the two"), (["-", "people.csv"], 64, "standard input"),
        ] {
            let outcome = try workplace.run([try Workplace.binary(), "diff"] + arguments, input: "", environment: [:])
            #expect(outcome.status == status && outcome.error.contains(message), "\(arguments) \(outcome)")
        }
    }
}
