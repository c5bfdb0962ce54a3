import Platform
import ProfileTesting
import Testing
import Watchdog

/// Passcodes and logins on a screen, in a real terminal.
@Suite(.watched) struct SecretScreenTests {
    private let references = ReferenceScreens()

    private func passcode(_ workplace: Workplace, _ action: String) throws -> TerminalDriver {
        let driver = try TerminalDriver(workplace, "passcode", action, "anna")
        let title = action.prefix(1).uppercased() + action.dropFirst() + " Pass Code"
        try driver.wait(for: title)
        return driver
    }

    private func set(_ passcode: String, _ workplace: Workplace) throws {
        _ = try workplace.profiles("passcode", "remove", "anna", "--yes")
        let outcome = try workplace.profiles(
            "passcode", "create", "anna", "--stdin", input: "\(passcode)\n\(passcode)\n")
        #expect(outcome.status == 0)
    }

    @Test func `P4, P5: a passcode is created by two entries that match`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let driver = try passcode(workplace, "create")
        try references.verify(driver.screen, is: "passcode-create-80x24", includesStyles: true)
        #expect(driver.screen.rows.filter { $0.contains("[") }.count == 2)
        try driver.type("appleworks1\nappleworks2\n")
        try driver.wait(for: "Pass codes do not match")
        #expect(driver.screen.contains(" Error "))
        try references.verify(driver.screen, is: "passcode-mismatch-80x24", includesStyles: true)
        try driver.press(.enter)
        try driver.wait(until: { !$0.contains("do not match") && !$0.contains("•") })
        try driver.type("appleworks1\nappleworks1\n")
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
        #expect(driver.screen.contains("Passcode created"))
        #expect(!driver.transcript.contains("appleworks"))
        #expect(
            try workplace.profiles("passcode", "validate", "anna", "--stdin", input: "appleworks1\n").status == 0)
    }

    @Test func `P1: an existing passcode is not overwritten, and an unknown username is an error`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try set("parislondon", workplace)
        let driver = try TerminalDriver(workplace, "passcode", "create", "anna")
        #expect(try driver.end() == 1)
        #expect(driver.transcript.contains("Error: The profile has a passcode already"))
        #expect(!driver.transcript.contains("New passcode"))
        #expect(
            try workplace.profiles("passcode", "validate", "anna", "--stdin", input: "parislondon\n").status == 0)
        #expect(try TerminalDriver(workplace, "passcode", "create", "nobody").end() == 1)
    }

    @Test func `P4, P5: the right passcode is validated, a wrong one alerts and may be tried again`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try set("parislondon", workplace)
        let driver = try passcode(workplace, "validate")
        #expect(driver.screen.rows.filter { $0.contains("[") }.count == 1)
        try driver.type("parislondon1\n")
        try driver.wait(for: "The passcode is wrong")
        try driver.press(.escape)
        try driver.wait(until: { !$0.contains("wrong") })
        try driver.type("parislondon\n")
        #expect(try driver.end() == 0)
        #expect(driver.screen.contains("Passcode right"))

        let left = try passcode(workplace, "validate")
        try left.type("parislondon1\n")
        try left.wait(for: "The passcode is wrong")
        try left.press(.enter)
        try left.wait(until: { !$0.contains("wrong") })
        try left.press(.escape)
        #expect(try left.end() == 1)
        #expect(left.screen.contains("Error: The passcode is wrong"))
    }

    @Test func `P4, P5: a passcode is changed with the right old one and two equal entries of the new one`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try set("marsvenus", workplace)
        let driver = try passcode(workplace, "edit")
        #expect(driver.screen.rows.filter { $0.contains("[") }.count == 3)
        try driver.type("mercuryjupiter\nmorningafternoon\nmorningafternoon\n")
        try driver.wait(for: "The passcode is wrong")
        try driver.press(.enter)
        try driver.wait(until: { !$0.contains("wrong") })
        // The entries of the new passcode are still in their fields.
        try driver.type("marsvenus")
        try driver.press(.control("s"))
        #expect(try driver.end() == 0)
        #expect(driver.screen.contains("Passcode changed"))
        try set("marsvenus", workplace)
        let second = try passcode(workplace, "edit")
        try second.type("marsvenus\nmorningafternoon1\nmorningafternoon2\n")
        try second.wait(for: "Pass codes do not match")
        try second.press(.control("c"))
        #expect(try second.end() == 130)
        #expect(try workplace.profiles("passcode", "validate", "anna", "--stdin", input: "marsvenus\n").status == 0)
    }

    @Test func `P9: after too many wrong passcodes a countdown is shown, and leaving exits 77`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try set("parislondon", workplace)
        let driver = try passcode(workplace, "validate")
        var isThrottled = false
        // Each failure from the fifth on doubles the delay, so even a slow machine is throttled at some time.
        for _ in 0..<20 where !isThrottled {
            try driver.type("parislondon1\n")
            try driver.wait(until: { $0.contains("The passcode is wrong") || $0.contains("try again in") })
            isThrottled = driver.screen.contains("try again in")
            if !isThrottled {
                try driver.press(.enter)
                try driver.wait(until: { !$0.contains("wrong") })
            }
        }
        #expect(isThrottled)
        // The countdown ends by itself.
        try driver.wait(until: { $0.contains("You may try again") })
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("The passcode is wrong") })
        try driver.press(.enter)
        try driver.type("parislondon1\n")
        try driver.wait(until: { $0.contains("try again in") })
        try driver.press(.escape)
        try driver.wait(for: "Leave?")
        try driver.press(.down)
        try driver.press(.enter)
        #expect(try driver.end() == 77)
        #expect(driver.screen.contains("Error: Too many failed attempts"))
    }

    @Test func `L5: an alert shows a refused login, and another one greets the user`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let driver = try TerminalDriver(workplace, "login")
        try driver.closeWelcome()
        try driver.wait(until: { $0.contains("Log in") })
        try references.verify(driver.screen, is: "login-80x24", includesStyles: true)
        try driver.type("p\naK8oio\n")
        try driver.wait(for: "Your username should have at least 2 and at most 10 characters")
        try driver.press(.enter)
        try driver.press(.up)
        try driver.press(.control("u"))
        for (password, text) in [
            ("po", "Your password should have at least 3 characters with at least"),
            ("poytrl", "Your password should have at least one uppercase letter"),
            ("aK8oiO", "The user credentials are invalid"),
        ] {
            try driver.wait(until: { !$0.contains("Error") })
            if password == "po" { try driver.type("anna\n") }
            try driver.press(.control("u"))
            try driver.type(password + "\n")
            try driver.wait(for: text)
            #expect(driver.screen.contains(" Error "))
            try driver.press(.enter)
        }
        try driver.wait(until: { !$0.contains("Error") })
        try driver.type("aK8oio\n")
        try driver.wait(for: "Hello anna")
        #expect(driver.screen.contains(" Success "))
        try references.verify(driver.screen, is: "login-success-80x24", includesStyles: true)
        try driver.press(.enter)
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
        #expect(driver.screen.contains("Hello anna"))
        #expect(!driver.transcript.contains("aK8oio"))
    }

    @Test func `a login by name asks for the password, and one that was refused exits 1`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let driver = try TerminalDriver(workplace, "login", "anna")
        try driver.closeWelcome()
        try driver.type("aK8oiO\n")
        try driver.wait(for: "The user credentials are invalid")
        try driver.press(.enter)
        try driver.wait(until: { !$0.contains("invalid") })
        try driver.press(.escape)
        #expect(try driver.end() == 1)
        #expect(driver.screen.contains("Error: The user credentials are invalid"))
        let untouched = try TerminalDriver(workplace, "login", "anna")
        try untouched.closeWelcome()
        try untouched.press(.escape)
        #expect(try untouched.end() == 1)
    }

    @Test func `a username is asked for on a line with --plain`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let driver = try TerminalDriver(workplace, "login", "--plain")
        try driver.wait(for: "Username: ")
        try driver.type("anna\n")
        try driver.wait(for: "Password: ")
        try driver.type("aK8oio\n")
        #expect(try driver.end() == 0)
        #expect(driver.screen.contains("Hello anna"))
        #expect(!driver.transcript.contains("\u{1B}"))
    }
}
