import Platform
import ProfileTesting
import Testing
import Watchdog

/// Profiles that are registered and edited on a screen, in a real terminal.
@Suite(.watched) struct FormCommandTests {
    private let references = ReferenceScreens()

    private let answers = "skboard\naK8oio\n78761241\n12 Main Street\n89761\n19980115"

    private func form(
        _ workplace: Workplace, _ arguments: String..., size: TerminalSize = .standard,
        environment: [String: String] = [:]
    ) throws -> TerminalDriver {
        let driver = try TerminalDriver(workplace, arguments, size: size, environment: environment)
        try driver.closeWelcome()
        return driver
    }

    @Test func `a user registers in a form, which restores the terminal and never shows the password`() throws {
        let workplace = try Workplace()
        let driver = try form(workplace, "register")
        try driver.waitUntilStill()
        #expect(driver.screen.isAlternate)
        #expect(!driver.echoes)
        try driver.type(answers)
        try driver.wait(for: "1998")
        #expect(!driver.screen.contains("aK8oio"))
        try driver.press(.enter)
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
        #expect(driver.screen.contains("7876-1241") && driver.screen.contains("Password     set"))
        #expect(try workplace.profiles("lookup", "skboard").output.contains("1998-01-15"))
        #expect(try workplace.profiles("login", "skboard", "--password-stdin", input: "aK8oio").status == 0)
        #expect(!driver.transcript.contains("aK8oio"))
    }

    @Test func `only the result is written to standard output`() throws {
        let workplace = try Workplace()
        let driver = try TerminalDriver(
            ["/bin/sh", "-c", "exec \"$0\" register --format json > out.json", try Workplace.binary()],
            environment: workplace.environment, folder: workplace.folder)
        try driver.closeWelcome()
        try driver.type(answers + "\n")
        #expect(try driver.end() == 0)
        let output = try workplace.read("out.json")
        #expect(output.hasPrefix("{\n") && output.contains("\"skboard\""))
        #expect(!output.contains("\u{1B}"))
    }

    @Test("the form matches its reference screens", arguments: [TerminalSize.standard, .small])
    func appearance(size: TerminalSize) throws {
        let workplace = try Workplace()
        let driver = try form(workplace, "register", size: size)
        let name = "\(size.columns)x\(size.rows)"
        try driver.waitUntilStill()
        try references.verify(driver.screen, is: "register-empty-\(name)", includesStyles: true)
        try driver.type("s\naK8oio\n78761241\nマーン224s\n89761\n")
        try driver.waitUntilStill()
        try references.verify(driver.screen, is: "register-errors-\(name)", includesStyles: true)
        try driver.press(.escape)
        try driver.wait(for: "Leave?")
        try references.verify(driver.screen, is: "register-leave-\(name)", includesStyles: true)
    }

