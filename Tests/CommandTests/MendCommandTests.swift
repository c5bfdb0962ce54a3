import Platform
import ProfileTesting
import Testing
import Watchdog

/// Rejected rows that are mended by hand.
@Suite(.watched) struct MendCommandTests {
    /// A store with anna, and a file of three rejected rows: a short phone, a name that is taken, a short name.
    private func rejects() throws -> Workplace {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.write(
            """
            username,password,phone,address
            bert,aK8oio,7876,12 Main St
            ANNA,aK8oio,78761241,1 Side St
            d,aK8oio,78761242,3 Main St

            """, to: "people.csv")
        #expect(try workplace.profiles("import", "people.csv", "--rejects", "rejects.csv").status == 1)
        return workplace
    }

    private func lines(_ workplace: Workplace) throws -> [Substring] {
        try workplace.read("rejects.csv").split(separator: "\n")
    }

    /// Mends the first row in the form.
    private func mendBert(_ driver: TerminalDriver) throws {
        try driver.wait(for: "Row 1 of 3, line 2")
        try driver.wait(for: "Phone should have at least 8 digits")
        #expect(driver.screen.contains("Password is required"))
        #expect(driver.screen.contains("12 Main St"))
        #expect(driver.screen.contains("Ctrl-N skip"))
        try driver.type("bK8oio\n1241")
        try driver.wait(for: "7876-1241")
        try driver.press(.control("s"))
    }

    @Test func `N9: rejected rows come in the form with their issues, and what is stored leaves the file`() throws {
        let workplace = try rejects()
        let before = try lines(workplace)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try mendBert(driver)
        try driver.wait(for: "Row 2 of 3, line 3")
        try driver.wait(for: "Username is taken")
        try driver.press(.control("n"))
        try driver.wait(for: "Row 3 of 3, line 4")
        try driver.type("ora\ncK8oio\n")
        try driver.press(.control("s"))
        #expect(try driver.end() == 1)
        #expect(driver.isRestored)
        #expect(driver.screen.contains("2 rows stored; 1 is left in rejects.csv."))
        #expect(!driver.transcript.contains("K8oio"))
        #expect(try lines(workplace) == [before[0], before[2]])
        #expect(workplace.mode("rejects.csv") & 0o777 == 0o600)
        #expect(try workplace.profiles("lookup", "dora").output.contains("3 Main St"))
        #expect(try workplace.profiles("login", "bert", "--password-stdin", input: "bK8oio").status == 0)

        // What is left can be mended another time, and the file goes with its last row.
        let again = try TerminalDriver(workplace, "mend", "rejects.csv")
        try again.wait(for: "Row 1 of 1, line 3")
        try again.press(.control("u"))
        try again.type("emma\ndK8oio\n")
        try again.press(.control("s"))
        #expect(try again.end() == 0)
        #expect(again.screen.contains("1 row stored; none is left, and rejects.csv is removed."))
        #expect(!workplace.exists("rejects.csv"))
        #expect(try workplace.profiles("lookup", "emma").status == 0)
    }

    @Test("N9: stopped at any key, nothing is lost", arguments: [TerminalKey.escape, .control("c")])
    func stopped(by key: TerminalKey) throws {
        let workplace = try rejects()
        let before = try lines(workplace)
        let idle = try TerminalDriver(workplace, "mend", "rejects.csv")
        try idle.wait(for: "Row 1 of 3")
        try idle.press(key)
        #expect(try idle.end() == (key == .escape ? 1 : 130))
        #expect(try lines(workplace) == before)

        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try mendBert(driver)
        try driver.wait(for: "Row 2 of 3")
        try driver.press(key)
        #expect(try driver.end() == (key == .escape ? 1 : 130))
        #expect(try lines(workplace) == [before[0], before[2], before[3]])
        #expect(try workplace.profiles("lookup", "bert").status == 0)
    }

    @Test func `N9: a row that was stored when mending was killed leaves the file without a question`() throws {
        let workplace = try rejects()
        let before = try lines(workplace)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try mendBert(driver)
        try driver.wait(for: "Row 2 of 3")
        driver.send(SIGKILL)
        #expect(try driver.end() == 128 + SIGKILL)
        #expect(try lines(workplace) == before)
        // The phone was mended, so that this row is another than what is stored, and comes as one whose name is taken.
        let again = try TerminalDriver(workplace, "mend", "rejects.csv")
        try again.wait(for: "Row 1 of 3")
        try again.wait(for: "Username is taken")
        try again.press(.escape)
        #expect(try again.end() == 1)
        try workplace.write(before.joined(separator: "\n").replacing("7876,", with: "7876-1241,"), to: "rejects.csv")
        let stored = try TerminalDriver(workplace, "mend", "rejects.csv")
        try stored.wait(for: "Row 2 of 3")
        try stored.press(.escape)
        #expect(try stored.end() == 1)
        #expect(stored.screen.contains("0 rows stored, 1 stored before; 2 are left"))
        #expect(try lines(workplace).count == 3)
    }

    @Test func `N9: line by line only what is wrong is asked for`() throws {
        let workplace = try rejects()
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try driver.wait(for: "Row 1 of 3, line 2: Username bert, Phone 7876, Address 12 Main St")
        try driver.wait(for: "Mend it? [Y/n/q]: ")
        try driver.type("\n")
        try driver.wait(for: "Password, required")
        try driver.type("bK8oio\n")
        try driver.wait(for: "Repeat password: ")
        try driver.type("bK8oio\n")
        try driver.wait(for: "Phone, was 7876, ")
        try driver.type("7876-1241\n")
        try driver.wait(for: "Row 2 of 3, line 3: Username ANNA")
        try driver.wait(for: "Username is taken.")
        try driver.type("n\n")
        try driver.wait(for: "Row 3 of 3, line 4")
        try driver.type("q\n")
        #expect(try driver.end() == 1)
        #expect(driver.screen.contains("1 row stored; 2 are left in rejects.csv."))
        #expect(!driver.transcript.contains("\u{1B}") && !driver.transcript.contains("bK8oio"))
        #expect(try lines(workplace).count == 3)
        #expect(try workplace.profiles("lookup", "bert").output.contains("7876-1241"))
    }

    @Test func `without a terminal, or a file of that name, nothing is mended`() throws {
        let workplace = try rejects()
        let outcome = try workplace.profiles("mend", "rejects.csv")
        #expect(outcome.status == 64)
        #expect(
            outcome.error == """
                Error: Rows are mended on a terminal, and there is none
                  Elsewhere correct rejects.csv itself, and import it again

                """)
        #expect(try TerminalDriver(workplace, "mend", "nothing.csv").end() == 66)
        #expect(try workplace.profiles("mend", "-").status == 64)
    }
}
