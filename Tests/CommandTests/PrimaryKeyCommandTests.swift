import Testing
import Watchdog

/// Stores whose primary key is another field than `username`.
@Suite(.watched) struct PrimaryKeyCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"primaryKey": "member_no", "missingValues": ["NA"], "fields": [
                  {"name": "member_no", "title": "Member", "constraints": {"maxLength": 6}},
                  {"name": "phone", "profiles": {"columns": ["Mobile"]}},
                  {"name": "joined", "type": "date", "format": "%d/%m/%Y"}
                ]}
                """)
        try workplace.importRows("Member No,Mobile,joined\na17,0301,5/3/2024\nb2,NA,NA\n")
    }

    @Test func `S6: the command shows the primary key under its own name, and also accepts the name username`() throws {
        #expect(try workplace.profiles("lookup", "A17").output.contains("Member "))
        #expect(try workplace.profiles("list").output.contains("Member "))
        #expect(try workplace.profiles("lookup", "--where", "member_no=b2").status == 0)
        #expect(try workplace.profiles("lookup", "--where", "username=b2").status == 0)
        #expect(
            try workplace.profiles("export", "--as", "csv").output
                == "member_no,phone,joined\na17,0301,05/03/2024\nb2,,\n")
        #expect(try workplace.profiles("register", "--username", "c3", "--quiet").status == 0)
        let taken = try workplace.profiles("register", "--set", "member_no=C3")
        #expect(taken.status == 1)
        #expect(taken.error.contains("Member is taken"), "\(taken.error)")
        #expect(try workplace.profiles("edit", "c3", "--username", "d4", "--quiet").status == 0)
        #expect(try workplace.profiles("lookup", "d4", "--format", "json").output.contains(#""member_no": "d4""#))
        for field in ["username", "member_no"] {
            let cleared = try workplace.profiles("edit", "d4", "--clear", field)
            #expect(cleared.status == 1 && cleared.error.contains("Member is required"), "\(cleared)")
        }
        #expect(try workplace.profiles("remove", "d4", "--yes").status == 0)
        #expect(try workplace.profiles("schema", "show").output.contains("primary key"))
    }

    /// Runs commands on a store whose primary key is `email`, and searches all output and reports for `username`.
    @Test func `S6, R6, I8: no output or report calls another primary key username`() throws {
        let workplace = try Workplace(
            schema: """
                {"primaryKey": "email", "fields": [{"name": "email", "format": "email"},
                  {"name": "age", "type": "integer", "constraints": {"maximum": 150}}]}
                """)
        try workplace.write("email,age\nann@example.org,30\nbo@example.org,old\n", to: "people.csv")
        try workplace.write(
            try workplace.read("schema.json").replacing("150", with: "20"), to: "stricter.json")
        var shown: [String] = []
        func run(_ line: String, status: Int32) throws -> String {
            let outcome = try workplace.shell("profiles \(line)")
            #expect(outcome.status == status, "\(line) \(outcome)")
            shown.append(outcome.output + outcome.error)
            return outcome.output
        }
        for ending in ["json", "csv", "html", "txt"] {
            _ = try run("import people.csv --on-duplicate skip --report i.\(ending)", status: 1)
            _ = try run("revalidate --schema stricter.json --report r.\(ending)", status: 1)
            shown.append(try workplace.read("i.\(ending)") + workplace.read("r.\(ending)"))
        }
        #expect(try workplace.read("i.json").contains(#""key": "bo@example.org""#))
        #expect(try workplace.read("r.json").contains(#""key": "ann@example.org""#))
        #expect(try workplace.read("r.csv").contains(",30,ann@example.org,"))
        #expect(try workplace.read("r.txt").contains("ann@example.org  age  out_of_range"))
        #expect(try workplace.read("r.html").contains("<td class=\"key\">ann@example.org</td>"))
        #expect(try run("list", status: 0).contains("Email"))
        #expect(try run("list --format json", status: 0).contains(#""email": "ann@example.org""#))
        #expect(try run("lookup ann@example.org --format json", status: 0).contains(#""email""#))
        #expect(try run("export --format csv", status: 0).hasPrefix("email,age\n"))
        _ = try run("export --format ndjson", status: 0)
        _ = try run("register --set age=7", status: 1)
        _ = try run("register --set email=ann@example.org", status: 1)
        _ = try run("passcode remove ann@example.org --yes --format json", status: 1)
        _ = try run("schema show", status: 0)
        _ = try run("schema log", status: 0)
        let changes = try workplace.shell("profiles watch --since 0 --format json | head -1")
        #expect(changes.output.contains(#""key":"ann@example.org""#), "\(changes)")
        shown.append(changes.output)
        for text in shown { #expect(!text.lowercased().contains("username"), "\(text)") }
    }

    @Test func `S6: a schema with another primary key is refused while there are profiles`() throws {
        try workplace.write(#"{"primaryKey": "phone", "fields": [{"name": "phone"}]}"#, to: "other.json")
        let refused = try workplace.profiles("schema", "adopt", "other.json", "--yes")
        #expect(refused.status == 1)
        #expect(
            refused.error.hasPrefix(
                "Error: The schema is not adopted: its primary key is phone, but that of the store's profiles is "
                    + "member_no\n"), "\(refused.error)")
    }
}
