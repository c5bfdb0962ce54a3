import Platform
import ProfileTesting
import Testing
import Watchdog

/// Output and questions that appear only on a terminal.
@Suite(.watched) struct TerminalTests {
    /// Returns a file with so many rows that an import takes a while.
    private func rows(_ count: Int) -> String {
        var rows = "username,phone,address,password_hash\n"
        let hash = "$argon2id$v=19$m=19456,t=2,p=1$daIzqGWCoLRBQi2FvCJ/Zg$9VAPUc9u1hGjEv1wldDB4aC+XZFXEXq88/w8GJAgz0s"
        for number in 0..<count { rows += "u\(number),78761241,12 Main St,\"\(hash)\"\n" }
        return rows
    }

    @Test func `I12: an import draws a bar on a terminal, and on nothing else`() throws {
        let workplace = try Workplace()
        try workplace.write(rows(2_000), to: "people.csv")
        let watched = try TerminalDriver(workplace, "import", "people.csv")
        #expect(try watched.end() == 0)
        #expect(watched.transcript.contains("MB/s"), "\(watched.transcript)")
        #expect(watched.transcript.contains("\r\u{1B}[K"))
        let piped = try workplace.profiles("import", "people.csv", "--on-duplicate", "skip")
        #expect(piped.error == "")
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let plain = try TerminalDriver(
                workplace, "import", "people.csv", "--on-duplicate", "skip", environment: environment)
            #expect(try plain.end() == 0)
            #expect(!plain.transcript.contains("\u{1B}") && !plain.transcript.contains("MB/s"))
        }
        let quiet = try TerminalDriver(workplace, "import", "people.csv", "--on-duplicate", "skip", "--quiet")
        #expect(try quiet.end() == 0)
        #expect(!quiet.transcript.contains("\u{1B}") && !quiet.transcript.contains("MB/s"))
    }

    @Test func `I9, I12: the bar counts hashed passwords, and Ctrl-C stores the hashed rows and exits 130`() throws {
        let workplace = try Workplace()
        // Hashing takes so long that the key is pressed before all passwords are hashed.
        var people = "username,phone,address,password\n"
        for number in 0..<5_000 { people += "u\(number),78761241,12 Main St,aK8oio\n" }
        try workplace.write(people, to: "people.csv")
        let session = try TerminalDriver(workplace, "import", "people.csv")
        // From the first seconds on, the bar shows the remaining time, and rows are stored while others are hashed.
        try session.waitForOutput("0% ")
        try session.waitForOutput("of 5000 passwords hashed  ETA ")
        try session.waitForOutput("16 rows  ")
        try session.type("\u{03}")
        #expect(try session.end() == 130)
        let stored = try workplace.profiles("list", "--format", "json", "--limit", "2000").output
        #expect(stored.contains("\"u0\"") && stored.contains("\"u15\""))
        #expect(!session.transcript.contains("100%"))
        #expect(try workplace.profiles("login", "u15", "--password-stdin", input: "aK8oio").status == 0)
        #expect(session.transcript.contains("Interrupted: finishing the batch."))
        #expect(session.transcript.contains("Import of people.csv"), "\(session.transcript)")
        #expect(session.transcript.contains("Continue with: "), "\(session.transcript)")
        #expect(session.transcript.contains("/profiles import people.csv --on-duplicate skip"))
        #expect(try workplace.profiles("check").status == 0)
    }

    @Test func `P4: a passcode is asked for under its title, twice, and not echoed`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let session = try TerminalDriver(workplace, "passcode", "create", "anna", "--plain")
        try session.wait(for: "Create Pass Code")
        try session.wait(for: "New passcode: ")
        #expect(!session.echoes)
        try session.type("appleworks1\n")
        try session.wait(for: "Repeat new passcode: ")
        try session.type("appleworks1\n")
        #expect(try session.end() == 0)
        #expect(session.transcript.contains("Passcode created"))
        #expect(!session.transcript.contains("appleworks1"))

        let wrong = try TerminalDriver(workplace, "passcode", "validate", "anna", "--plain")
        try wrong.wait(for: "Validate Pass Code")
        try wrong.wait(for: "Passcode: ")
        try wrong.type("appleworks2\n")
        #expect(try wrong.end() == 1)
        #expect(wrong.transcript.contains("Error: The passcode is wrong"))
    }

    @Test func `P1: the user is not asked for a passcode that cannot be set, and must confirm a removal`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let entries = "appleworks1\nappleworks1\n"
        #expect(try workplace.profiles("passcode", "create", "anna", "--stdin", input: entries).status == 0)
        let second = try TerminalDriver(workplace, "passcode", "create", "anna", "--plain")
        #expect(try second.end() == 1)
        #expect(second.transcript.contains("Error: The profile has a passcode already"))
        #expect(!second.transcript.contains("New passcode: "))

        #expect(try workplace.profiles("passcode", "remove", "anna").status == 64)
        for (answer, status) in [("n", Int32(1)), ("y", 0)] {
            let removal = try TerminalDriver(workplace, "passcode", "remove", "anna")
            try removal.wait(for: "Remove the passcode of anna? [y/N]")
            try removal.type(answer + "\n")
            #expect(try removal.end() == status)
            #expect(removal.transcript.contains(status == 0 ? "Passcode removed" : "Error: Nothing was removed"))
        }
        #expect(try workplace.profiles("passcode", "remove", "anna", "--yes").status == 1)
    }

    @Test(
        "P12: a signal at a prompt turns the echo of the terminal on again",
        arguments: [(SIGINT, Int32(130)), (SIGTERM, 128 + SIGTERM), (SIGHUP, 128 + SIGHUP)])
    func signal(_ signal: Int32, _ status: Int32) throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let session = try TerminalDriver(workplace, "login", "anna", "--plain")
        #expect(session.echoes)
        try session.wait(for: "Password: ")
        #expect(!session.echoes)
        session.send(signal)
        try session.waitForOutput("\r\n")
        #expect(session.echoes)
        #expect(try session.end() == status)
        #expect(session.transcript.contains("Interrupted") == (signal == SIGINT))
    }

    @Test(
        "P12: a signal ends a prompt after Ctrl-S too, and the echo comes back",
        arguments: [(SIGINT, Int32(130)), (SIGTERM, 128 + SIGTERM), (SIGHUP, 128 + SIGHUP)], [false, true])
    func signalAfterStop(_ ending: (signal: Int32, status: Int32), isStoppedBefore: Bool) throws {
        let workplace = try Workplace()
        let session = try TerminalDriver(workplace, "register", "--plain")
        try session.wait(for: "Username, ")
        if isStoppedBefore { try session.type("\u{13}") }
        try session.type("skboard\n")
        try session.wait(for: "Password, ")
        try session.type("\u{13}weak\n")
        try session.wait(for: "Password should have")
        try session.wait(for: "Password, ")
        try session.type("aK\u{13}")
        session.send(ending.signal)
        #expect(try session.end() == ending.status)
        #expect(session.echoes)
    }

    @Test func `P12: the keys that stop and start the output are no part of a secret`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let session = try TerminalDriver(workplace, "login", "anna", "--plain")
        try session.wait(for: "Password: ")
        try session.type("\u{13}aK8\u{11}oi\u{13}o\n")
        #expect(try session.end() == 0)
        #expect(session.transcript.contains("Hello anna"))
    }

    @Test func `register asks for a password twice, and not with --no-input`() throws {
        let workplace = try Workplace()
        let arguments = ["register", "--username", "anna", "--phone", "78761241", "--address", "x"]
        let session = try TerminalDriver(workplace, arguments)
        try session.wait(for: "Password: ")
        try session.type("aK8oio\n")
        try session.wait(for: "Repeat password: ")
        try session.type("aK8oiO\n")
        #expect(try session.end() == 1)
        #expect(session.transcript.contains("Error: Passwords do not match"))
        let silent = try TerminalDriver(workplace, arguments + ["--no-input"])
        #expect(try silent.end() == 1)
        #expect(silent.transcript.contains("Password is required"))
    }

    @Test func `remove asks, and takes anything but yes for no`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        for (answer, status) in [("\n", Int32(1)), ("no\n", 1), ("y\n", 0)] {
            let session = try TerminalDriver(workplace, "remove", "anna")
            try session.wait(for: "[y/N] ")
            try session.type(answer)
            #expect(try session.end() == status)
        }
        #expect(try workplace.profiles("lookup", "anna").status == 1)
    }
}