    @Test func `F9: issues are shown in the form, and are corrected there`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let driver = try form(workplace, "register")
        try driver.type("anna\nweak\n7876\n")
        try driver.wait(for: "Phone should have at least 8 digits")
        #expect(driver.screen.contains("Password should have at least one uppercase letter"))
        try driver.type("12 Main St\n\n")
        try driver.press(.control("s"))
        try driver.wait(for: "Not stored yet: 2 fields to mend")
        try driver.press(.control("u"))
        try driver.type("aK8oio\n1241\n")
        try driver.wait(for: "7876-1241")
        try driver.press(.control("s"))
        // R5: issues that only the store can find are shown in the form too.
        try driver.wait(for: "Username is taken")
        try driver.type("2")
        try driver.wait(until: { !$0.contains("Username is taken") })
        try driver.press(.control("s"))
        #expect(try driver.end() == 0)
        #expect(try workplace.profiles("lookup", "anna2").status == 0)
    }

    @Test func `Esc asks before typed text is discarded, and Ctrl-C does not`() throws {
        let workplace = try Workplace()
        let empty = try form(workplace, "register")
        try empty.press(.escape)
        #expect(try empty.end() == 1)
        #expect(empty.isRestored)
        #expect(empty.screen.contains("Nothing was stored."))
        #expect(!empty.transcript.contains("Error"))

        let typed = try form(workplace, "register")
        try typed.type("skboard")
        try typed.press(.escape)
        try typed.wait(for: "Leave?")
        try typed.press(.enter)
        try typed.wait(until: { !$0.contains("Leave?") })
        #expect(typed.screen.contains("skboard"))
        try typed.press(.escape)
        try typed.wait(for: "Leave?")
        try typed.press(.down)
        try typed.press(.enter)
        #expect(try typed.end() == 1)

        let interrupted = try form(workplace, "register")
        try interrupted.type("skboard")
        try interrupted.press(.control("c"))
        #expect(try interrupted.end() == 130)
        #expect(interrupted.isRestored)
        #expect(interrupted.screen.contains("Nothing was stored."))
        #expect(!interrupted.transcript.contains("Error"))
        #expect(try workplace.profiles("list", "--format", "json").output.contains("\"profiles\": []"))
    }

    @Test func `Ctrl-S twice stores the profile once, and does not stop the output`() throws {
        let workplace = try Workplace()
        let driver = try form(workplace, "register")
        try driver.type(answers)
        try driver.wait(for: "1998")
        // The second key comes while the first is handled. There is only one write.
        try driver.press(.control("s"), times: 2)
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
        #expect(driver.screen.contains("7876-1241") && driver.screen.contains("Password     set"))
    }

    @Test func `a paste without an end sequence times out, and later keys are read as keys`() throws {
        let driver = try form(try Workplace(), "register")
        try driver.type("\u{1B}[200~skboard")
        try driver.wait(for: "[skboard")
        try driver.type("\n")
        try driver.wait(for: "3–64 letters")
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
    }

    @Test func `F7: a paste into a masked field keeps only its digits`() throws {
        let driver = try form(try Workplace(), "register")
        try driver.press(.tab, times: 2)
        try driver.paste("(123) 456-78")
        try driver.wait(for: "[1234-5678")
        #expect(!driver.screen.contains("Cut"))
        try driver.press(.control("u"))
        try driver.paste("(0123) 4567-89")
        try driver.wait(for: "Cut: Phone takes 8 digits at most")
        try driver.press(.control("u"))
        try driver.paste("none")
        try driver.wait(for: "Phone takes digits only")
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
    }

    @Test func `P12: a new password is shown only after Ctrl-R, and only while its field has the focus`() throws {
        let workplace = try Workplace()
        let driver = try form(workplace, "register")
        try driver.press(.tab)
        try driver.wait(for: "Ctrl-R show")
        try driver.type("aK8oio")
        try driver.press(.control("r"))
        try driver.wait(for: "[aK8oio")
        #expect(driver.screen.contains("Ctrl-R hide"))
        try driver.press(.tab)
        try driver.wait(for: "[••••••")
        #expect(!driver.screen.contains("aK8oio") && !driver.screen.contains("Ctrl-R"))
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
        #expect(!driver.screen.contains("aK8oio"))
        try workplace.register("anna")
        let login = try TerminalDriver(workplace, "login", "anna")
        try login.wait(until: { $0.contains("Esc leave") })
        try login.type("aK8oio")
        try login.press(.control("r"))
        try login.wait(until: { $0.contains("[••••••") })
        #expect(!login.screen.contains("aK8oio") && !login.screen.contains("Ctrl-R"))
        try login.press(.control("c"))
        #expect(try login.end() == 130)
        #expect(login.screen.contains("No user was logged in.") && !login.transcript.contains("Error"))
    }

    @Test func `F5: an error names the first refused character, except in a password`() throws {
        let driver = try form(try Workplace(), "register")
        try driver.type("abcdé漢\naK8é\n")
        try driver.wait(for: "digits 0–9 only: é at 5")
        #expect(driver.screen.contains("Password may hold") && !driver.screen.contains("é at 4"))
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
    }

    @Test func `a long form is scrolled by pages, and values are picked from choices`() throws {
        let towns = (0..<300).map { "\"Town \($0)\"" }.joined(separator: ",")
        let fields = (3...36).map { #"{"name": "field_\#($0)"}"# }.joined(separator: ",")
        let workplace = try Workplace(
            schema: """
                {"name": "long", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "town", "constraints": {"enum": [\(towns)]}}, \(fields),
                  {"name": "member", "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]}
                ]}
                """)
        let driver = try form(workplace, "register")
        try driver.waitUntilStill()
        #expect(driver.screen.contains("field 1 of 37"))
        try driver.type("ann\ntown 29")
        try driver.wait(for: "› Town 29")
        #expect(driver.screen.contains("1 of 11 that match, 301 in all"), "\(driver.screen)")
        try driver.press(.down, times: 2)
        try driver.wait(for: "› Town 291")
        try driver.press(.tab)
        try driver.wait(for: "[Town 291")
        try driver.press(.pageDown)
        try driver.wait(for: "field 13 of 37")
        try driver.type("\u{1B}[1;5F")
        try driver.wait(for: "field 37 of 37")
        #expect(driver.screen.contains("Yes or No, or nothing"))
        try driver.press(.right)
        try driver.wait(for: "[Yes")
        try driver.type("n")
        try driver.wait(for: "› No")
        try driver.press(.enter)
        try driver.wait(for: "[No")
        try driver.type("\u{1B}[1;5H")
        try driver.wait(for: "field 1 of 37")
        try driver.press(.control("s"))
        #expect(try driver.end() == 0)
        let stored = try workplace.profiles("lookup", "ann").output
        #expect(stored.contains("Town 291") && stored.contains("false"), "\(stored)")
        let edit = try form(workplace, "edit", "ann")
        try edit.waitUntilStill()
        #expect(edit.screen.contains("[Town 291"))
        try edit.press(.escape)
        #expect(try edit.end() == 1)
    }

    @Test("a signal restores the terminal", arguments: [SIGTERM, SIGHUP])
    func signal(number: Int32) throws {
        let workplace = try Workplace()
        let driver = try form(workplace, "register")
        try driver.type("skboard")
        try driver.wait(for: "skboard")
        driver.send(number)
        #expect(try driver.end() == 128 + number)
        #expect(driver.isRestored)
    }

    @Test func `F4, F7: an address that is stored under the postal code is picked and filled in`() throws {
        let workplace = try Workplace()
        try workplace.register("anna", address: "4 Lighthouse Lane")
        #expect(try workplace.profiles("edit", "anna", "--postal-code", "89761").status == 0)
        let driver = try form(workplace, "register")
        try driver.waitUntilStill()
        #expect(!driver.screen.contains("Ctrl-F"))
        try driver.press(.tab, times: 4)
        try driver.type("8976")
        try driver.waitUntilStill()
        #expect(!driver.screen.contains("Ctrl-F"))
        try driver.type("1")
        try driver.wait(for: "Ctrl-F")
        try driver.press(.control("f"))
        try driver.wait(for: "4 Lighthouse Lane")
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("[4 Lighthouse Lane") })
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
    }

    @Test func `F7: a bracketed paste is inserted at once, and a message says that it was cut`() throws {
        let driver = try form(try Workplace(), "register")
        try driver.paste("skboard and more")
        try driver.wait(for: "Cut: Username takes 10 characters at most")
        #expect(driver.screen.contains("[skboard an"))
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
    }

    @Test func `the form follows the size of its window`() throws {
        let driver = try form(try Workplace(), "register")
        try driver.type("skboard")
        try driver.wait(for: "skboard")
        for size in [TerminalSize.small, TerminalSize(columns: 20, rows: 5), TerminalSize(columns: 132, rows: 43)] {
            driver.resize(size)
            try driver.wait(for: "skboard")
        }
        driver.resize(TerminalSize(columns: 1, rows: 1))
        try driver.waitUntilStill()
        driver.resize(.standard)
        try driver.wait(for: "skboard")
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
    }

    @Test func `there is no colour with NO_COLOR`() throws {
        for (environment, isColored) in [([:], true), (["NO_COLOR": "1"], false)] {
            let driver = try form(try Workplace(), "register", environment: environment)
            try driver.press(.enter)
            try driver.wait(for: "Username is required")
            #expect((driver.screen.style(of: "Username is required")?.foreground != nil) == isColored)
            try driver.press(.control("c"))
            #expect(try driver.end() == 130)
        }
    }

    @Test func `N17: Ctrl-O shows the history of the profile, and Esc returns to the typed text`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        for number in 1...12 {
            try #require(workplace.profiles("edit", "anna", "--address", "\(number) Elm St").status == 0)
        }
        let driver = try form(workplace, "edit", "anna")
        try driver.waitUntilStill()
        #expect(driver.screen.contains("Ctrl-O history"))
        try driver.press(.tab, times: 3)
        try driver.type(" East")
        try driver.press(.control("o"))
        try driver.wait(until: { $0.contains("History of anna") })
        #expect(driver.screen.contains("11 Elm St → 12 Elm St") && driver.screen.contains("edited revision 13"))
        try driver.press(.end)
        try driver.wait(until: { $0.contains("registered revision 1") })
        try driver.press(.escape)
        try driver.wait(until: { $0.contains("[12 Elm St East") })
        try driver.press(.control("s"))
        #expect(try driver.end() == 0)
        #expect(try workplace.profiles("lookup", "anna").output.contains("12 Elm St East"))
        #expect(driver.isRestored)
        // A store that keeps no history says so in the form.
        try #require(workplace.profiles("history", "--keep", "none").status == 0)
        try workplace.register("bert")
        let other = try form(workplace, "edit", "bert")
        try other.press(.control("o"))
        try other.wait(until: { $0.contains("The history has no change of bert") })
        try other.press(.escape)
        #expect(try other.end() == 1)
    }

    @Test func `edit shows the stored values and keeps those that the user does not change`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        #expect(try workplace.profiles("edit", "anna", "--birthday", "19980115").status == 0)
        let driver = try form(workplace, "edit", "ANNA")
        try driver.waitUntilStill()
        for text in ["Edit anna", "[anna", "[7876-1241", "[12 Main St", "[1998.01.15"] {
            #expect(driver.screen.contains(text), "\(driver.screen)")
        }
        try driver.press(.tab, times: 3)
        try driver.type(" East")
        try driver.press(.control("s"))
        #expect(try driver.end() == 0)
        let stored = try workplace.profiles("lookup", "anna").output
        for text in ["12 Main St East", "1998-01-15", "7876-1241"] { #expect(stored.contains(text)) }
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "aK8oio").status == 0)

        let untouched = try form(workplace, "edit", "anna")
        try untouched.press(.escape)
        #expect(try untouched.end() == 1)
        #expect(untouched.screen.contains("anna's profile is as it was."))
        #expect(!untouched.transcript.contains("Error"))
        #expect(try workplace.profiles("edit", "nobody").status == 64)
        #expect(try TerminalDriver(workplace, "edit", "nobody").end() == 1)
        #expect(try TerminalDriver(workplace, "edit", "anna", "--if-revision", "1").end() == 1)
    }

    @Test func `R3: changes of another process are shown, and the user chooses`() throws {
        let workplace = try Workplace()
        for (keys, address) in [("\n", "12 Main St East"), ("t\n", "13 Main St")] {
            let username = address == "13 Main St" ? "bert" : "anna"
            try workplace.register(username)
            let driver = try form(workplace, "edit", username)
            try driver.press(.tab, times: 3)
            try driver.type(" East")
            try driver.wait(for: "East")
            #expect(
                try workplace.profiles("edit", username, "--address", "13 Main St", "--phone", "11112222").status == 0)
            try driver.press(.control("s"))
            try driver.wait(for: "Changed meanwhile")
            for text in ["Address: was 12 Main St", "theirs 13 Main St", "yours  12 Main St East", "is now 1111-2222"] {
                #expect(driver.screen.contains(text), "\(driver.screen)")
            }
            try driver.type(keys)
            #expect(try driver.end() == 0)
            let stored = try workplace.profiles("lookup", username).output
            #expect(stored.contains(address) && stored.contains("1111-2222"), "\(stored)")
        }
    }

    @Test func `typed values are kept if other rules are adopted meanwhile`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.write(
            """
            {"name": "short", "fields": [
              {"name": "username", "constraints": {"required": true, "unique": true}},
              {"name": "password", "constraints": {"required": true}, "profiles": {"secret": true}},
              {"name": "phone"}, {"name": "address", "constraints": {"maxLength": 12}}
            ]}
            """, to: "short.json")
        let driver = try form(workplace, "edit", "anna")
        try driver.press(.tab, times: 3)
        try driver.type(" East")
        try driver.wait(for: "East")
        #expect(try workplace.profiles("schema", "adopt", "short.json", "--yes").status == 0)
        try driver.press(.control("s"))
        try driver.wait(for: "Not stored yet: the rules have changed meanwhile")
        #expect(driver.screen.contains("East") && !driver.screen.contains("Birthday"))
        try driver.press(.control("s"))
        try driver.wait(for: "Address should have at most 12 characters")
        try driver.press(.control("w"))
        try driver.press(.control("s"))
        #expect(try driver.end() == 0)
        #expect(try workplace.profiles("lookup", "anna").output.contains("12 Main St"))
    }

    @Test func `Ctrl-C works after more keys than the form could draw one by one`() throws {
        let workplace = try Workplace()
        let driver = try form(workplace, "register")
        try driver.type(String(repeating: "x", count: 50_000))
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
        #expect(driver.isRestored)
    }

    @Test func `a schema's own fields are asked for like built-in ones`() throws {
        let workplace = try Workplace(
            schema: """
                {"name": "members", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true, "maxLength": 20}},
                  {"name": "email", "constraints": {"unique": true, "pattern": "[^@ ]+@[^@ ]+"}},
                  {"name": "level", "constraints": {"enum": ["basic", "gold"]}}
                ]}
                """)
        let driver = try form(workplace, "register")
        try driver.type("ann\nann@example.org\nsilver\n")
        try driver.wait(for: "Level should be basic or gold")
        #expect(driver.screen.contains("[silver"))
        try driver.press(.control("u"))
        try driver.type("gold\n")
        #expect(try driver.end() == 0)
        #expect(try workplace.profiles("lookup", "--where", "email=ann@example.org").output.contains("gold"))
        let second = try form(workplace, "register")
        try second.type("bob\nann@example.org\n\n")
        try second.wait(for: "Email is taken")
        try second.press(.control("c"))
        #expect(try second.end() == 130)
    }

    @Test func `without a terminal there is no form`() throws {
        let workplace = try Workplace()
        #expect(try workplace.profiles("register").status == 64)
        let driver = try TerminalDriver(workplace, "register", "--no-input")
        #expect(try driver.end() == 64)
        #expect(driver.screen.contains("Say what the profile holds"))
        #expect(!driver.transcript.contains("\u{1B}"))
    }
}

extension TerminalDriver {
    /// Waits for the screen of the command. If the welcome notice comes first, closes it.
    func closeWelcome() throws {
        try wait(until: { $0.isAlternate && ($0.contains(" leave") || $0.contains("Welcome")) })
        guard screen.contains("Welcome") else { return }
        try press(.enter)
        try wait(until: { !$0.contains("Welcome") })
    }
}
