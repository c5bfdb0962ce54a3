import ProfileTesting
import Testing
import Watchdog

/// Exports of chosen profiles and columns. What `list` shows for the same options is the expected result.
@Suite(.watched) struct ExportCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "password", "profiles": {"secret": true}},
                  {"name": "city", "title": "City", "profiles": {"indexed": true}},
                  {"name": "age", "title": "Age in years", "type": "integer"},
                  {"name": "fee", "type": "number", "decimalChar": ","}]}
                """)
        var rows = "username;city;age;fee\n"
        for number in 0..<150 {
            let city = ["Łódź", "\"Bath, Avon\"", "Leeds", ""][number % 4]
            rows += "user\(number);\(city);\(number % 7 == 0 ? "" : "\(number * 37 % 90)");\(number % 11),5\n"
        }
        try workplace.importRows(rows)
    }

    private func run(_ arguments: [String]) throws -> Workplace.Outcome {
        try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
    }

    @Test(
        "R8: an export has the profiles, the columns and the order that list shows for the same options",
        arguments: [
            [], ["--where", "city=Leeds"], ["--where", "age>=30", "--where", "age<60"], ["--where", "City=Łódź"],
            ["--contains", "city=lodz"], ["--any", "city=Leeds,Łódź", "--sort", "age"], ["--where", "age="],
            ["--sort", "Age in years", "--descending"], ["--sort", "username"], ["--sort", "_id", "--descending"],
            ["--prefix", "--where", "username=user1", "--columns", "fee,username,_id,_created_at,_status,_issues"],
            ["--columns", "City", "--sort", "fee"], ["--invalid"], ["--where", "_id<0"],
            ["--or", "--where", "city=Leeds", "--where", "age<10", "--sort", "city", "--sort", "age:desc"],
        ])
    func sameAsList(options: [String]) throws {
        for format in ["csv", "tsv", "ndjson"] {
            let listed = try run(["list", "--format", format, "--limit", "100000"] + options)
            let exported = try run(["export", "--format", format] + options)
            #expect(exported.status == 0)
            #expect(exported.output == listed.output, "\(format)")
        }
        let listed = try run(["list", "--format", "csv", "--columns", "username", "--limit", "100000"])
        #expect(listed.output.split(separator: "\n").count == 151)
    }

    @Test func `an export with hashes can be sorted, and an original export keeps the original notation`() throws {
        try workplace.write(#"{"username": "zoe", "city": "Bath", "age": 1, "password": "aK8oio"}"#, to: "zoe.json")
        #expect(
            try workplace.profiles("register", "--json", "zoe.json", "--quiet").status == 0)
        let sorted = try workplace.profiles(
            "export", "--sort", "age", "--columns", "username,fee", "--include-hashes", "--where", "age<3")
        let lines = sorted.output.split(separator: "\n")
        #expect(lines.first == "username,fee,password_hash" && lines.count == 5, "\(sorted)")
        // The ages are 0, 1, 1 and 2.
        #expect(lines[3].hasPrefix("zoe,,\"$argon2id$"), "\(sorted)")
        let original = try workplace.profiles("export", "--original", "--where", "username=user3")
        #expect(original.output == "username,city,age,fee\nuser3,,21,\"3,5\"\n", "\(original)")
    }

    @Test func `a Markdown table is written to a file that ends in md`() throws {
        #expect(try workplace.profiles("export", "t.md", "--columns", "nosuch,city").status == 64)
        #expect(!workplace.exists("t.md"))
        let columns = "username,city,age"
        let written = try workplace.profiles("export", "t.md", "--any", "username=user1,user2", "--columns", columns)
        #expect(written.status == 0)
        #expect(
            try workplace.read("t.md") == """
                | username | city | age |
                | --- | --- | ---: |
                | user1 | Bath, Avon | 37 |
                | user2 | Leeds | 74 |

                """)
    }

    @Test func `an export refuses unknown fields and secrets`() throws {
        for (options, message) in [
            (["--where", "cty=Leeds"], "There is no field \"cty\". Did you mean \"city\"?"),
            (["--columns", "nosuch"], "There is no field \"nosuch\""),
            (["--columns", "password"], "A secret is never shown"),
            (["--sort", "password"], "Profiles cannot be sorted by a secret"),
            (["--columns", "city,City"], "--columns names \"City\" twice"),
            (["--where", "age>x"], "age"),
        ] {
            let outcome = try run(["export", "out.csv"] + options)
            #expect(outcome.status == 64 && outcome.error.contains(message), "\(options) \(outcome)")
            #expect(!workplace.exists("out.csv"))
        }
    }
}
