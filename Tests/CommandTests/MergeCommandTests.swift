import Platform
import ProfileCore
import ProfileTesting
import Testing
import Watchdog

/// D5: `profiles duplicates --merge`.
@Suite(.watched) struct MergeCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "password", "profiles": {"secret": true}},
                  {"name": "full_name", "title": "Name"},
                  {"name": "phone", "title": "Phone", "constraints": {"maxLength": 12}},
                  {"name": "town", "title": "Town"}]}
                """)
        try workplace.importRows(
            """
            username,full_name,phone,town,password
            anna,Anna Smith,7876-1241,,aK8oio
            anna2,ANNA SMITH.,7876 1241,Rome,
            anna3,Anna Smyth,7876 1241.,,
            bert,Bert Brown,1111,,
            carl,Carl White,(11) 11,,

            """)
    }

    private func show(_ username: String) throws -> [String] {
        let outcome = try workplace.profiles("show", username, "--format", "json")
        guard outcome.status == 0 else { return [] }
        let profile = try JSONValue(parsing: outcome.output)
        let facts = ["id", "revision"].map { profile.member($0) }
        let values = ["full_name", "phone", "town"].map { profile.member("values")?.member($0) }
        return (facts + values).map { value in
            switch value {
            case .string(let text), .number(let text): text
            default: "-"
            }
        }
    }

    private var history: String {
        get throws { try workplace.profiles("history").output }
    }

    @Test func `D5: on the screen the user chooses the values, and one profile keeps its id and password`() throws {
        let driver = try TerminalDriver(workplace, "duplicates", "--by", "phone", "--similar", "town", "--merge")
        try driver.wait(for: "Merge two profiles")
        for text in [
            "› Kept profile  (•) bert (id 4, has no password)", "( ) carl (id 5, has no password)",
            "Phone         (•) 1111", "( ) (11) 11", "Ctrl-N skip", "1 all of bert",
        ] { #expect(driver.screen.contains(text), "\(text): \(driver.screen)") }
        try driver.press(.control("n"))
        try driver.wait(for: "(•) anna (id 1, has a password)")
        #expect(driver.screen.contains("(•) Rome"))
        // Chooses the phone of anna2.
        try driver.press(.down, times: 3)
        try driver.type(" \n")
        try driver.wait(for: "( ) anna3 (id 3")
        #expect(driver.screen.contains("Phone         (•) 7876 1241"))
        try driver.press(.escape)
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
        #expect(driver.screen.contains("anna2 (id 2) was merged into anna (id 1); \"profiles undo 2\" reverts it."))
        #expect(driver.screen.contains("1 pair skipped."))
        #expect(try show("anna") == ["1", "2", "Anna Smith", "7876 1241", "Rome"])
        #expect(try show("anna2") == [])
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "aK8oio").status == 0)
        let entries = try history
        #expect(entries.contains("removed     id 2") && entries.contains("updated     id 1"), "\(entries)")
        #expect(entries.components(of: "change 2") == 2)

        #expect(try workplace.profiles("undo", "2").status == 0)
        #expect(try show("anna") == ["1", "3", "Anna Smith", "7876-1241", "-"])
        #expect(try show("anna2") == ["2", "2", "ANNA SMITH.", "7876 1241", "Rome"])
    }

    @Test func `D5: the other profile may be kept, with all its values, and a group becomes one profile`() throws {
        let driver = try TerminalDriver(
            workplace, "duplicates", "--by", "phone", "--where", "full_name>=A", "--where", "full_name<B", "--merge",
            "--format", "json")
        try driver.wait(for: "( ) anna2 (id 2")
        try driver.type("2\n")
        // The profile that was kept of the first two is offered with the third. No pair with similar names is left.
        try driver.wait(for: "( ) anna3 (id 3")
        #expect(driver.screen.contains("(•) anna2 (id 2"))
        try driver.type("\n")
        #expect(try driver.end() == 0)
        #expect(try show("anna2") == ["2", "3", "ANNA SMITH.", "7876 1241", "Rome"])
        #expect(try workplace.profiles("list", "--count").output == "3\n")
        #expect(driver.screen.contains("\"skipped\": 0") && driver.screen.contains("\"removed\": \"anna\""))
    }

    @Test func `D5: the kept profile can take the other name, and the rules can refuse a merge`() throws {
        try workplace.write(
            try workplace.read("schema.json").replacing("\"maxLength\": 12", with: "\"maxLength\": 9"),
            to: "stricter.json")
        #expect(try workplace.profiles("schema", "adopt", "stricter.json", "--yes").status == 0)
        let driver = try TerminalDriver(
            workplace, "duplicates", "--by", "phone", "--similar", "phone", "--where", "full_name>=A", "--where",
            "full_name<B", "--merge")
        try driver.wait(for: "( ) anna2 (id 2")
        // Chooses the name of anna2, and otherwise the values of anna.
        try driver.press(.down)
        try driver.type(" \n")
        try driver.wait(for: "( ) anna3 (id 3")
        #expect(driver.screen.contains("(•) anna2 (id 1"))
        // This phone is too long now.
        try driver.press(.down, times: 3)
        try driver.type(" \n")
        try driver.wait(for: "The merged profile would be invalid:")
        #expect(driver.screen.contains("Phone should have at most 9 characters"), "\(driver.screen)")
        try driver.press(.escape)
        try driver.wait(for: "(•) 7876 1241.")
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
        #expect(driver.screen.contains("anna2 (id 2) was merged into anna2 (id 1)"))
        #expect(driver.screen.contains("The two profiles that were shown are as they were."))
        #expect(try show("anna2").first == "1" && show("anna3").first == "3")
    }

    @Test(arguments: ["edit", "remove"])
    func `D5: a change by another process is shown, and nothing is merged`(_ verb: String) throws {
        let driver = try TerminalDriver(workplace, "duplicates", "--by", "phone", "--similar", "town", "--merge")
        try driver.wait(for: "( ) carl (id 5")
        let changes = verb == "edit" ? ["edit", "carl", "--set", "town=Lima"] : ["remove", "carl", "--yes"]
        let outcome = try workplace.run([try Workplace.binary()] + changes, input: "", environment: [:])
        #expect(outcome.status == 0, "\(outcome)")
        try driver.type("\n")
        if verb == "edit" {
            try driver.wait(for: "One of the two profiles has changed meanwhile.")
            try driver.press(.escape)
            try driver.wait(until: { $0.contains("(•) Lima") && !$0.contains("meanwhile") })
            #expect(try show("bert") == ["4", "1", "Bert Brown", "1111", "-"])
            try driver.press(.control("n"))
        }
        try driver.wait(for: "( ) anna2 (id 2")
        try driver.press(.escape)
        #expect(try driver.end() == 0)
        #expect(try show("bert").first == "4")
        #expect(try history.contains("profiles duplicates") == false)
    }

    @Test func `D5: with --plain, merge asks for each field, and asks again after a wrong answer`() throws {
        let driver = try TerminalDriver(
            workplace, "duplicates", "--by", "phone", "--similar", "town", "--merge", "--plain",
            size: TerminalSize(columns: 120, rows: 40))
        try driver.wait(for: "1 is bert, and 2 is carl:")
        try driver.wait(for: "Name: 1 Bert Brown, 2 Carl White")
        try driver.wait(for: "Merge them? [y/N/q]: ")
        try driver.type("maybe\n")
        try driver.wait(for: "Answer y to merge them, n to skip them, or q to stop.")
        try driver.type("\n")
        try driver.wait(for: "1 is anna, and 2 is anna2:")
        try driver.wait(for: "Town: 1 (empty), 2 Rome")
        try driver.type("y\n")
        for (field, answer) in [
            ("Kept profile: 1 anna (id 1, has a password), 2 anna2 (id 2, has no password)? [1/2, empty for 1]", "2"),
            ("Username: 1 anna, 2 anna2? [1/2", "3"), ("Answer 1 or 2, or q to stop.", "1"),
            ("Name: 1 Anna Smith, 2 ANNA SMITH.? [1/2", ""), ("Phone: 1 7876-1241, 2 7876 1241? [1/2", ""),
            ("Town: 1 (empty), 2 Rome? [1/2, empty for 2]", ""),
        ] {
            try driver.wait(for: field)
            try driver.type(answer + "\n")
        }
        try driver.wait(for: "1 is anna, and 2 is anna3:")
        try driver.type("q\n")
        #expect(try driver.end() == 0)
        #expect(driver.screen.contains("anna (id 1) was merged into anna (id 2)"))
        #expect(!driver.transcript.contains("\u{1B}"))
        #expect(try show("anna") == ["2", "2", "Anna Smith", "7876-1241", "Rome"])
    }

    @Test func `D5: without a terminal nothing is merged, and without duplicates there is nothing to merge`() throws {
        let outcome = try workplace.profiles("duplicates", "--merge")
        #expect(outcome.status == 64)
        #expect(
            outcome.error == """
                Error: Profiles can only be merged on a terminal, and there is none
                  Without a terminal, set the values with "profiles edit", and remove the other profile with \
                "profiles remove"

                """)
        #expect(try workplace.profiles("duplicates", "--plain").status == 64)
        let driver = try TerminalDriver(workplace, "duplicates", "--where", "username=bert", "--merge")
        #expect(try driver.end() == 0)
        #expect(driver.screen.contains("There are no profiles to merge."))
    }

    @Test("D5: if the command is killed during a merge, the merge is made as a whole or not at all", arguments: 0..<6)
    func killed(round: Int) throws {
        let driver = try TerminalDriver(workplace, "duplicates", "--by", "phone", "--similar", "town", "--merge")
        try driver.wait(for: "( ) carl (id 5")
        try driver.type("\n")
        // The kill comes a little later in each round.
        usleep(UInt32(round) * 400)
        driver.send(SIGKILL)
        #expect(try driver.end() == 128 + SIGKILL)
        let (bert, carl) = (try show("bert"), try show("carl"))
        #expect(bert.first == "4")
        #expect((bert[1] == "2") == carl.isEmpty)
        #expect(try history.components(of: "profiles duplicates") == (carl.isEmpty ? 2 : 0))
        #expect(try workplace.profiles("check").status == 0)
    }
}

extension String {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}

extension JSONValue {
    fileprivate func member(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}
