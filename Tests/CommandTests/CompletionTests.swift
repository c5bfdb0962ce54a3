import ProfileTesting
import Testing
import Watchdog

/// Completion in a real shell.
@Suite(.watched) struct CompletionTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace()
        try workplace.write(Self.bashScript.get(), to: "completion.bash")
    }

    /// The script is made only once, because this takes longer than the rest of the tests.
    private static let bashScript = Result { try Workplace().profiles("completion", "bash").output }

    /// Returns the completions that bash offers for the last word.
    private func offered(_ words: String...) throws -> [String] {
        let script = """
            source completion.bash
            COMP_WORDS=(profiles \(words.map { "'\($0)'" }.joined(separator: " ")))
            COMP_CWORD=\(words.count)
            COMP_LINE="${COMP_WORDS[*]}"
            COMP_POINT=${#COMP_LINE}
            completing=$(complete -p profiles | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
            "$completing" profiles "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let outcome = try workplace.shell(script)
        #expect(outcome.error == "")
        return Set(outcome.output.split(separator: "\n").map(String.init)).sorted()
    }

    @Test func `subcommands and options are completed in bash, and none that takes a secret`() throws {
        #expect(try offered("imp") == ["import", "imports"])
        #expect(try offered("schema", "a") == ["adopt"])
        #expect(try offered("list", "--li") == ["--limit"])
        #expect(try offered("login", "anna", "--pass") == ["--password-file", "--password-stdin"])
        #expect(try offered("completion", "") == ["bash", "fish", "zsh"])
        #expect(try offered("export", "--as", "") == ["csv", "json", "markdown", "ndjson", "tsv"])
        #expect(try offered("import", "x.csv", "--on-duplicate", "s") == ["skip"])
    }

    @Test func `the fields and versions of the store that is named are completed in bash`() throws {
        #expect(
            try offered("edit", "anna", "--clear", "") == ["address", "birthday", "phone", "postal_code", "username"],
            "the built-in ones where there is no store")
        for (name, field) in [("store", "nickname"), ("other store", "email")] {
            try workplace.write(
                """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                {"name": "\(field)"}]}
                """, to: "schema.json")
            #expect(
                try workplace.profiles("init", "--schema", "schema.json", "--database", "\(name).sqlite").status == 0)
        }
        #expect(try offered("edit", "anna", "--clear", "") == ["nickname", "username"])
        #expect(try offered("edit", "anna", "--clear", "n") == ["nickname"])
        #expect(try offered("register", "--set", "") == ["nickname=", "username="])
        for option in ["--where", "--contains", "--any"] {
            #expect(try offered("lookup", option, "u") == ["username="])
        }
        #expect(try offered("list", "--sort", "n") == ["nickname"])
        #expect(try offered("find", "x", "--columns", "n") == ["nickname"])
        #expect(try offered("list", "--columns", "username,_i") == ["username,_id", "username,_issues"])
        #expect(try offered("list", "--format", "") == ["csv", "json", "ndjson", "text", "tsv"])
        #expect(try offered("import", "x.csv", "--map", "Mobile=") == ["nickname", "username"])
        #expect(try offered("edit", "anna", "--database", "\"other store.sqlite\"", "--clear", "e") == ["email"])

        #expect(try offered("schema", "show", "--number", "") == ["1"])
        try workplace.write(
            #"{"fields": [{"name": "username", "constraints": {"required": true, "unique": true}}]}"#, to: "schema.json"
        )
        #expect(try workplace.profiles("schema", "adopt", "schema.json").status == 0)
        #expect(try offered("schema", "show", "--number", "") == ["1", "2"])
        #expect(try offered("schema", "adopt", "--number", "2") == ["2"])
    }

    @Test func `completion in bash runs no command in a typed word`() throws {
        for text in ["$(touch ran)", "`touch ran`", "${x:-$(touch ran)}", "a[$(touch ran)]", "<(touch ran)"] {
            #expect(try offered("import", "x.csv", "--map", "\(text)=ph") == ["phone"], "\(text)")
            #expect(try offered("list", "--columns", "\(text),ph") == ["\(text),phone"], "\(text)")
            #expect(!workplace.exists("ran"), "\(text)")
        }
    }

    @Test func `fields in options are completed in an interactive bash`() throws {
        let tools = try Workplace.binary().split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let environment = workplace.environment.merging(["PATH": "\(tools):/usr/bin:/bin", "PS1": "> "]) { $1 }
        let shell = try TerminalDriver(
            ["/bin/bash", "--norc", "--noprofile", "-i"], environment: environment, folder: workplace.folder,
            size: TerminalSize(columns: 100, rows: 24))
        try shell.wait(for: ">")
        try shell.type("source <(profiles completion bash); clear; printf '%s\\n' read''y\n")
        try shell.wait(until: { $0.contains("ready") })
        for (typed, completed) in [
            ("edit anna --set po", "edit anna --set postal_code="), ("lookup --where u", "lookup --where username="),
            ("import x.csv --map Mobile=ph", "import x.csv --map Mobile=phone "),
            ("import x.csv --map=Mobile=phone --rej", "import x.csv --map=Mobile=phone --rejects "),
            ("edit anna --clear ph", "edit anna --clear phone "),
        ] {
            try shell.type("profiles \(typed)\t'.'")
            try shell.wait(for: "> profiles \(completed)'.'")
            try shell.type("\u{15}")
        }
    }

    @Test func `files are completed by their endings in bash`() throws {
        for name in ["a.csv", "a.html", "a.json", "a.ndjson", "a.png", "a.sqlite"] { try workplace.write("", to: name) }
        #expect(try offered("import", "a") == ["a.csv", "a.json", "a.ndjson"])
        #expect(try offered("import", "a.csv", "--rejects", "a") == ["a.csv"])
        #expect(try offered("import", "a.csv", "--report", "a") == ["a.csv", "a.html", "a.json"])
        #expect(try offered("export", "a") == ["a.csv", "a.json", "a.ndjson"])
        #expect(try offered("schema", "adopt", "a") == ["a.json"])
        #expect(try offered("list", "--database", "a") == ["a.sqlite"])
    }

    @Test(
        "A script is printed for every shell",
        arguments: [("bash", "#!/bin/bash"), ("zsh", "#compdef profiles"), ("fish", "function ")])
    func script(shell: String, beginning: String) throws {
        let outcome = try workplace.profiles("completion", shell)
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(outcome.output.hasPrefix(beginning), "\(outcome.output.prefix(200))")
        #expect(outcome.output.contains("revalidate"))
        #expect(!outcome.output.contains("passcode="))
        #expect(!workplace.exists("store.sqlite"))
    }

    @Test(
        "Completion of whole words in bash runs no command in them",
        arguments: [
            #"'$(touch ran)="#, "$(touch ran)=", "`touch ran`=", #""$(touch ran)="#, #"\$(touch ran)="#,
            "${x:=$(touch ran)}=",
            "<(touch ran)=", "x;touch ran;=", "*=", "~=",
        ])
    func typedCommands(_ word: String) throws {
        try workplace.write(word, to: "word")
        for option in ["--map", "--where", "--columns"] {
            let script = """
                source completion.bash
                word=$(cat word)
                COMP_WORDS=(profiles import x.csv \(option) "$word")
                COMP_CWORD=4
                COMP_LINE="${COMP_WORDS[*]}"
                COMP_POINT=${#COMP_LINE}
                _profiles_whole_words profiles "$word" \(option)
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let outcome = try workplace.shell(script)
            #expect(outcome.error == "")
            if option == "--map" { #expect(outcome.output.contains("address")) }
            #expect(!SmallFile.names(in: workplace.folder).contains("ran"))
        }
    }
}
