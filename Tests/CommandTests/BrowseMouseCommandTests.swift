import Platform
import ProfileTesting
import Testing
import Watchdog

/// The mouse over the table in a real terminal.
@Suite(.watched) struct BrowseMouseCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "town", "title": "Town"}, {"name": "street", "title": "Street"}]}
                """)
        let rows = (1...40).map { "u\($0),Town\($0 % 4),Elm\n" }
        try workplace.importRows("username,town,street\n" + rows.joined())
    }

    private func browse(_ arguments: String...) throws -> TerminalDriver {
        // The backtrace of a crash takes seconds.
        let driver = try TerminalDriver(
            workplace, ["browse"] + arguments, environment: ["SWIFT_BACKTRACE": "enable=no"])
        try driver.closeWelcome()
        try driver.wait(until: { $0.contains("1 of 40") })
        return driver
    }

    /// Sends what a terminal sends for the left button, the wheel and movements.
    private func send(_ driver: TerminalDriver, _ button: Int, _ row: Int, _ column: Int, isRelease: Bool = false)
        throws
    {
        try driver.type("\u{1B}[<\(button);\(column + 1);\(row + 1)\(isRelease ? "m" : "M")")
    }

    @Test func `N16: a user clicks, sorts, scrolls and drags, and the new width is remembered`() throws {
        var driver = try browse()
        try send(driver, 0, 6, 4)
        try send(driver, 0, 6, 4, isRelease: true)
        try driver.wait(until: { $0.contains("4 of 40") })
        try send(driver, 65, 6, 4)
        try driver.wait(until: { $0.rows[3].contains("u4") })
        let town = try #require(driver.screen.rows[2].firstRange(of: "Town"))
        let column = driver.screen.rows[2].distance(from: driver.screen.rows[2].startIndex, to: town.lowerBound)
        try send(driver, 0, 2, column)
        try driver.wait(until: { $0.contains("by Town ↑") })
        // The edge of "username" is just before "Town".
        try send(driver, 0, 2, column - 1)
        try send(driver, 32, 2, column + 9)
        try send(driver, 0, 2, column + 9, isRelease: true)
        try driver.wait(until: { $0.rows[2].contains("          Town") })
        // A double click opens the form.
        try send(driver, 0, 5, 4)
        try send(driver, 0, 5, 4, isRelease: true)
        try send(driver, 0, 5, 4)
        try driver.wait(until: { $0.contains("Edit u") })
        try send(driver, 0, 5, 4, isRelease: true)
        try driver.press(.escape)
        try driver.wait(until: { $0.contains("profile is as it was") && $0.rows[2].contains("          Town") })
        try driver.type("q")
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
        driver = try browse()
        #expect(driver.screen.rows[2].contains("          Town"))
        try driver.type("q")
        #expect(try driver.end() == 0)
    }

    @Test(
        "N16: mouse reporting is turned off however the table ends",
        arguments: ["q", "\u{3}", "SIGTERM", "SIGHUP", "SIGINT", "SIGABRT", "SIGSEGV"])
    func end(how: String) throws {
        let driver = try browse()
        #expect(!driver.isRestored && driver.transcript.contains("\u{1B}[?1002h"))
        let signals = ["SIGTERM": SIGTERM, "SIGHUP": SIGHUP, "SIGINT": SIGINT, "SIGABRT": SIGABRT, "SIGSEGV": SIGSEGV]
        if let signal = signals[how] { driver.send(signal) } else { try driver.type(how) }
        _ = try driver.end()
        #expect(driver.isRestored)
        #expect(driver.transcript.contains("\u{1B}[?1006l\u{1B}[?1002l"))
    }

    @Test func `N16: mouse reporting is off while the program is suspended`() throws {
        let driver = try TerminalDriver(
            ["/bin/sh", "-c", "set -m; '\(try Workplace.binary())' browse; echo stopped; read answer; fg"],
            environment: workplace.environment, folder: workplace.folder)
        try driver.closeWelcome()
        try driver.wait(until: { $0.contains("1 of 40") })
        try driver.press(.control("z"))
        try driver.wait(until: { $0.contains("stopped") })
        #expect(driver.isRestored)
        try driver.type("\n")
        try driver.wait(until: { $0.contains("1 of 40") })
        try send(driver, 0, 6, 4)
        try driver.wait(until: { $0.contains("4 of 40") })
        try driver.type("q")
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
    }

    @Test func `N16: with --no-mouse, mouse reporting is never turned on`() throws {
        let driver = try browse("--no-mouse")
        #expect(!driver.transcript.contains("\u{1B}[?1002h") && !driver.transcript.contains("\u{1B}[?1006h"))
        try driver.type("q")
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
    }
}
