import ProfileTesting
import Testing
import Watchdog

/// T5: the welcome notice, in a real terminal.
@Suite(.watched) struct WelcomeTests {
    private let references = ReferenceScreens()
    private let record = ".local/state/profiles/welcomed"

    private func workplace() throws -> Workplace {
        let workplace = try Workplace()
        try workplace.register("anna")
        return workplace
    }

    /// Waits for the screen of the command, checks that no welcome covers it, and leaves.
    private func leaveUnwelcomed(
        _ workplace: Workplace, _ arguments: String..., environment: [String: String] = [:]
    ) throws {
        let driver = try TerminalDriver(workplace, arguments, environment: environment)
        try driver.wait(until: { $0.isAlternate && $0.contains(" leave") })
        #expect(!driver.screen.contains("Welcome"), "\(arguments)")
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
    }

    @Test(
        "T5: each user sees the welcome once for all stores, and keys before its end enter no field",
        arguments: ["register", "login"])
    func once(command: String) throws {
        let workplace = try workplace()
        let plain = try TerminalDriver(workplace, command, "--plain")
        try plain.wait(for: "Username")
        try plain.press(.control("c"))
        #expect(try plain.end() == 130)
        let first = try TerminalDriver(workplace, command)
        try first.wait(for: "Welcome to this awesome app!")
        #expect(first.screen.contains(" Welcome ") && first.screen.contains("[ Close ]"))
        try references.verify(first.screen, is: "\(command)-welcome-80x24", includesStyles: true)
        try first.type("abc")
        try first.press(command == "login" ? .escape : .enter)
        try first.wait(until: { !$0.contains("Welcome") })
        #expect(!first.screen.contains("abc"))
        try first.press(.escape)
        #expect(try first.end() == 1)
        #expect(workplace.mode(record) == 0o600 && workplace.mode(".local/state/profiles") == 0o700)
        #expect(try workplace.profiles("init", "--database", "other.sqlite").status == 0)
        for other in ["register", "login"] {
            try leaveUnwelcomed(workplace, other)
            try leaveUnwelcomed(workplace, other, "--database", "other.sqlite")
        }
    }

    @Test func `T5: a command with a name or a file starts without the welcome`() throws {
        let workplace = try workplace()
        try workplace.write("username,password,phone,address\nbert,aK8oio,7876,12 Main St\n", to: "people.csv")
        #expect(try workplace.profiles("import", "people.csv", "--rejects", "rejects.csv").status == 1)
        try leaveUnwelcomed(workplace, "login", "anna")
        try leaveUnwelcomed(workplace, "edit", "anna")
        try leaveUnwelcomed(workplace, "passcode", "create", "anna")
        try leaveUnwelcomed(workplace, "mend", "rejects.csv")
        #expect(try workplace.profiles("lookup", "anna").status == 0)
        #expect(!workplace.exists(record))
    }

    @Test func `T5: a welcome that cannot be remembered is not shown, and commands work as usual`() throws {
        let workplace = try workplace()
        try workplace.write("", to: "file")
        try leaveUnwelcomed(workplace, "register", environment: ["HOME": ""])
        try leaveUnwelcomed(workplace, "register", environment: ["HOME": "\(workplace.folder)/missing"])
        try leaveUnwelcomed(workplace, "login", environment: ["XDG_STATE_HOME": "\(workplace.folder)/file"])
        #expect(!workplace.exists("missing") && !workplace.exists(record))
    }

    @Test func `T5: the welcome is remembered in the folder of XDG_STATE_HOME, unless that is relative`() throws {
        let workplace = try workplace()
        let state = "\(workplace.folder)/state"
        for (place, path) in [(state, "state/profiles/welcomed"), ("state", record)] {
            let driver = try TerminalDriver(workplace, "login", environment: ["XDG_STATE_HOME": place])
            try driver.wait(for: "Welcome to this awesome app!")
            #expect(workplace.exists(path))
            try driver.press(.control("c"))
            #expect(try driver.end() == 130)
        }
    }

    @Test func `T5: of two terminals at once, one shows the welcome`() throws {
        let workplace = try workplace()
        let drivers = try (0..<2).map { _ in try TerminalDriver(workplace, "login") }
        for driver in drivers { try driver.wait(until: { $0.contains(" leave") || $0.contains("Welcome") }) }
        #expect(drivers.count { $0.screen.contains("Welcome") } == 1)
        for driver in drivers {
            try driver.press(.control("c"))
            #expect(try driver.end() == 130)
        }
    }
}
