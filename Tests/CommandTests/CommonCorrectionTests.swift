import Platform
import ProfileCore
import ProfileTesting
import Testing
import Watchdog

/// N9: one correction for all rows that have the same wrong value.
@Suite(.watched) struct CommonCorrectionTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "birthday", "title": "Birthday", "type": "date"},
                  {"name": "town", "title": "Town", "constraints": {"maxLength": 6}},
                  {"name": "note", "title": "Note"}]}
                """)
    }

    /// Writes rejected rows with the wrong birthday 1/1/1900. The rows with these numbers also have a wrong town.
    private func reject(_ count: Int, wrongTowns: Set<Int> = []) throws {
        let rows = (1...count).map { number in
            "u\(number),1/1/1900,\(wrongTowns.contains(number) ? "London" : "Paris")"
                + "\(wrongTowns.contains(number) ? "-City" : ""),\"a\nb\"\n"
        }
        try workplace.write("username,birthday,town,note\n" + rows.joined(), to: "people.csv")
        #expect(try workplace.profiles("import", "people.csv", "--rejects", "rejects.csv").status == 1)
    }

    private var storedCount: Int {
        get throws { Int(try workplace.profiles("list", "--count").output.filter(\.isNumber)) ?? -1 }
    }

    private func correctBirthday(_ driver: TerminalDriver, of count: Int) throws {
        try driver.wait(for: "Row 1 of \(count)")
        try driver.wait(for: "1/1/1900")
        try driver.press(.control("u"))
        try driver.type("1900-01-01")
        try driver.press(.control("s"))
    }

    @Test func `N9: a value that 110 rows have is corrected in all of them, and the rows are stored`() throws {
        try reject(110)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try correctBirthday(driver, of: 110)
        try driver.wait(for: "109 more rows have \"1/1/1900\" in Birthday.")
        #expect(driver.screen.contains("Put \"1900-01-01\" in"), "\(driver.screen)")
        #expect(driver.screen.contains("› No, only in this row"))
        try driver.press(.down)
        try driver.press(.enter)
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
        #expect(
            driver.screen.contains("110 rows stored; none is left, and rejects.csv is removed."), "\(driver.screen)")
        #expect(driver.screen.contains("109 rows got the correction of another row."))
        #expect(!workplace.exists("rejects.csv"))
        let stored = try workplace.profiles("list", "--where", "birthday=1900-01-01", "--count")
        #expect(stored.output == "110\n")
        #expect(try workplace.profiles("imports").output.contains("rejects.csv"))
    }

    @Test func `N9: rows with another mistake keep the correction, and are offered with that mistake`() throws {
        try reject(12, wrongTowns: [2, 5, 12])
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try driver.wait(for: "Row 1 of 12")
        try driver.press(.control("n"))
        try driver.wait(for: "Row 2 of 12")
        try driver.press(.control("u"))
        try driver.type("1900-01-01\n")
        try driver.press(.control("u"))
        try driver.type("London")
        try driver.press(.control("s"))
        try driver.wait(for: "11 more rows have \"1/1/1900\" in Birthday.")
        try driver.press(.down)
        try driver.press(.enter)
        try driver.wait(for: "2 more rows have \"London-City\" in Town.")
        // The file already has the correction, and no longer has the stored rows.
        let left = try workplace.read("rejects.csv")
        #expect(left.contains("u5,1900-01-01,London-City") && left.contains("u12,1900-01-01,London-City"), "\(left)")
        #expect(!left.contains("1/1/1900,") && !left.contains("\nu1,") && !left.contains("\nu2,"), "\(left)")
        try driver.press(.escape)
        try driver.wait(for: "Row 5 of 12")
        #expect(driver.screen.contains("1900-01-01") || driver.screen.contains("1900.01.01"))
        #expect(!driver.screen.contains("Birthday should"), "\(driver.screen)")
        try driver.press(.control("u"))
        try driver.type("Lima")
        try driver.press(.control("s"))
        // The question about London-City was answered already.
        try driver.wait(for: "Row 12 of 12")
        try driver.press(.escape)
        #expect(try driver.end() == 1)
        #expect(driver.screen.contains("11 rows stored; 1 is left in rejects.csv."), "\(driver.screen)")
        #expect(try storedCount == 11)
        #expect(try workplace.profiles("show", "u1").output.contains("a\\nb"))
    }

    @Test func `N9: with --plain the question is the same, and the answer no keeps the other rows as they are`() throws
    {
        try reject(3)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try driver.wait(for: "Mend it?")
        try driver.type("y\n")
        try driver.wait(for: "Birthday, was 1/1/1900")
        try driver.type("1900-01-01\n")
        try driver.wait(for: "2 more rows have \"1/1/1900\" in Birthday. Put \"1900-01-01\" in all of them? [y/N] ")
        try driver.type("n\n")
        try driver.wait(for: "Row 2 of 3")
        try driver.type("y\n")
        try driver.wait(for: "Birthday, was 1/1/1900")
        // Clearing the optional field is another correction of the same mistake. The command does not ask about it
        // again.
        try driver.type("-\n")
        try driver.wait(for: "Row 3 of 3")
        try driver.type("q\n")
        #expect(try driver.end() == 1)
        #expect(driver.screen.contains("2 rows stored; 1 is left in rejects.csv."))
        #expect(!driver.screen.contains("correction of another row"))

        let again = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try again.wait(for: "Mend it?")
        try again.type("d\n")
        #expect(try again.end() == 0)
    }

    @Test func `N9: a wrong value is cleared in one more row, and unique fields are not asked about`() throws {
        try workplace.write(
            "username,birthday\nana,x\nana,1990-01-01\nana,1991-01-01\nbob,x\n", to: "people.csv")
        #expect(try workplace.profiles("import", "people.csv", "--rejects", "rejects.csv").status == 1)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        // ana was imported with her second row.
        try driver.wait(for: "Row 1 of 3")
        try driver.type("y\n")
        try driver.wait(for: "Birthday, was x")
        try driver.type("-\n")
        try driver.wait(for: "Username is taken.")
        try driver.wait(for: "Try again?")
        try driver.type("\n")
        try driver.wait(for: "Username, was ana")
        try driver.type("anb\n")
        try driver.wait(for: "1 more row has \"x\" in Birthday. Clear the field there too? [y/N] ")
        try driver.type("yes\n")
        try driver.wait(for: "Row 2 of 3, line 4: Username ana")
        try driver.type("n\n")
        #expect(try driver.end() == 1)
        #expect(driver.screen.contains("2 rows stored; 1 is left in rejects.csv."), "\(driver.screen)")
        #expect(try storedCount == 3)
    }

    @Test func `N9: rows that lack their password, or have one in the file, are not stored together`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.register("bert")
        try workplace.write(
            """
            username,password,phone,_line,_issues
            anna,,x,2,phone: too_short (x)
            bert,,x,3,password: too_short (x); phone: too_short (x)
            carl,Other9x,x,4,phone: too_short (x)
            dora,,x,5,phone: too_short (x)

            """, to: "rejects.csv")
        let driver = try TerminalDriver(
            workplace, "mend", "rejects.csv", "--on-duplicate", "update", "--plain")
        try driver.wait(for: "Mend it?")
        try driver.type("y\n")
        try driver.wait(for: "Phone, was x")
        try driver.type("11112222\n")
        try driver.wait(for: "3 more rows have \"x\" in Phone.")
        try driver.type("y\n")
        try driver.wait(for: "Row 2 of 4, line 3, edits bert")
        try driver.type("q\n")
        #expect(try driver.end() == 1)
        #expect(driver.screen.contains("1 row stored; 3 are left in rejects.csv."), "\(driver.screen)")
        #expect(try workplace.profiles("login", "bert", "--password-stdin", input: "aK8oio").status == 0)
        let left = try workplace.read("rejects.csv").split(separator: "\n")
        #expect(left.dropFirst().allSatisfy { $0.contains(",1111-2222,") }, "\(left)")
    }

    @Test func `N9: if the store is busy, the rows stay in the file with the correction`() throws {
        try reject(5)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--wait", "0.5")
        try correctBirthday(driver, of: 5)
        try driver.wait(for: "4 more rows have")
        let lock = open("\(workplace.folder)/store.sqlite-lock", O_RDWR | O_CLOEXEC)
        #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        try driver.press(.down)
        try driver.press(.enter)
        #expect(try driver.end() == 75)
        #expect(driver.isRestored)
        #expect(driver.screen.contains("1 row stored; 4 are left in rejects.csv."), "\(driver.screen)")
        #expect(driver.screen.contains("The store is busy"))
        #expect(flock(lock, LOCK_UN) == 0)
        #expect(try workplace.read("rejects.csv").ranges(of: ",1900-01-01,").count == 4)
        #expect(try workplace.profiles("import", "rejects.csv").status == 0)
        #expect(try storedCount == 5)
    }

    @Test func `N9: interrupted while rows are stored, the others stay in the file with the correction`() throws {
        try reject(40_000)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try correctBirthday(driver, of: 40_000)
        try driver.wait(for: "39,999 more rows have")
        try driver.press(.down)
        try driver.press(.enter)
        // The work may be done before this key comes.
        try? driver.press(.control("c"))
        let status = try driver.end()
        #expect(driver.isRestored)
        let stored = try storedCount
        guard status == 130 else {
            #expect(status == 0 && stored == 40_000)
            return
        }
        #expect(driver.screen.contains("Interrupted: the rows that are not stored have the correction"))
        let left = try workplace.read("rejects.csv").ranges(of: ",1900-01-01,").count
        #expect(stored + left == 40_000, "\(stored) \(left)")
        #expect(try workplace.profiles("import", "rejects.csv", "--quiet").status == 0)
        #expect(try storedCount == 40_000)
    }

    @Test("N9: killed at any moment of a common correction, each row is stored or in the file", arguments: 0..<6)
    func killed(round: Int) throws {
        try reject(3_000, wrongTowns: [7])
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try correctBirthday(driver, of: 3_000)
        try driver.wait(for: "2,999 more rows have")
        try driver.press(.down)
        try driver.press(.enter)
        usleep(UInt32(round) * 12_000)
        driver.send(SIGKILL)
        let status = try driver.end()
        #expect(status == 128 + SIGKILL || status == 1)
        let stored = try storedCount
        let text = try workplace.read("rejects.csv")
        let wrong = text.ranges(of: ",1/1/1900,").count
        let right = text.ranges(of: ",1900-01-01,").count
        #expect(wrong == 0 || right <= 1, "\(wrong) \(right)")
        #expect(stored + wrong + right >= 3_000, "\(stored) \(wrong) \(right)")
        #expect(try workplace.profiles("check").status == 0)
        guard wrong == 0 else { return }
        // An import of the file stores the rest.
        let rest = try workplace.profiles(
            "import", "rejects.csv", "--on-duplicate", "skip", "--rejects", "rest.csv")
        #expect(rest.status == 1)
        #expect(try storedCount == 2_999)
    }
}
