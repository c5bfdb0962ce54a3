import Testing
import Watchdog

/// What is said to someone who calls the command in a way that it does not take.
@Suite(.watched) struct UsageTests {
    @Test(
        "A usage error exits 64 with its reason on standard error and nothing on standard output",
        arguments: [
            ("register", "Error: Say what the profile holds"),
            (
                "register --username sk --password-stdin --password-file x",
                "Error: Give --password-stdin or --password-file"
            ),
            ("register --json - --password-stdin", "Error: Standard input is the JSON"),
            ("edit sk", "Error: Say what to change"),
            ("edit sk --clear password", "Error: A password cannot be cleared."),
            ("edit sk --set phone", "Error: --set takes FIELD=VALUE."),
            ("lookup", "Error: Say what to look up"),
            ("lookup --where phone", "Error: --where takes FIELD=VALUE."),
            ("list --limit 0", "Error: --limit takes 1 to 100000."),
            ("list --after x", "Error: --after takes the cursor"),
            ("list --wait -1", "Error: Missing value for '--wait <seconds>'"),
            ("list --wait nan", "Error: --wait takes 0 to 86400 seconds."),
            ("list --wait 1e300", "Error: --wait takes 0 to 86400 seconds."),
            ("watch --since x", "Error: The value 'x' is invalid for '--since <number>'"),
            ("watch --since=-1", "Error: --since takes the number of a change, from 0."),
            ("list --format yaml", "Error: The value 'yaml' is invalid for '--format <format>'"),
            ("import", "Error: Missing expected argument '<file>'"),
            ("import x.csv --delimiter ab", "Error: The value 'ab' is invalid for '--delimiter <c>'"),
            ("import x.ndjson --delimiter ;", "Error: --delimiter is for CSV."),
            ("import x.csv --max-rejects 101%", "Error: The value '101%' is invalid for '--max-rejects <n|n%>'"),
            ("import x.csv --map phone", "Error: The value 'phone' is invalid for '--map <header=field>'"),
            ("import x.csv --report x.pdf", "Error: --report takes a file that ends in .json, .csv, .html or .txt."),
            ("import x.csv --on-duplicate merge", "Error: The value 'merge' is invalid for '--on-duplicate"),
            ("revalidate --report x", "Error: --report takes a file"),
            ("export --as xml", "Error: The value 'xml' is invalid for '--as <as>'"),
            ("login", "Error: Say who logs in"),
            ("passcode create", "Error: Missing expected argument '<username>'"),
            ("nonsense", "Error: Unexpected argument 'nonsense'"),
        ])
    func usageError(_ line: String, _ reason: String) throws {
        let workplace = try Workplace()
        let outcome = try workplace.run(
            [try Workplace.binary()] + line.split(separator: " ").map(String.init), input: "", environment: [:])
        #expect(outcome.status == 64)
        #expect(outcome.output == "")
        #expect(outcome.error.hasPrefix(reason), "\(outcome.error)")
        #expect(!workplace.exists("store.sqlite"))
    }

    @Test func `the version is printed`() throws {
        let outcome = try Workplace().profiles("--version")
        #expect(outcome == Workplace.Outcome(status: 0, output: "0.1.0\n", error: ""))
    }

    @Test(
        "The help of every subcommand shows an example",
        arguments: [
            "init", "register", "edit", "remove", "lookup", "list", "import", "validate", "revalidate", "export",
            "passcode", "passcode create", "passcode validate", "passcode edit", "passcode remove", "unlock", "login",
            "watch", "schema", "schema show", "schema check", "schema diff", "schema adopt", "check", "backup",
            "restore",
            "migrate",
        ])
    func help(_ name: String) throws {
        let words = name.split(separator: " ").map(String.init)
        let outcome = try Workplace().run(
            [try Workplace.binary()] + words + ["--help"], input: "", environment: [:])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("\n  profiles \(name)") || outcome.output.contains("| profiles \(name)"))
        #expect(outcome.error == "")
    }

    @Test(
        "P12: a secret on the command line is refused and repeated nowhere",
        arguments: [
            ["register", "--username", "sk", "--password", "hunter2X"], ["register", "--password=hunter2X"],
            ["register", "--username", "sk", "--set", "password=hunter2X"],
            ["register", "--username", "sk", "--set", "hunter2X"], ["register", "--username", "sk", "hunter2X"],
            ["edit", "sk", "--password", "hunter2X"], ["edit", "sk", "hunter2X"], ["login", "sk", "hunter2X"],
            ["login", "sk", "--password=hunter2X"], ["login", "sk", "--passwort=hunter2X"],
            ["login", "sk", "--passwort", "hunter2X"], ["passcode", "create", "sk", "hunter2X"],
            ["passcode", "validate", "sk", "--passcode", "hunter2X"], ["passcode", "edit", "sk", "--secret=hunter2X"],
        ])
    func secretArgument(_ arguments: [String]) throws {
        let workplace = try Workplace()
        let outcome = try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
        #expect(outcome.status == 64)
        #expect(outcome.output == "")
        #expect(outcome.error.hasPrefix("Error: "))
        #expect(!outcome.error.contains("hunter2X"))
    }
}
