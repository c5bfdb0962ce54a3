import Platform
import ProfileTesting
import Testing
import Watchdog

/// `undo`, `redo`, and the edit and removal of many profiles.
@Suite(.watched) struct UndoCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "town"}, {"name": "postal_code", "title": "Postal code", "constraints": {"pattern": "[0-9]{5}"}},
                  {"name": "place", "constraints": {"maxLength": 11}}]}
                """)
    }

    private func importPeople(_ count: Int) throws {
        let rows = (1...count).map { "u\($0),\($0 % 3 == 0 ? "Lodnon" : "Paris"),1\(1_000 + $0 % 1_000),\n" }
        try workplace.importRows("username,town,postal_code,place\n" + rows.joined())
    }

    private func count(_ condition: String) throws -> Int {
        let output = try workplace.profiles("list", "--where", condition, "--count").output
        return try #require(Int(output.filter(\.isNumber)))
    }

    // MARK: Many profiles

    @Test func `D3: edit --where shows the first differences, and edits only what meets the conditions`() throws {
        try importPeople(36)
        let dryRun = try workplace.profiles("edit", "--where", "town=Lodnon", "--set", "town=London", "--dry-run")
        #expect(dryRun.status == 0)
        #expect(
            dryRun.output.hasPrefix(
                """
                12 profiles would be edited.
                  u3   Town  Lodnon → London
                  u6   Town  Lodnon → London

                """))
        #expect(dryRun.output.hasSuffix("  … and 2 more\n"))
        #expect(try count("town=London") == 0)
        let unasked = try workplace.profiles("edit", "--where", "town=Lodnon", "--set", "town=London")
        #expect(unasked.status == 64)
        #expect(unasked.error == "Error: There is no terminal to ask on; give --yes or --dry-run\n")
        let edit = try workplace.profiles("edit", "--where", "town=Lodnon", "--set", "town=London", "--yes")
        #expect(edit == Workplace.Outcome(status: 0, output: "12 profiles edited.\n", error: ""))
        #expect(try count("town=London") == 12)
        let quiet = try workplace.profiles("edit", "--where", "town=London", "--clear", "town", "--yes", "--quiet")
        #expect(quiet == Workplace.Outcome(status: 0, output: "", error: ""))
        #expect(try count("town=") == 12)
    }

    @Test func `D3: a value can use the old values of other fields, and profiles that would be invalid stay`() throws {
        try importPeople(3)
        let edit = try workplace.profiles(
            "edit", "--all", "--set", "place={town} {postal_code}", "--set", "town={place}", "--yes")
        #expect(edit.status == 1)
        #expect(edit.output.hasPrefix("2 profiles edited, 1 refused.\n  u3 stays: Place"), "\(edit.output)")
        #expect(try workplace.profiles("lookup", "u1", "--format", "json").output.contains("Paris 11001"))
        #expect(try count("town=") == 2)
        let braces = try workplace.profiles("edit", "--where", "town=Lodnon", "--set", "place={{x}}", "--yes")
        #expect(braces.status == 0)
        #expect(try count("place={x}") == 1)
        for (value, problem) in [
            ("{", "The value of place has { without }"), ("{towm}", "Did you mean \"town\"?"),
            ("}x", "The value of place has } without {"),
        ] {
            let wrong = try workplace.profiles("edit", "--all", "--set", "place=\(value)", "--yes")
            #expect(wrong.status == 64 && wrong.error.contains(problem), "\(wrong)")
        }
    }

    @Test func `D3: an edit of many profiles refuses keys, secrets, missing conditions and mixed options`() throws {
        try importPeople(2)
        for arguments in [
            ["--all", "--set", "username=x", "--yes"], ["--all", "--set", "password_hash=x", "--yes"],
            ["--all", "--password-stdin", "--set", "town=x", "--yes"], ["--set", "town=x"], ["--all", "--yes"],
            ["u1", "--all", "--set", "town=x"], ["--all", "--where", "town=x", "--set", "town=y"],
            ["u1", "--set", "town=x", "--dry-run"], ["u1", "--set", "town=x", "--yes"],
            ["--all", "--set", "other=x", "--yes"], ["--all", "--clear", "other", "--yes"],
        ] {
            let outcome = try workplace.run(
                [try Workplace.binary(), "edit"] + arguments, input: "", environment: [:])
            #expect(outcome.status == 64, "\(arguments): \(outcome)")
        }
        #expect(try workplace.profiles("remove").status == 64)
        #expect(try workplace.profiles("remove", "--all", "--erase", "--yes").status == 64)
        #expect(try count("town=Paris") == 2)
    }

    @Test func `D3: remove --where asks on a terminal, and undo restores the profiles`() throws {
        try importPeople(30)
        let dryRun = try workplace.profiles("remove", "--where", "town=Lodnon", "--dry-run")
        #expect(dryRun.output.hasPrefix("10 profiles would be removed.\n  u3, Lodnon, 11003\n"), "\(dryRun.output)")
        for (answer, status) in [("n", Int32(1)), ("y", 0)] {
            let session = try TerminalDriver(workplace, "remove", "--where", "town=Lodnon")
            try session.wait(for: "Remove them? [y/N]")
            try session.type(answer + "\n")
            #expect(try session.end() == status)
        }
        #expect(try count("town!=") == 20)
        let undo = try TerminalDriver(workplace, "undo")
        try undo.wait(for: "Revert it? [y/N]")
        try undo.type("y\n")
        #expect(try undo.end() == 0)
        #expect(undo.transcript.contains("10 profiles would come back"))
        #expect(try count("town=Lodnon") == 10)
        #expect(try workplace.profiles("history", "u3").output.contains("  restored    revision 2"))
    }

    // MARK: Undo

    @Test func `D2: undo and redo step through the changes, and say what they did`() throws {
        try importPeople(9)
        #expect(try workplace.profiles("edit", "u1", "--set", "town=Rome").status == 0)
        #expect(try workplace.profiles("edit", "--where", "town=Lodnon", "--set", "town=London", "--yes").status == 0)
        let unasked = try workplace.profiles("undo")
        #expect(unasked.status == 64)
        let undo = try workplace.profiles("undo", "--yes")
        #expect(
            undo.output.reproducible(workplace)
                == "Change 3 with \"profiles edit\", TIME: 3 profiles got the old values back.\n")
        #expect(try count("town=Lodnon") == 3)
        let dryRun = try workplace.profiles("undo", "1", "--dry-run")
        #expect(dryRun.status == 1)
        #expect(
            dryRun.output.reproducible(workplace) == """
                Change 1, the import of people.csv, TIME: 8 profiles would be removed, 1 would stay unchanged.
                  u1: changed since

                """)
        #expect(try workplace.profiles("undo", "--import", "2").error.contains("Change 2 is not an import"))
        #expect(try workplace.profiles("undo", "99").status == 1)
        #expect(try workplace.profiles("redo", "--yes").status == 0)
        #expect(try count("town=London") == 3)
        #expect(try workplace.profiles("undo", "--yes", "--quiet").output == "")
        #expect(try workplace.profiles("undo", "--yes").status == 0)
        #expect(try count("town=Rome") == 0)
        #expect(try workplace.profiles("undo", "--import", "1").status == 0)
        #expect(try workplace.profiles("list", "--count").output == "0\n")
        let nothing = try workplace.profiles("undo", "--yes")
        #expect(nothing == Workplace.Outcome(status: 1, output: "", error: "Error: There is no change to undo\n"))
        let json = try workplace.profiles("redo", "--yes", "--format", "json").output
        #expect(json.contains("\"restored\": 9"), "\(json)")
        #expect(json.contains(",\n  \"is_dry_run\": false,\n  \"removed\": 0,\n  \"reverted\": "), "\(json)")
    }

    @Test func `D2: an undo says which secrets it does not bring back`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        #expect(try workplace.profiles("edit", "anna", "--password-stdin", "--quiet", input: "bL9pjp").status == 0)
        let kept = try workplace.profiles("undo", "2", "--dry-run")
        #expect(kept.status == 1)
        #expect(kept.output.hasSuffix(": nothing to revert; 1 changed password or passcode stays.\n"), "\(kept)")
        #expect(try workplace.profiles("remove", "anna", "--yes", "--quiet").status == 0)
        let restored = try workplace.profiles("undo", "--yes")
        #expect(
            restored.output.hasSuffix(
                ": 1 profile came back; 1 profile needs a new password: set it with \"profiles reset\".\n"),
            "\(restored)")
    }

    // MARK: Kills

    @Test(arguments: ["edit --all --set town=Rome --yes", "remove --all --yes", "undo --import 1"])
    func `D2, D3: a killed command leaves whole batches, and the same command completes them`(_ command: String) throws
    {
        let rows = 12_000
        try importPeople(rows)
        let words = command.split(separator: " ").map(String.init)
        let process = try ChildProcess(
            [try Workplace.binary()] + words, environment: workplace.environment, folder: workplace.folder,
            streams: [1: .file("/dev/null", flags: O_WRONLY), 2: .file("/dev/null", flags: O_WRONLY)])
        // The kill comes when some profiles are changed. On a very slow machine, all of them may be.
        let condition = words[0] == "edit" ? "town!=Rome" : "town!="
        while try count(condition) == rows, !process.hasEnded {}
        process.send(SIGKILL)
        _ = process.wait()
        let left = try count(condition)
        #expect(left % 1_000 == 0, "\(left) are left")
        #expect(try workplace.profiles("check").status == 0)
        let again = try workplace.run([try Workplace.binary()] + words, input: "", environment: [:])
        #expect(left == 0 || again.status == 0, "\(again)")
        #expect(try count(condition) == 0)
    }
}
