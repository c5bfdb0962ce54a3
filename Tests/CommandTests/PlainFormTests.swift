import Platform
import ProfileTesting
import Testing
import Watchdog

/// Forms line by line, without any control code.
@Suite(.watched) struct PlainFormTests {
    @Test("a profile is asked for line by line", arguments: [["--plain"], []])
    func register(options: [String]) throws {
        let workplace = try Workplace()
        let driver = try TerminalDriver(
            workplace, ["register"] + options, environment: options.isEmpty ? ["TERM": "dumb"] : [:])
        try driver.wait(for: "Username, required, 2–10 letters A–Z, a–z and digits 0–9: ")
        try driver.type("s\n")
        try driver.wait(for: "Username should have at least 2 characters.")
        try driver.type("skboard\n")
        try driver.wait(for: "Password, required")
        #expect(!driver.echoes)
        try driver.type("weak\n")
        try driver.wait(for: "Password should have at least one uppercase letter.")
        try driver.type("aK8oio\n")
        try driver.wait(for: "Repeat password: ")
        try driver.type("aK8oiO\n")
        try driver.wait(for: "The two are not the same.")
        try driver.type("aK8oio\n")
        try driver.wait(for: "Repeat password: ")
        try driver.type("aK8oio\n")
        try driver.wait(for: "Phone, required")
        #expect(driver.echoes)
        try driver.type("78761241\n")
        try driver.wait(for: "Address, required")
        try driver.type("12 Main Street\n")
        try driver.wait(for: "Postal code, exactly 5 digits 0–9, or nothing: ")
        try driver.type("\n")
        try driver.wait(for: "Birthday, ")
        try driver.type("1998.01.15\n")
        #expect(try driver.end() == 0)
        #expect(!driver.transcript.contains("\u{1B}"))
        #expect(!driver.transcript.contains("aK8oio"))
        #expect(driver.screen.contains("7876-1241"))
        #expect(try workplace.profiles("login", "skboard", "--password-stdin", input: "aK8oio").status == 0)
    }

