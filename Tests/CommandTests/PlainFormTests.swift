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
        try driver.wait(for: "Username, required, 2–10 letters a–z and digits 0–9: ")
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
        try driver.wait(for: "Postal code, 5 digits 0–9, or nothing: ")
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
        // What only the store knows is said, and asked for again.
        try driver.wait(for: "Username is taken.")
        try driver.type("anna2\n")
        #expect(try driver.end() == 0)
        #expect(!driver.transcript.contains("\u{1B}"))
        let stored = try workplace.profiles("lookup", "anna2").output
        for text in ["1111-2222", "12 Main St", "1998-01-15"] { #expect(stored.contains(text)) }
        #expect(!stored.contains("89761"))
        #expect(try workplace.profiles("login", "anna2", "--password-stdin", input: "aK8oio").status == 0)
    }

    @Test func `R3: what another process has changed meanwhile is said, and one chooses`() throws {
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

    @Test func `nothing is stored of a form whose input ends, or that is interrupted`() throws {
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
        }
        #expect(try workplace.profiles("list", "--format", "json").output.contains("\"profiles\": []"))
    }
}
