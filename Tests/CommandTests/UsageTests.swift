import ArgumentParser
import ProfileCore
import ProfileTesting
import Testing
import Watchdog

@testable import profiles

/// The messages about wrong arguments.
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
            (
                "list --wait -1",
                "Error: Missing value for '--wait <seconds>'. Give a value that begins with - as --wait=VALUE"
            ),
            ("list --limit=-5", "Error: --limit takes 1 to 100000."),
            ("list --wait nan", "Error: --wait takes 0 to 86400 seconds."),
            ("list --wait 1e300", "Error: --wait takes 0 to 86400 seconds."),
            ("watch --since x", "Error: The value 'x' is invalid for '--since <number>'"),
            ("watch --since=-1", "Error: --since takes the number of a line, from 0."),
            ("list --format yaml", "Error: The value 'yaml' is invalid for '--format <format>'"),
            ("import", "Error: Missing expected argument '<file>'"),
            ("import x.csv --delimiter ab", "Error: The value 'ab' is invalid for '--delimiter <c>'"),
            ("import x.ndjson --delimiter ;", "Error: --delimiter is for CSV."),
            ("import x.csv --max-rejects 101%", "Error: The value '101%' is invalid for '--max-rejects <n|n%>'"),
            ("import x.csv --skip -1", "Error: --skip takes a number of lines from 0 to 1,000,000,000."),
            ("import x.csv --header-line 0", "Error: --header-line takes a line from 1 to 1,000,000,000."),
            ("import x.csv --header-line -1", "Error: --header-line takes a line from 1 to 1,000,000,000."),
            ("import x.csv --max-issues -1", "Error: --max-issues takes 0 or more."),
            ("import x.csv --max-rejects -1", "Error: The value '-1' is invalid for '--max-rejects <n|n%>'"),
            ("import x.csv --map phone", "Error: The value 'phone' is invalid for '--map <header=field>'"),
            ("import x.csv --report x.pdf", "Error: --report takes a file that ends in .json, .csv, .html or .txt."),
            ("import x.csv --keep-ignored", "Error: --keep-ignored requires --ignore-unknown."),
            ("import x.ndjson --ignore-unknown --keep-ignored", "Error: --keep-ignored is for CSV."),
            ("import x.csv --on-duplicate merge", "Error: The value 'merge' is invalid for '--on-duplicate"),
            ("revalidate --report x", "Error: --report takes a file"),
            ("export --as xml", "Error: The value 'xml' is invalid for '--as <format>'"),
            ("export --format text", "Error: The value 'text' is invalid for '--"),
            ("export --as csv --format json", "Error: --as and --format are the same option"),
            ("export --descending", "Error: --descending requires --sort FIELD."),
            ("export --where phone", "Error: --where takes FIELD=VALUE."),
            (
                "export x.xlsx",
                "Error: The extension of x.xlsx names no format: use .csv, .tsv, .json, .ndjson, .jsonl or .md"
            ),
            ("backup", "Error: Give the new file, or a folder with --into."),
            ("backup a.sqlite --into b", "Error: Give the new file or --into, not both."),
            ("reset", "Error: Give the username of the profile to reset, or --redeem to use a token."),
            ("reset sk --redeem", "Error: Give a username or --redeem, not both."),
            ("remove", "Error: Give a username, a condition such as --where, --all, or --erase with --id."),
            ("remove sk --erase --id 1", "Error: Give a username or --id, not both."),
            (
                "edit --all --password-file x --yes",
                "Error: The key, a password and --if-revision are for one profile."
            ),
            ("export x.json --original", "Error: --original is for csv and tsv."),
            ("history sk --at 3h --since 1d", "Error: Give --at or --since, not both."),
            ("import x.csv --map a=phone --map a=address", "Error: --map names \"a\" twice."),
            ("schema infer x.csv --rename a=b --rename a=c", "Error: --rename names \"a\" twice."),
            ("schema infer x.csv --relax a --tighten a", "Error: --relax and --tighten both name \"a\"."),
            ("backup a.sqlite --keep 3", "Error: --keep requires --into FOLDER."),
            ("backup --into b --keep 0", "Error: --keep takes 1 or more."),
            ("backup --into b --keep -1", "Error: --keep takes 1 or more."),
            ("backup -", "Error: - does not name a file here\n  Name a file; ./- is a file with that name\n"),
            ("backup b/", "Error: b/ names a folder, and not a file\n  Name a file in it\n"),
            ("login", "Error: Give a username"),
            ("passcode create", "Error: Missing expected argument '<username>'"),
            ("nonsense", "Error: There is no subcommand 'nonsense'.\n"),
            ("improt x.csv", "Error: There is no subcommand 'improt'. Did you mean 'import'?\n"),
            ("schema adpot x.json", "Error: There is no subcommand 'adpot'. Did you mean 'adopt'?\n"),
            ("schema nonsense", "Error: There is no subcommand 'nonsense'.\nUsage: profiles schema <subcommand>"),
            ("help imprt", "Error: There is no subcommand 'imprt'. Did you mean 'import'?\n  See 'profiles --help'"),
            ("imprt --help", "Error: There is no subcommand 'imprt'. Did you mean 'import'?\n"),
            (
                "help schema adop",
                "Error: There is no subcommand 'adop'. Did you mean 'adopt'?\n  See 'profiles schema --help'"
            ),
            ("schema adopt a --number 1", "Error: Give a file or --number, not both."),
            ("schema adopt", "Error: Give the schema to adopt: a file, or --number with an earlier version."),
            ("list --limt 3", "Error: There is no option '--limt'. Did you mean '--limit'?\n"),
            ("lookup --mobile 3", "Error: There is no option '--mobile'.\n"),
            ("import x.csv --reject y.csv", "Error: There is no option '--reject'. Did you mean '--rejects'?\n"),
            ("register --user sk --phone 1", "Error: There is no option '--user'. Did you mean '--username'?\n"),
            ("edit sk --user sky", "Error: There is no option '--user'. Did you mean '--username'?\n"),
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

    /// Characters that control a terminal, or that change how a line reads. NUL is missing, because an argument cannot
    /// contain it.
    private static let treacherous = (1...0x10FFFF).compactMap(Unicode.Scalar.init).filter { scalar in
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Characters that set the direction of writing.
        case .format: scalar.properties.isBidiControl
        default: false
        }
    }

    /// `@` stands for the tested characters.
    @Test(arguments: [
        "@", "list@", "list --li@mit 3", "list --limit @", "list --limit=@", "list -@", "watch --since @",
        "import x.csv @ y",
        "import x.csv --delimiter @", "import x.csv --map @", "help @", "help schema @", "schema @", "export x.@",
        "edit sk --set @", "list --format=@json", "lookup --where @", "init @ @",
    ])
    func `a usage error repeats arguments without their control characters`(line: String) throws {
        let workplace = try Workplace()
        let binary = try Workplace.binary()
        // A text with all characters finds the same faults, but does not show which character causes them.
        let each = Length.some(Self.treacherous.map { String($0) }, oneIn: 80)
        for text in each + [String(String.UnicodeScalarView(Self.treacherous))] {
            let arguments = line.split(separator: " ").map { String($0).replacing("@", with: "a\(text)b") }
            let outcome = try workplace.run([binary] + arguments, input: "", environment: [:])
            #expect(outcome.status != 0)
            let isRaw = outcome.error.unicodeScalars.contains { $0 != "\n" && Self.treacherous.contains($0) }
            #expect(!isRaw, "\(outcome.error.debugDescription)")
        }
    }

    @Test func `a line end in an argument does not begin a new line of a usage error`() throws {
        let workplace = try Workplace()
        let typed = "3\nError: Everything was removed"
        let outcome = try workplace.run(
            [try Workplace.binary(), "watch", "--since=\(typed)"], input: "", environment: [:])
        #expect(outcome.status == 64)
        #expect(outcome.error.hasPrefix("Error: The value '3\\nError: Everything was removed' is invalid"))
    }

    @Test(
        "I12: the command to continue is the given one with the further options that it needs",
        arguments: [
            (["import", "a.csv"], "profiles import a.csv --on-duplicate skip --force"),
            (
                ["import", "my people's.csv", "--map", "Mobil=phone"],
                #"profiles import 'my people'\''s.csv' --map Mobil=phone --on-duplicate skip --force"#
            ),
            (
                ["import", "--on-duplicate", "reject", "a.csv", "--force"],
                "profiles import a.csv --force --on-duplicate skip"
            ),
            (
                ["import", "--on-duplicate=reject", "a.csv", "--delimiter", ";"],
                "profiles import a.csv --delimiter ';' --on-duplicate skip --force"
            ),
            (["import", "--", "-a.csv"], "profiles import --on-duplicate skip --force -- -a.csv"),
            (
                ["import", "--", "--on-duplicate", "--force"],
                "profiles import --on-duplicate skip --force -- --on-duplicate --force"
            ),
        ])
    func goingOn(arguments: [String], line: String) {
        #expect(
            CommandArguments.line(["profiles"] + arguments, setting: ("--on-duplicate", "skip"), adding: "--force")
                == line)
        #expect(
            CommandArguments.line(["profiles", "import", "ä.csv"], setting: nil, adding: nil) == "profiles import ä.csv"
        )
    }

    @Test func `the version is printed`() throws {
        let outcome = try Workplace().profiles("--version")
        #expect(outcome == Workplace.Outcome(status: 0, output: "0.2.0\n", error: ""))
    }

    /// The names of a command and of its subcommands, as they are typed.
    private static func commandNames(of command: any ParsableCommand.Type, after words: String = "") -> [String] {
        let name = words + command._commandName
        return [name] + command.configuration.subcommands.flatMap { commandNames(of: $0, after: name + " ") }
    }

    @Test(
        "The help of every subcommand shows an example",
        arguments: ProfilesCommand.configuration.subcommands.flatMap { commandNames(of: $0) })
    func help(_ name: String) throws {
        let words = name.split(separator: " ").map(String.init)
        let outcome = try Workplace().run(
            [try Workplace.binary()] + words + ["--help"], input: "", environment: [:])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("\n  profiles \(name)") || outcome.output.contains("| profiles \(name)"))
        #expect(outcome.error == "")
    }

    /// The members of a list in a JSON object; empty if the object has no such list.
    private static func list(_ name: String, of object: JSONValue) -> [JSONValue] {
        if case .array(let members)? = object[name] { members } else { [] }
    }

    // argument-parser checks this itself, but only in the debug configuration.
    @Test func `no command declares a name twice, or an argument after one that takes all others`() throws {
        let outcome = try Workplace().profiles("--experimental-dump-help")
        var commands = [try #require(try JSONValue(parsing: outcome.output)["command"])]
        var count = 0
        while let command = commands.popLast() {
            commands += Self.list("subcommands", of: command)
            count += 1
            let arguments = Self.list("arguments", of: command)
            let names = arguments.flatMap { Self.list("names", of: $0).map { $0.text() } }
            #expect(Set(names).count == names.count, "\(command["commandName"]?.text() ?? "")")
            let positional = arguments.filter { $0["kind"] == .string("positional") }
            #expect(!positional.dropLast().contains { $0["isRepeating"] == .bool(true) })
        }
        #expect(count > 50)
    }

    /// The commands in the examples of a help text, each with the line in which it stands.
    private static func examples(of command: any ParsableCommand.Type) -> [(command: String, line: String)] {
        command.configuration.discussion.split(separator: "\n").filter { $0.hasPrefix("  ") }.flatMap { line in
            line.split(separator: " | ").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("profiles ") }
                .map { (String($0.split(separator: #/[<>] /#)[0]), String(line)) }
        }
    }

    @Test func `every example of the help fits 80 columns, and can be copied`() throws {
        func everyCommand(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
            [command] + command.configuration.subcommands.flatMap(everyCommand)
        }
        let workplace = try Workplace()
        let examples = everyCommand(ProfilesCommand.self).flatMap(Self.examples)
        #expect(examples.count > 80)
        for (command, line) in examples {
            // argument-parser breaks a line of 80 characters.
            #expect(line.count < 80, "\(line)")
            // A shell splits the line into the words that the command gets.
            let words = try workplace.run(
                ["/bin/bash", "-c", "profiles() { printf '%s\\n' \"$@\"; }; \(command)"], input: "", environment: [:])
            #expect(words.status == 0 && words.error == "", "\(command): \(words)")
            let arguments = words.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            do { _ = try ProfilesCommand.parseAsRoot(arguments.map(String.init)) } catch {
                // Some commands would ask a question, so they are refused without a terminal.
                let message = ProfilesCommand.message(for: error)
                #expect(message.hasPrefix("Say what ") || message.contains("no terminal"), "\(command): \(message)")
            }
        }
    }

    @Test func `the help lists the subcommands by task, and ends with the exit codes`() throws {
        let workplace = try Workplace()
        let help = try workplace.profiles("--help")
        #expect(help.status == 0 && help.error == "")
        #expect(try workplace.profiles() == help)
        #expect(try workplace.profiles("help") == help)
        let headings = help.output.split(separator: "\n").filter { $0.wholeMatch(of: /[A-Z ]+:/) != nil }
        #expect(
            headings.dropFirst(headings.firstIndex(of: "PROFILES:") ?? 0) == [
                "PROFILES:", "FILES:", "RULES:", "PEOPLE AND SECRETS:", "THE STORE:", "SHELL:",
                "OUTPUT AND EXIT CODES:",
            ], "\(help.output)")
        #expect(help.output.hasSuffix("  130  interrupted\n"))
        #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        let imports = try workplace.profiles("import", "--help").output
        let groups = imports.split(separator: "\n").filter { $0.wholeMatch(of: /[A-Z ]+:/) != nil }
        #expect(
            groups == [
                "INPUT:", "COLUMNS:", "REJECTED ROWS AND REPORT:", "STORING:", "RULES:", "INFERRED RULES:", "OPTIONS:",
            ],
            "\(groups)")
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
            ["login", "sk", "-punter2X"], ["login", "sk", "--password-stdin=hunter2X"], ["unlock", "sk", "hunter2X"],
        ])
    func secretArgument(_ arguments: [String]) throws {
        let workplace = try Workplace()
        let outcome = try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
        #expect(outcome.status == 64)
        #expect(outcome.output == "")
        #expect(outcome.error.hasPrefix("Error: "))
        #expect(!outcome.error.contains("unter2X"))
    }

    @Test(
        "P12: however a secret is put among the arguments, the usage error does not repeat it",
        arguments: [
            "login u -pSECRET", "login u -p SECRET", "login u -p=SECRET", "login u -passwordSECRET",
            "login u --pSECRET", "login u --password-stdin=SECRET", "login u --password-stdin SECRET",
            "login u --password=SECRET", "login u -password SECRET", "login u -password=SECRET",
            "login u --passwd=SECRET", "login u --pw SECRET", "login u --SECRET", "login u --SECRET=x",
            "login u -SECRET", "login u ---SECRET", "login u ----SECRET=SECRET", "login u -=SECRET",
            "login u --=SECRET", "login u =SECRET", "login u -- SECRET", "login u -- -pSECRET", "login -- u SECRET",
            "login u SECRET SECRET", "login u --plain=SECRET", "login u --quiet=SECRET", "login u -q=SECRET",
            "login u -qSECRET", "login u -qpSECRET", "login u --no-input=SECRET", "login u --no-inputSECRET",
            "login u --wait=SECRET", "login u --wait SECRET", "login u --format=SECRET", "login u --format SECRET",
            "login u -éSECRET", "login u --é=SECRET", "login u --generate-completion-script=SECRET",
            "login u --password-stdin='SECRET'", "login u --wait='SECRET", "login u --format='|'SECRET'|'",
            "login u -p'SECRET'x'", "login -pSECRET u", "passcode SECRET", "passcode create u --stdin=SECRET",
            "passcode create u --passcode-stdin=SECRET", "passcode create u -pSECRET",
            "passcode create u SECRET SECRET", "passcode validate u --passcode SECRET",
            "passcode edit --old=SECRET --new=SECRET u", "passcode remove u SECRET", "unlock u SECRET",
            "register --username u --password-stdin=SECRET", "register -pSECRET", "register --set password=SECRET",
            "register --username u -pSECRET", "edit u --if-revision=SECRET", "edit u --if-revision SECRET",
            "edit u --phone 1 -pSECRET", "edit u --phone 1 --password-stdin=SECRET", "SECRET", "-pSECRET",
            "lgin u SECRET", "-q login u -pSECRET", "--password=SECRET login u",
        ])
    func hiddenSecret(_ line: String) throws {
        func words(_ secret: String) -> [String] {
            line.split(separator: " ").map { String($0).replacing("SECRET", with: secret).replacing("|", with: " ") }
        }
        // Some of them contain characters that could end a quotation, or the search for the secret, too early.
        let secrets = [
            "Tr0ub4dor", "parislondon", "aB1", "Tr0u'b4' dor", "T.*[r]0u\u{301}", "--T=r0=", "Tr\n0ü\tb4%s", "日本語",
        ]
        // In long runs, every secret is tried. Otherwise, the length of the line chooses one.
        for secret in Length.some(secrets, oneIn: secrets.count, from: line.utf8.count % secrets.count) {
            let words = words(secret)
            // The first word is taken for the name of a command.
            if words[0] == "parislondon" { continue }
            do {
                _ = try ProfilesCommand.parseAsRoot(words)
                Issue.record("\(words) are taken")
            } catch {
                let text = UsageText(error, arguments: words).text
                #expect(!text.contains(secret), "\(text)")
            }
        }
    }

    @Test(
        "A usage error of a command that takes secrets says which option it is about",
        arguments: [
            ("login u --pasword-stdin", "There is no option '--pasword-stdin'. Did you mean '--password-stdin'?"),
            ("login u -password-stdin", "Unknown option '-p…'. Did you mean '--password-stdin'?"),
            ("login u -p", "Unknown option '-p'"), ("login u -pX", "Unknown option '-p…'"),
            ("login u -qx", "Unknown option '-…'"),
            (
                "--database x list",
                "Argument 1 is not one of the options of 'profiles'. It is not repeated here, since it could be a secret. "
                    + "Options follow the subcommand, as in 'profiles list --database FILE'."
            ),
            ("version", "There is no subcommand 'version'. Did you mean '--version'?"),
            ("login u --verbose", "Argument 3 is not one of the options of 'profiles login'."),
            ("login u --wait 1 --Sesame=x", "Argument 5 is not one of the options of 'profiles login'."),
            ("login u --plain=x", "The option '--plain' does not take any value, but '…' was specified."),
            ("login u --wait", "Missing value for '--wait <seconds>'\n"),
            ("login u --wait -1", "Missing value for '--wait <seconds>'. Give a value that begins with - as --wait="),
            ("login u --wait x", "The value '…' is invalid for '--wait <seconds>'"),
            ("login u --format yaml", "The value '…' is invalid for '--format <format>'. Please provide one of 'text'"),
            ("register --username u --fone=1", "There is no option '--fone'. Did you mean '--phone'?"),
            ("edit u --if-revision x", "The value '…' is invalid for '--if-revision <n>'"),
            ("edit", "Name a profile, or give --where"),
            (
                "passcode creat u",
                "Argument 2 is not one of the subcommands of 'profiles passcode'. It is not repeated here, since it "
                    + "could be a secret. Did you mean 'create'?"
            ),
            ("lgin u", "There is no subcommand 'lgin'. Did you mean 'login'?"),
            ("register --user u", "There is no option '--user'. Did you mean '--username'?"),
            ("passcode create u --plan", "There is no option '--plan'. Did you mean '--plain'?"),
            ("login u x", "There is one argument too many."),
        ])
    func namedOption(_ line: String, _ reason: String) throws {
        let outcome = try Workplace().run(
            [try Workplace.binary()] + line.split(separator: " ").map(String.init), input: "", environment: [:])
        #expect(outcome.status == 64)
        #expect(outcome.error.hasPrefix("Error: \(reason)"), "\(outcome.error)")
        #expect(outcome.error.contains("\nUsage: profiles "), "\(outcome.error)")
    }

    @Test func `P12: a value in place of the file of a secret is not repeated either`() throws {
        let outcome = try Workplace().profiles("login", "u", "--password-file", "hunter2X")
        #expect(outcome.status == 66)
        #expect(outcome.error == "Error: The file with the secret cannot be read: No such file or directory\n")
    }
}