    @Test func `an edit shows what is stored, keeps it for an empty answer and clears it for a hyphen`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.register("bert")
        #expect(
            try workplace.profiles("edit", "anna", "--birthday", "19980115", "--postal-code", "89761").status == 0)
        let driver = try TerminalDriver(workplace, "edit", "anna", "--plain")
        try driver.wait(for: "Username, now anna, ")
        try driver.type("bert\n")
        try driver.wait(for: "Password, empty keeps it, ")
        try driver.type("\n")
        try driver.wait(for: "Phone, now 7876-1241, ")
        try driver.type("-\n")
        try driver.wait(for: "Phone, now 7876-1241, ")
        try driver.type("11112222\n")
        try driver.wait(for: "Address, now 12 Main St, ")
        try driver.type("\n")
        try driver.wait(for: "Postal code, now 89761, ")
        try driver.type("-\n")
        try driver.wait(for: "Birthday, now 1998.01.15, ")
        try driver.type("\n")
        // An issue that only the store can find is shown, and the field is asked for again.
        try driver.wait(for: "Username is taken.")
        try driver.type("anna2\n")
        #expect(try driver.end() == 0)
        #expect(!driver.transcript.contains("\u{1B}"))
        let stored = try workplace.profiles("lookup", "anna2").output
        for text in ["1111-2222", "12 Main St", "1998-01-15"] { #expect(stored.contains(text)) }
        #expect(!stored.contains("89761"))
        #expect(try workplace.profiles("login", "anna2", "--password-stdin", input: "aK8oio").status == 0)
    }

    @Test func `R3: changes of another process are shown, and the user chooses`() throws {
        for (answer, address) in [("y\n", "14 Main St"), ("n\n", "13 Main St")] {
            let workplace = try Workplace()
            try workplace.register("anna")
            let driver = try TerminalDriver(workplace, "edit", "anna", "--plain")
            for (prompt, text) in [
                ("Username, ", "\n"), ("Password, ", "\n"), ("Phone, ", "\n"), ("Address, ", "14 Main St\n"),
                ("Postal code, ", "\n"),
            ] {
                try driver.wait(for: prompt)
                try driver.type(text)
            }
            try driver.wait(for: "Birthday, ")
            #expect(
                try workplace.profiles("edit", "anna", "--address", "13 Main St", "--phone", "11112222").status == 0)
            try driver.type("\n")
            try driver.wait(for: "Keep yours? [y/N]")
            #expect(driver.screen.contains("Address is now 13 Main St, and you have 14 Main St."))
            #expect(driver.screen.contains("Phone is now 1111-2222."))
            try driver.type(answer)
            #expect(try driver.end() == 0)
            let stored = try workplace.profiles("lookup", "anna").output
            #expect(stored.contains(address) && stored.contains("1111-2222"))
        }
    }

    @Test func `an empty answer keeps the stored value, also after a refused answer`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let driver = try TerminalDriver(workplace, "edit", "anna", "--plain")
        for (prompt, text) in [
            ("Username, ", "\n"), ("Password, ", "\n"), ("Phone, now 7876-1241, ", "12\n"),
            ("Phone should have at least 8 digits.", "\n"), ("Address, ", "\n"), ("Postal code, ", "\n"),
            ("Birthday, ", "\n"),
        ] {
            try driver.wait(for: prompt)
            try driver.type(text)
        }
        #expect(try driver.end() == 0)
        #expect(try workplace.profiles("lookup", "anna").output.contains("7876-1241"))
    }

    @Test func `stored values are shown in the notation in which they can be typed`() throws {
        let workplace = try Workplace(
            schema: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "share", "type": "number", "decimalChar": ","},
                  {"name": "seen", "type": "datetime", "format": "%d/%m/%Y %H:%M"},
                  {"name": "opens", "type": "time", "format": "%I:%M %p"},
                  {"name": "member", "type": "boolean", "trueValues": ["ja"], "falseValues": ["nein"]}
                ]}
                """)
        let values = ["share=1234,5", "seen=2/1/2020 0:05", "opens=7:05 PM", "member=ja"].flatMap { ["--set", $0] }
        #expect(
            try workplace.run(
                [try Workplace.binary(), "register", "--username", "anna"] + values, input: "", environment: [:]
            ).status == 0)
        let screen = try TerminalDriver(workplace, "edit", "anna")
        try screen.closeWelcome()
        try screen.wait(until: { $0.contains("1234,5") })
        #expect(screen.screen.contains("02/01/2020 00:05") && screen.screen.contains("07:05 PM"))
        try screen.press(.control("s"))
        #expect(try screen.end() == 0, "nothing had to be mended")

        let driver = try TerminalDriver(workplace, "edit", "anna", "--plain")
        for prompt in [
            "Username, ", "Share, now 1234,5, a number, with \",\" before",
            "Seen, now 02/01/2020 00:05, like 31/12/2020 23:59",
            "Opens, now 07:05 PM, like 11:59 PM", "Member, now Yes, Yes or No",
        ] {
            try driver.wait(for: prompt)
            try driver.type(prompt.hasPrefix("Member") ? "no\n" : "\n")
        }
        #expect(try driver.end() == 0)
        let stored = try workplace.profiles("lookup", "anna", "--format", "json").output
        #expect(stored.contains("1234.5") && stored.contains(#""member": false"#), "\(stored)")
    }

    @Test func `N7: input in another encoding is not stored, and is asked for again`() throws {
        let workplace = try Workplace(
            schema: #"{"fields": [{"name": "username", "constraints": {"required": true, "unique": true}}]}"#)
        // The first line is typed in Latin-1, and the second in UTF-8.
        let outcome = try workplace.shell(
            #"""
            (sleep 0.5; printf 'M\xfcller\n'; sleep 0.5; printf 'Müller\n') \
              | script -qec "'\#(try Workplace.binary())' register --plain" /dev/null
            """#)
        #expect(outcome.output.contains("That is not UTF-8 text."), "\(outcome)")
        #expect(try workplace.profiles("list", "--format", "json").output.contains(#""username": "Müller""#))
    }

    @Test("a signal that comes at a prompt ends the command in order", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signal(number: Int32) throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        // When the signal comes, the first row is stored and has left the file.
        try workplace.write(
            "username,password,phone,address,_line,_issues\nbert,,1,12 Main St,2,\ncleo,,2,12 Main St,3,\n",
            to: "rejects.csv")
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try driver.wait(for: "Mend it? ")
        try driver.type("\n")
        try typePassword(driver)
        try driver.wait(for: "Phone, was 1, ")
        #expect(!driver.screen.contains("Phone should have at least 8 digits.\nPhone"))
        try driver.type("78761241\n")
        try driver.wait(for: "Row 2 of 2")
        driver.send(number)
        #expect(try driver.end() == (number == SIGINT ? 130 : 128 + number))
        #expect(try workplace.read("rejects.csv").split(separator: "\n").count == 2)
        #expect(try workplace.profiles("lookup", "bert").status == 0)
    }

    private func typePassword(_ driver: TerminalDriver) throws {
        for question in ["Password, required", "Repeat password: "] {
            try driver.wait(for: question)
            try driver.type("bK8oio\n")
        }
    }

    @Test func `N9: the user can leave a row half-way, and an empty answer keeps the old value`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.write(
            "username,password,phone,address,_line,_issues\nbert,,1,12 Main St,2,\nANNA,,78761241,12 Main St,3,\n",
            to: "rejects.csv")
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try driver.wait(for: "Mend it? [Y/n/d/q]: ")
        #expect(driver.transcript.ranges(of: "Phone should have at least 8 digits").count == 1)
        try driver.type("\n")
        try typePassword(driver)
        try driver.wait(for: "Phone, was 1, ")
        #expect(driver.transcript.ranges(of: "Phone should have at least 8 digits").count == 1, "it was said before")
        try driver.type("2\n")
        try driver.wait(for: "Try again? [Y/n/d/q]: ")
        try driver.type("\n")
        try driver.wait(for: "Phone, was 1, ")
        try driver.type("\n")
        try driver.wait(for: "Try again? [Y/n/d/q]: ")
        try driver.type("n\n")
        try driver.wait(for: "Row 2 of 2")
        try driver.type("\n")
        try typePassword(driver)
        // The user can also leave the row after an issue that only the store finds.
        try driver.wait(for: "Try again? [Y/n/d/q]: ")
        try driver.type("\n")
        try driver.wait(for: "Username, was ANNA, ")
        try driver.type("\n")
        try driver.wait(for: "Try again? [Y/n/d/q]: ")
        try driver.type("q\n")
        #expect(try driver.end() == 1)
        #expect(try workplace.read("rejects.csv").split(separator: "\n").count == 3)
    }

    @Test func `a form stores nothing if its input ends or if it is interrupted`() throws {
        let workplace = try Workplace()
        for (key, status) in [(TerminalKey.control("d"), Int32(65)), (.control("c"), 130)] {
            let driver = try TerminalDriver(workplace, "register", "--plain")
            try driver.wait(for: "Username, ")
            try driver.type("skboard\n")
            try driver.wait(for: "Password, ")
            try driver.type("aK8oio\n")
            try driver.wait(for: "Repeat password: ")
            try driver.type("aK8oio\n")
            try driver.wait(for: "Phone, ")
            try driver.press(key)
            #expect(try driver.end() == status)
            #expect(driver.screen.contains("Nothing was stored"))
        }
        #expect(try workplace.profiles("list", "--format", "json").output.contains("\"profiles\": []"))
    }
}
