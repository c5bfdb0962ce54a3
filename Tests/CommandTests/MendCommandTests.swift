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

    @Test func `N9: the form shows rejected rows with their issues, and stored rows leave the file`() throws {
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

        // The remaining row can be mended later, and the file is removed with its last row.
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

    @Test("N9: if the user stops with Esc or Ctrl-C, no row is lost", arguments: [TerminalKey.escape, .control("c")])
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

    @Test func `N9: a row that was stored when mending was killed is not asked about again`() throws {
        let workplace = try rejects()
        let before = try lines(workplace)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try mendBert(driver)
        try driver.wait(for: "Row 2 of 3")
        driver.send(SIGKILL)
        #expect(try driver.end() == 128 + SIGKILL)
        // The row in the file has the typed values, which are those in the store.
        #expect(try lines(workplace) == [before[0], before[1].typed("7876", "7876-1241"), before[2], before[3]])
        let again = try TerminalDriver(workplace, "mend", "rejects.csv")
        try again.wait(for: "Row 2 of 3")
        try again.press(.escape)
        #expect(try again.end() == 1)
        #expect(again.screen.contains("0 rows stored; 3 are left in rejects.csv, 1 stored already."))
        // The stored row leaves the file when the next row is stored or deleted.
        #expect(try lines(workplace).count == 4)
        let dropping = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try dropping.wait(for: "Row 2 of 3")
        try dropping.type("d\n")
        try dropping.wait(for: "Row 3 of 3")
        try dropping.type("q\n")
        #expect(try dropping.end() == 1)
        #expect(dropping.screen.contains("0 rows stored, 1 skipped, 1 deleted; 1 is left in rejects.csv."))
        #expect(try lines(workplace) == [before[0], before[3]])
    }

    @Test("N9: if mend is killed while it stores a row, the row is in the store or in the file", arguments: 0..<4)
    func killed(round: Int) throws {
        let workplace = try rejects()
        let before = try lines(workplace)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try driver.wait(for: "Row 1 of 3, line 2")
        try driver.type("bK8oio\n1241")
        try driver.wait(for: "7876-1241")
        try driver.press(.control("s"))
        driver.send(SIGKILL)
        #expect(try driver.end() == 128 + SIGKILL)
        let isStored = try workplace.profiles("lookup", "bert").status == 0
        let typed = before[1].typed("7876", "7876-1241")
        let after = try lines(workplace)
        #expect(after[1] == typed || !isStored && after[1] == before[1])
        #expect(after[2...] == before[2...])
        let again = try TerminalDriver(workplace, "mend", "rejects.csv")
        try again.wait(for: isStored ? "Row 2 of 3" : "Row 1 of 3")
        #expect(isStored || again.screen.contains(after[1] == typed ? "7876-1241" : "7876"))
        try again.press(.escape)
        #expect(try again.end() == 1)
    }

    @Test func `keys typed while a row is stored reach the next row, and repeated Ctrl-S stores only once`() throws {
        let workplace = try rejects()
        let lock = open("\(workplace.folder)/store.sqlite-lock", O_RDWR | O_CLOEXEC)
        #expect(lock >= 0)
        defer { close(lock) }
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try driver.wait(for: "Row 1 of 3, line 2")
        try driver.type("bK8oio\n1241")
        try driver.wait(for: "7876-1241")
        #expect(flock(lock, LOCK_EX) == 0)
        try driver.press(.control("s"))
        try driver.wait(for: "Storing …")
        try driver.press(.control("s"), times: 2)
        try driver.type("2\ncK8oio\n")
        #expect(flock(lock, LOCK_UN) == 0)
        try driver.wait(for: "Row 2 of 3, line 3")
        // The last typed key is handled too, and no row was submitted twice.
        try driver.wait(until: { $0.contains("[ANNA2") && $0.contains("[••••••") })
        #expect(!driver.screen.contains("Not stored yet"))
        try driver.press(.control("s"))
        try driver.wait(for: "Row 3 of 3")
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
        #expect(driver.isRestored)
        #expect(driver.screen.contains("2 rows stored; 1 is left in rejects.csv."))
        #expect(driver.screen.contains("The row that was shown is as it was."))
        #expect(!driver.transcript.contains("Error"))
        // The alternate screen was entered only once for all rows.
        #expect(driver.transcript.count(of: "\u{1B}[?1049h") == 1)
    }

    // MARK: Rows of existing profiles

    /// A store with anna, and a rejected row that was to update her.
    private func rejectedUpdate(_ rows: String = "ANNA,7876,1 Side St\n") throws -> Workplace {
        let workplace = try Workplace()
        try workplace.register("anna")
        #expect(try workplace.profiles("edit", "anna", "--postal-code", "12345").status == 0)
        try workplace.write("username,phone,address\n\(rows)", to: "people.csv")
        let outcome = try workplace.profiles(
            "import", "people.csv", "--on-duplicate", "update", "--rejects", "rejects.csv")
        #expect(outcome.output.contains(" mend rejects.csv --on-duplicate update\n"))
        return workplace
    }

    @Test func `N9, I4: a rejected update edits its profile, and changes of another process are shown`() throws {
        let workplace = try rejectedUpdate()
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--on-duplicate", "update")
        try driver.wait(for: "Row 1 of 1, line 2, edits anna")
        for text in ["Phone should have at least 8 digits", "1 Side St", "12345"] {
            #expect(driver.screen.contains(text), "\(driver.screen)")
        }
        #expect(!driver.screen.contains("is required") && !driver.screen.contains("is taken"), "\(driver.screen)")
        #expect(try workplace.profiles("edit", "anna", "--address", "13 Main St").status == 0)
        try driver.type("1299")
        try driver.wait(for: "7876-1299")
        try driver.press(.control("s"))
        try driver.wait(for: "Changed meanwhile")
        try driver.type("\n")
        #expect(try driver.end() == 0)
        #expect(driver.screen.contains("1 row stored; none is left, and rejects.csv is removed."))
        let stored = try workplace.profiles("lookup", "anna").output
        for text in ["ANNA", "7876-1299", "1 Side St", "12345", "Revision     4"] {
            #expect(stored.contains(text), "\(stored)")
        }
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "aK8oio").status == 0)
    }

    @Test func `N9, I4: mend does not ask about rows that would change nothing, or that --on-duplicate skips`() throws {
        let workplace = try rejectedUpdate("anna,7876,12 Main St\nbert,,\n")
        try workplace.write(
            try workplace.read("rejects.csv").replacing(",7876,", with: ",7876 1241,"), to: "rejects.csv")
        try workplace.write(try workplace.read("rejects.csv"), to: "skipped.csv")
        try workplace.write(
            try workplace.read("rejects.csv").replacing(",7876 1241,", with: ",78761241,"), to: "rejects.csv")
        for (file, policy) in [("rejects.csv", "update"), ("skipped.csv", "skip")] {
            let driver = try TerminalDriver(workplace, "mend", file, "--on-duplicate", policy)
            try driver.wait(for: "Row 2 of 2, line 3")
            #expect(driver.screen.contains("Phone is required"))
            try driver.press(.escape)
            #expect(try driver.end() == 1)
            // The skipped row stays in the file, because no row was stored.
            #expect(driver.screen.contains("0 rows stored; 2 are left in \(file), 1 stored already."))
            #expect(try workplace.read(file).split(separator: "\n").count == 3)
        }
        #expect(try workplace.profiles("lookup", "anna").output.contains("7876-1241"))
    }

    @Test func `N9, I4: with --plain, an update asks for wrong values and for the password that was refused`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.write("username,password,phone\nanna,x,78761241\n", to: "people.csv")
        #expect(
            try workplace.profiles("import", "people.csv", "--on-duplicate", "update", "--rejects", "rejects.csv")
                .status == 1)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--on-duplicate", "update", "--plain")
        try driver.wait(for: "Row 1 of 1, line 2, edits anna: Username anna, Phone 78761241")
        try driver.wait(for: "Its password was refused")
        try driver.wait(for: "Mend it? [Y/n/d/q]: ")
        try driver.type("\n")
        try driver.wait(for: "Password, empty keeps it")
        try driver.type("bK8oio\n")
        try driver.wait(for: "Repeat password: ")
        try driver.type("bK8oio\n")
        #expect(try driver.end() == 0)
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "bK8oio").status == 0)
    }

    @Test func `N9: with --plain, mend asks only for wrong values`() throws {
        let workplace = try rejects()
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try driver.wait(for: "Row 1 of 3, line 2: Username bert, Phone 7876, Address 12 Main St")
        try driver.wait(for: "Mend it? [Y/n/d/q]: ")
        try driver.type("?\n")
        try driver.wait(for: "Answer y to mend the row, n to leave it for later, d to delete it")
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

    @Test func `N9: with --plain, an empty answer keeps the old value, and the user can leave a row half-way`() throws {
        let workplace = try rejects()
        let before = try lines(workplace)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        for (row, answer) in [(1, "n"), (2, "d"), (3, "q")] {
            try driver.wait(for: "Row \(row) of 3")
            try driver.type("\n")
            try driver.wait(for: row == 3 ? "Username, was d" : "Password, required")
            guard row == 1 else {
                // The password and other values are checked as soon as they are typed.
                try driver.type(row == 3 ? "\n" : "x\n")
                try driver.wait(for: "Try again? [Y/n/d/q]: ")
                try driver.type("\(answer)\n")
                continue
            }
            try driver.type("bK8oio\n")
            try driver.wait(for: "Repeat password: ")
            try driver.type("bK8oio\n")
            try driver.wait(for: "Phone, was 7876, ")
            try driver.type("12\n")
            try driver.wait(for: "Try again? [Y/n/d/q]: ")
            try driver.type("\n")
            try driver.wait(for: "Phone, was 7876, ")
            // The empty answer stands for 7876, not for 12.
            try driver.type("\n")
            try driver.wait(for: "Try again? [Y/n/d/q]: ")
            try driver.type("\(answer)\n")
        }
        #expect(try driver.end() == 1)
        #expect(driver.screen.contains("0 rows stored, 1 deleted; 2 are left in rejects.csv."), "\(driver.screen)")
        #expect(try lines(workplace) == [before[0], before[1], before[3]])
    }

    @Test func `without a terminal, or a file of that name, nothing is mended`() throws {
        let workplace = try rejects()
        let outcome = try workplace.profiles("mend", "rejects.csv")
        #expect(outcome.status == 64)
        #expect(
            outcome.error == """
                Error: Rows can only be mended on a terminal, and there is none
                  Without a terminal, correct rejects.csv itself, and import it again

                """)
        #expect(try TerminalDriver(workplace, "mend", "nothing.csv").end() == 66)
        #expect(try workplace.profiles("mend", "-").status == 64)
        #expect(try TerminalDriver(workplace, "mend", "/dev/null").end() == 64)
        // A hint names no option that this command does not have.
        try workplace.write("anna,x,1\n", to: "data.csv")
        let driver = try TerminalDriver(workplace, "mend", "data.csv")
        #expect(try driver.end() == 65)
        let shown = driver.screen
        #expect(shown.contains("--map 'COLUMN=FIELD'") && shown.contains("--delimiter"), "\(shown)")
        #expect(!shown.contains("--no-header"), "\(shown)")
    }

    // MARK: The file

    @Test func `N9: if the file is a symbolic link, its target is removed with the last row`() throws {
        let workplace = try rejects()
        try workplace.write(try workplace.read("rejects.csv"), to: "real.csv")
        #expect(unlink("\(workplace.folder)/rejects.csv") == 0)
        #expect(symlink("real.csv", "\(workplace.folder)/rejects.csv") == 0)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        for number in 1...3 {
            try driver.wait(for: "Row \(number) of 3")
            try driver.type("d\n")
        }
        #expect(try driver.end() == 0)
        #expect(driver.screen.contains("0 rows stored, 3 deleted; none is left, and rejects.csv is removed."))
        #expect(!workplace.exists("real.csv"))
        #expect(try workplace.profiles("list").output.contains("anna"))
    }

    @Test func `N9: a file is unchanged if no import has written it, or if no row of it was stored`() throws {
        let workplace = try rejects()
        let own = "username,password,phone,address\nanna,Other9x,78761241,12 Main St\n"
        try workplace.write(own, to: "own.csv")
        try workplace.write("username,password,phone,address\n", to: "header.csv")
        for name in ["own.csv", "header.csv"] {
            let before = try workplace.read(name)
            let driver = try TerminalDriver(workplace, "mend", name, "--plain")
            #expect(try driver.end() == 65)
            #expect(driver.screen.contains("it has no columns _line and _issues"), "\(driver.screen)")
            #expect(try workplace.read(name) == before)
        }

        let rejects = try workplace.read("rejects.csv") + "\n\"e\",,1,x,9,\n"
        try workplace.write(rejects, to: "rejects.csv")
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try driver.wait(for: "Row 1 of 4")
        try driver.press(.escape)
        #expect(try driver.end() == 1)
        #expect(try workplace.read("rejects.csv") == rejects)

        // All rows of this file are stored already.
        try workplace.write("username,phone,address,_line,_issues\nanna,78761241,12 Main St,2,\n", to: "stored.csv")
        let stored = try TerminalDriver(workplace, "mend", "stored.csv")
        #expect(try stored.end() == 0)
        #expect(stored.screen.contains("0 rows stored; 1 is left in stored.csv, 1 stored already."))
        #expect(workplace.exists("stored.csv"))
    }

    @Test(
        "N9: a file that could not be written back unchanged is refused before the first question",
        arguments: [
            ("gzip -c rejects.csv > odd.csv", "is compressed"),
            ("iconv -t UTF-16 rejects.csv > odd.csv", "not UTF-8 but UTF-16"),
            ("(cat rejects.csv; printf 'e,,1,\\377,9,\\n') > odd.csv", "not UTF-8 but windows-1252"),
            ("(cat rejects.csv; printf 'zed,\"8\"x,b,c,9,\\n') > odd.csv", "Line 5 of the file cannot be read"),
            ("(cat rejects.csv; printf 'zed,\"8,b,c,9,\\n') > odd.csv", "Line 5 of the file cannot be read"),
        ])
    func odd(line: String, text: String) throws {
        let workplace = try rejects()
        #expect(try workplace.shell(line + "; cp odd.csv before.csv").status == 0)
        let driver = try TerminalDriver(workplace, "mend", "odd.csv", "--plain")
        #expect(try driver.end() == 65)
        #expect(driver.screen.contains(text), "\(driver.screen)")
        #expect(try workplace.shell("cmp odd.csv before.csv").status == 0)
    }

    @Test func `N9: a pipe is refused without waiting for its input`() throws {
        let workplace = try rejects()
        #expect(mkfifo("\(workplace.folder)/pipe", 0o600) == 0)
        let pipe = open("\(workplace.folder)/pipe", O_RDWR | O_CLOEXEC)
        #expect(pipe >= 0)
        defer { close(pipe) }
        let driver = try TerminalDriver(workplace, "mend", "pipe", "--plain")
        #expect(try driver.end() == 64)
    }

    @Test("N9: if mend is interrupted at a question, stored rows have left the file", arguments: [false, true])
    func interrupted(atSecret: Bool) throws {
        let workplace = try rejects()
        let before = try lines(workplace)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try driver.wait(for: "Mend it? ")
        try driver.type("\n")
        try driver.wait(for: "Password, required")
        try driver.type("bK8oio\n")
        try driver.wait(for: "Repeat password: ")
        try driver.type("bK8oio\n")
        try driver.wait(for: "Phone, was 7876, ")
        try driver.type("7876-1241\n")
        try driver.wait(for: "Row 2 of 3")
        if atSecret {
            try driver.type("\n")
            try driver.wait(for: "Password, required")
        }
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
        #expect(driver.screen.contains("1 row stored; 2 are left in rejects.csv."))
        #expect(try lines(workplace) == [before[0], before[2], before[3]])
    }

    @Test func `N9, P12: a password in the file is not used, and its row does not count as stored already`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.write(
            "username,password,phone,address,_line,_issues\nanna,Other9x,78761241,12 Main St,2,\n", to: "rejects.csv")
        let driver = try TerminalDriver(
            workplace, "mend", "rejects.csv", "--on-duplicate", "update", "--plain")
        try driver.wait(for: "The password in the file is not used: type it here.")
        try driver.type("\n")
        try driver.wait(for: "Password, empty keeps it")
        try driver.type("bK8oio\n")
        try driver.wait(for: "Repeat password: ")
        try driver.type("bK8oio\n")
        #expect(try driver.end() == 0)
        #expect(!driver.transcript.contains("Other9x"))
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "bK8oio").status == 0)
    }

    @Test(
        "N9: a file that another program replaces or changes is neither overwritten nor removed",
        arguments: [false, true])
    func displaced(isReplaced: Bool) throws {
        let workplace = try rejects()
        let before = try lines(workplace)
        try workplace.write("", to: "rejects-left.csv")
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try driver.wait(for: "Row 1 of 3")
        if isReplaced {
            try workplace.write("username,password,phone,address\nx,aK8oio,78761241,1 Main St\n", to: "other.csv")
            let other = try workplace.profiles("import", "other.csv", "--rejects", "rejects.csv", "--force")
            #expect(other.status == 1, "\(other)")
        } else {
            try workplace.write(try workplace.read("rejects.csv") + "fred,,1,x,9,\n", to: "rejects.csv")
        }
        let theirs = try workplace.read("rejects.csv")
        try driver.type("d\n")
        try driver.wait(for: "Row 2 of 3")
        try driver.type("n\n")
        try driver.wait(for: "Row 3 of 3")
        try driver.type("\n")
        try driver.wait(for: "Username, was d")
        try driver.type("dora\n")
        try driver.wait(for: "Password, required")
        try driver.type("cK8oio\n")
        try driver.wait(for: "Repeat password: ")
        try driver.type("cK8oio\n")
        #expect(try driver.end() == 1)
        #expect(driver.screen.contains("1 row stored, 1 deleted; "), "\(driver.screen)")
        #expect(driver.screen.contains("left in rejects-left-2.csv."), "\(driver.screen)")
        #expect(driver.transcript.contains("has replaced or changed rejects.csv meanwhile"))
        #expect(try workplace.read("rejects.csv") == theirs)
        #expect(try workplace.read("rejects-left.csv") == "")
        let left = try workplace.read("rejects-left-2.csv").split(separator: "\n")
        #expect(left == [before[0], before[2]])
        #expect(workplace.mode("rejects-left-2.csv") & 0o777 == 0o600)
    }

    @Test(
        "N9: rows are not lost if another program shortens the file, or writes other bytes into it",
        arguments: [": > rejects.csv", "tr a-z A-Z < rejects.csv | dd of=rejects.csv conv=notrunc status=none"])
    func rewrittenInPlace(line: String) throws {
        let workplace = try rejects()
        let before = try lines(workplace)
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try driver.wait(for: "Row 1 of 3")
        #expect(try workplace.shell(line).status == 0)
        let theirs = try workplace.read("rejects.csv")
        try driver.type("d\n")
        try driver.wait(for: "Row 2 of 3")
        #expect(driver.screen.contains("ANNA"), "\(driver.screen)")
        try driver.type("n\n")
        try driver.wait(for: "Row 3 of 3")
        try driver.type("q\n")
        #expect(try driver.end() == 1)
        #expect(driver.screen.contains("2 are left in rejects-left.csv."), "\(driver.screen)")
        #expect(try workplace.read("rejects.csv") == theirs)
        let left = try workplace.read("rejects-left.csv").split(separator: "\n")
        #expect(left == [before[0], before[2], before[3]])
    }

    @Test func `N9: a file that another program has changed is not removed after its last row`() throws {
        let workplace = try rejects()
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
        try driver.wait(for: "Row 1 of 3")
        let theirs = try workplace.read("rejects.csv").replacing("Main", with: "Long")
        try workplace.write(theirs, to: "rejects.csv")
        for number in 1...3 {
            try driver.wait(for: "Row \(number) of 3")
            try driver.type("d\n")
        }
        #expect(try driver.end() == 0)
        #expect(driver.screen.contains("0 rows stored, 3 deleted; none is left."), "\(driver.screen)")
        #expect(try workplace.read("rejects.csv") == theirs)
    }

    @Test func `N9: two processes cannot mend one file at the same time`() throws {
        let workplace = try rejects()
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try driver.wait(for: "Row 1 of 3")
        func refused() throws {
            let other = try TerminalDriver(workplace, "mend", "rejects.csv", "--plain")
            #expect(try other.end() == 75)
            #expect(other.screen.contains("Another process is mending rejects.csv"), "\(other.screen)")
        }
        try refused()
        try mendBert(driver)
        try driver.wait(for: "Row 2 of 3")
        // After the first row, the command has replaced the file.
        try refused()
        try driver.press(.escape)
        #expect(try driver.end() == 1)
        let next = try TerminalDriver(workplace, "mend", "rejects.csv")
        try next.wait(for: "Row 1 of 2")
        try next.press(.escape)
        #expect(try next.end() == 1)
    }

    @Test func `N9: rejected rows can be mended if the input is JSON in a file with another ending`() throws {
        let workplace = try Workplace()
        try workplace.write(
            #"{"Login": "bert", "password": "aK8oio", "phone": "7876", "address": "12 Main St"}"# + "\n",
            to: "people.txt")
        func imported() throws -> Workplace.Outcome {
            try workplace.profiles(
                "import", "people.txt", "--map", "Login=username", "--rejects", "rejects.csv", "--force")
        }
        // The new store is removed because it got no row, so the report does not offer to mend the rows.
        #expect(try !imported().output.contains("profiles mend"))
        try workplace.register("anna")
        let outcome = try imported()
        #expect(outcome.output.contains(" mend rejects.csv\n"), "\(outcome)")
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv")
        try driver.wait(for: "Row 1 of 1, line 1")
        try driver.press(.escape)
        #expect(try driver.end() == 1)
    }
}

extension Substring {
    /// The line with another text in one of its cells.
    fileprivate func typed(_ old: String, _ new: String) -> Substring {
        replacing(",\(old),", with: ",\(new),", maxReplacements: 1)[...]
    }
}

extension String {
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
