import Glibc
import Testing

/// What only a person at a terminal sees.
@Suite struct TerminalTests {
    /// Enough rows that an import takes a while.
    private func rows(_ count: Int) -> String {
        var rows = "username,phone,address,password_hash\n"
        let hash = "$argon2id$v=19$m=19456,t=2,p=1$daIzqGWCoLRBQi2FvCJ/Zg$9VAPUc9u1hGjEv1wldDB4aC+XZFXEXq88/w8GJAgz0s"
        for number in 0..<count { rows += "u\(number),78761241,12 Main St,\"\(hash)\"\n" }
        return rows
    }

    @Test func `I12: an import draws a bar on a terminal, and on nothing else`() throws {
        let workplace = try Workplace()
        try workplace.write(rows(20_000), to: "people.csv")
        let watched = try TerminalSession(workplace, "import", "people.csv")
        #expect(watched.end() == 0)
        #expect(watched.screen.contains("MB/s"), "\(watched.screen)")
        #expect(watched.screen.contains("\r\u{1B}[K"))
        let piped = try workplace.profiles("import", "people.csv", "--on-duplicate", "skip")
        #expect(piped.error == "")
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let plain = try TerminalSession(
                workplace, "import", "people.csv", "--on-duplicate", "skip", environment: environment)
            #expect(plain.end() == 0)
            #expect(!plain.screen.contains("\u{1B}") && !plain.screen.contains("MB/s"))
        }
        let quiet = try TerminalSession(workplace, "import", "people.csv", "--on-duplicate", "skip", "--quiet")
        #expect(quiet.end() == 0)
        #expect(!quiet.screen.contains("\u{1B}") && !quiet.screen.contains("MB/s"))
    }

    @Test func `I12: Ctrl-C finishes the batch, prints the report so far and exits 130`() throws {
        let workplace = try Workplace()
        // Passwords take long enough to hash that the key is pressed in the midst of them.
        var people = "username,phone,address,password\n"
        for number in 0..<5_000 { people += "u\(number),78761241,12 Main St,aK8oio\n" }
        try workplace.write(people, to: "people.csv")
        let session = try TerminalSession(workplace, "import", "people.csv")
        try session.wait(for: "hashing passwords")
        session.type("\u{03}")
        #expect(session.end() == 130)
        #expect(session.screen.contains("Interrupted: finishing the batch."))
        #expect(session.screen.contains("Import of people.csv"), "\(session.screen)")
        #expect(try workplace.profiles("check").status == 0)
    }

    @Test func `P4: a pass code is asked for under its title, twice, and not echoed`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let session = try TerminalSession(workplace, "passcode", "create", "anna")
        try session.wait(for: "Create Pass Code")
        try session.wait(for: "New pass code: ")
        #expect(!session.echoes)
        session.type("appleworks1\n")
        try session.wait(for: "Repeat new pass code: ")
        session.type("appleworks1\n")
        #expect(session.end() == 0)
        #expect(session.screen.contains("Pass code created"))
        #expect(!session.screen.contains("appleworks1"))

        let wrong = try TerminalSession(workplace, "passcode", "validate", "anna")
        try wrong.wait(for: "Validate Pass Code")
        try wrong.wait(for: "Pass code: ")
        wrong.type("appleworks2\n")
        #expect(wrong.end() == 1)
        #expect(wrong.screen.contains("Error: The pass code is wrong"))
    }

    @Test(
        "P12: a signal at a prompt gives the terminal its echo back",
        arguments: [(SIGINT, Int32(130)), (SIGTERM, 128 + SIGTERM), (SIGHUP, 128 + SIGHUP)])
    func signal(_ signal: Int32, _ status: Int32) throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let session = try TerminalSession(workplace, "login", "anna")
        #expect(session.echoes)
        try session.wait(for: "Password: ")
        #expect(!session.echoes)
        session.send(signal)
        try session.wait(for: "\r\n")
        #expect(session.echoes)
        #expect(session.end() == status)
        #expect(session.screen.contains("Interrupted") == (signal == SIGINT))
    }

    @Test func `register asks for a password twice, and not with --no-input`() throws {
        let workplace = try Workplace()
        let arguments = ["register", "--username", "anna", "--phone", "78761241", "--address", "x"]
        let session = try TerminalSession(workplace, arguments)
        try session.wait(for: "Password: ")
        session.type("aK8oio\n")
        try session.wait(for: "Repeat password: ")
        session.type("aK8oiO\n")
        #expect(session.end() == 1)
        #expect(session.screen.contains("Error: Passwords do not match"))
        let silent = try TerminalSession(workplace, arguments + ["--no-input"])
        #expect(silent.end() == 1)
        #expect(silent.screen.contains("Password is required"))
    }

    @Test func `remove asks, and takes anything but yes for no`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        for (answer, status) in [("\n", Int32(1)), ("no\n", 1), ("y\n", 0)] {
            let session = try TerminalSession(workplace, "remove", "anna")
            try session.wait(for: "[y/N] ")
            session.type(answer)
            #expect(session.end() == status)
        }
        #expect(try workplace.profiles("lookup", "anna").status == 1)
    }
}
