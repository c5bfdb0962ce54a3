import Testing
import Watchdog

/// Passcodes, passwords and logins.
@Suite(.watched) struct SecretCommandTests {
    private func passcode(
        _ workplace: Workplace, _ action: String, _ entries: String...
    ) throws -> (status: Int32, text: String) {
        let outcome = try workplace.profiles(
            "passcode", action, "anna", "--stdin", input: entries.map { $0 + "\n" }.joined())
        for entry in entries { #expect(!outcome.output.contains(entry) && !outcome.error.contains(entry)) }
        return (outcome.status, outcome.output + outcome.error)
    }

    @Test func `P5: the worked examples of creating, validating and editing a passcode`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        #expect(
            try passcode(workplace, "create", "appleworks1", "appleworks2") == (1, "Error: Pass codes do not match\n"))
        #expect(try passcode(workplace, "create", "appleworks1", "appleworks1") == (0, "Passcode created\n"))
        #expect(try passcode(workplace, "create", "parislondon", "parislondon").status == 1)
        #expect(try passcode(workplace, "validate", "appleworks1") == (0, "Passcode right\n"))
        #expect(try workplace.profiles("passcode", "remove", "anna", "--yes").output == "Passcode removed\n")

        #expect(try passcode(workplace, "create", "parislondon", "parislondon").status == 0)
        #expect(try passcode(workplace, "validate", "parislondon").status == 0)
        #expect(try passcode(workplace, "validate", "parislondon1") == (1, "Error: The passcode is wrong\n"))
        #expect(try workplace.profiles("passcode", "remove", "anna", "--yes").status == 0)

        #expect(try passcode(workplace, "create", "marsvenus", "marsvenus").status == 0)
        #expect(try passcode(workplace, "edit", "mercuryjupiter", "morningafternoon", "morningafternoon").status == 1)
        #expect(
            try passcode(workplace, "edit", "marsvenus", "morningafternoon1", "morningafternoon2")
                == (1, "Error: Pass codes do not match\n"))
        #expect(try passcode(workplace, "validate", "marsvenus").status == 0)
        #expect(
            try passcode(workplace, "edit", "marsvenus", "morningafternoon", "morningafternoon")
                == (0, "Passcode changed\n"))
        #expect(try passcode(workplace, "validate", "morningafternoon").status == 0)
    }

    @Test func `P3, P6: a passcode that is short, empty or the present one is refused`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        #expect(
            try passcode(workplace, "create", "short", "short")
                == (1, "Error: The passcode should have at least 8 characters\n"))
        #expect(
            try workplace.profiles("passcode", "create", "anna", "--stdin", input: "\n\n").error
                == "Error: The passcode is empty\n")
        #expect(
            try passcode(workplace, "create", "appleworks1")
                == (65, "Error: Standard input should hold 2 lines, one secret each, and holds 1\n"))
        #expect(try passcode(workplace, "create", "appleworks1", "appleworks1").status == 0)
        #expect(try passcode(workplace, "edit", "appleworks1", "appleworks1", "appleworks1").status == 1)
        #expect(try workplace.profiles("passcode", "create", "anna").status == 64)
        #expect(
            try workplace.profiles("passcode", "create", "nobody", "--stdin", input: "appleworks1\nappleworks1\n")
                .status == 1)
    }

    @Test func `P6: without any input nothing is tried, so it does not count as a wrong guess`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        #expect(
            try passcode(workplace, "create")
                == (65, "Error: Standard input holds no secret; give 2 lines, one secret each\n"))
        #expect(try passcode(workplace, "create", "parislondon", "parislondon").status == 0)
        for _ in 0..<8 {
            #expect(
                try passcode(workplace, "validate")
                    == (65, "Error: Standard input holds no secret; give 1 line with the secret\n"))
        }
        #expect(try passcode(workplace, "validate", "parislondon") == (0, "Passcode right\n"))
    }

    @Test func `P9: after five wrong passcodes a further one exits 77 with the time to wait, until unlocked`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        #expect(try passcode(workplace, "create", "parislondon", "parislondon").status == 0)
        var statuses: [Int32] = []
        var last = ""
        var right: Int32 = 0
        var rounds = 0
        // Each failure from the fifth on doubles the delay, so even a slow machine is throttled at some time. If a
        // delay ends before the right passcode is tried, the passcode is accepted, and the test starts again.
        while right == 0, rounds < 10 {
            rounds += 1
            statuses = []
            while statuses.count < 20, statuses.last != 77 {
                (_, last) = try passcode(workplace, "validate", "parislondon1")
                statuses.append(last.contains("Too many") ? 77 : 1)
            }
            right = try passcode(workplace, "validate", "parislondon").status
        }
        #expect(statuses.prefix(5) == [1, 1, 1, 1, 1])
        #expect(statuses.last == 77)
        #expect(last.hasPrefix("Error: Too many failed attempts; try again in "))
        #expect(right == 77)
        #expect(try workplace.profiles("unlock", "anna").output == "Unlocked anna\n")
        #expect(try passcode(workplace, "validate", "parislondon").status == 0)
        #expect(try workplace.profiles("unlock", "nobody").status == 1)
    }

    @Test func `P6: an edit with an empty password is an error, and keeps the old password`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.write("", to: "empty")
        for (source, input) in [("--password-stdin", ""), ("--password-stdin", "\n"), ("--password-file=empty", "")] {
            let outcome = try workplace.profiles("edit", "anna", source, input: input)
            #expect(outcome == Workplace.Outcome(status: 65, output: "", error: "Error: The new password is empty\n"))
        }
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "aK8oio").status == 0)
    }

    @Test func `L5: a login greets the user, and a refused login does not tell the reason`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let right = try workplace.profiles("login", "ANNA", "--password-stdin", input: "aK8oio\r\n")
        #expect(right == Workplace.Outcome(status: 0, output: "Hello anna\n", error: ""))
        let wrong = Workplace.Outcome(status: 1, output: "", error: "Error: The user credentials are invalid\n")
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "aK8oio\n\n") == wrong)
        #expect(try workplace.profiles("login", "nobody", "--password-stdin", input: "aK8oio") == wrong)
        #expect(try workplace.profiles("login", "anna").status == 64)
    }

    @Test(
        "L1, L5: a username or password that cannot be right is refused with the reason",
        arguments: [
            ("a", "aK8oio", "Your username should have at least 2 and at most 10 characters"),
            (
                "anna", "aK",
                "Your password should have at least 3 characters with at least one uppercase letter and one decimal digit"
            ),
            ("anna", "abjkop", "Your password should have at least one uppercase letter and one decimal digit"),
        ])
    func local(username: String, password: String, text: String) throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let refused = try workplace.profiles("login", username, "--password-stdin", input: password)
        #expect(refused == Workplace.Outcome(status: 1, output: "", error: "Error: \(text)\n"))
    }

    @Test func `P9: after five wrong passwords a login exits 77 with the time to wait, until unlocked`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        var outcomes: [Workplace.Outcome] = []
        // Each failure from the fifth on doubles the delay, so even a slow machine is throttled at some time.
        while outcomes.count < 20, outcomes.last?.status != 77 {
            outcomes.append(try workplace.profiles("login", "anna", "--password-stdin", input: "aK8oiO"))
        }
        #expect(outcomes.prefix(5).map(\.status) == [1, 1, 1, 1, 1])
        #expect(outcomes.last?.error.hasPrefix("Error: Too many failed attempts; try again in ") == true)
        #expect(try workplace.profiles("unlock", "anna").status == 0)
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "aK8oio").output == "Hello anna\n")
    }

    @Test func `L5: with --format json, login prints the profile`() throws {
        let workplace = try Workplace()
        let registered = try workplace.profiles(
            "register", "--username", "anna", "--phone", "78761241", "--address", "x", "--password-stdin", "--format",
            "json", input: "aK8oio")
        #expect(registered.output.contains("\"username\": \"anna\""))
        let json = try workplace.profiles("login", "Anna", "--password-stdin", "--format", "json", input: "aK8oio")
        #expect(json == registered)
    }

    @Test func `L1: for a profile with an imported hash, login does not apply the rules for passwords`() throws {
        let workplace = try Workplace()
        let hash = "$2b$04$abcdefghijklmnopqrstuutEP/GNDRtG4DIFjGkLcdxWtDG/tN/mu"
        let rows = "username,phone,address,password_hash\nanna,78761241,x,\(hash)\n"
        #expect(try workplace.profiles("import", "-", input: rows).status == 0)
        let wrong = try workplace.profiles("login", "anna", "--password-stdin", input: "x")
        #expect(wrong.error == "Error: The user credentials are invalid\n")
        let empty = try workplace.profiles("login", "anna", "--password-stdin", input: "")
        #expect(empty.error == "Error: Your password should have at least 1 character\n")
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "aK8oio").status == 0)
    }

    @Test func `P8: a hash can be given instead of a password, unless it needs too much memory`() throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        let exported = try workplace.profiles("export", "--as", "csv", "--include-hashes").output
        let hash = try #require(exported.split(separator: "\"").first { $0.hasPrefix("$argon2id$") })
        #expect(
            try workplace.profiles(
                "register", "--username", "bert", "--phone", "78761241", "--address", "x", "--set",
                "password_hash=\(hash)"
            ).status == 0)
        #expect(try workplace.profiles("login", "bert", "--password-stdin", input: "aK8oio").status == 0)
        let huge = hash.replacing("m=19456", with: "m=4194304")
        let refused = try workplace.profiles(
            "register", "--username", "carl", "--phone", "78761241", "--address", "x", "--set",
            "password_hash=\(huge)", "--format", "json")
        #expect(refused.output.contains("\"unsupported_hash\""))
        #expect(!refused.output.contains(huge))
        #expect(refused.status == 1)
    }

    @Test func `P12: a password comes from a file without its final line end, and appears nowhere`() throws {
        let workplace = try Workplace()
        try workplace.write("Sesame0pen\n", to: "secret")
        let registered = try workplace.profiles(
            "register", "--username", "anna", "--phone", "78761241", "--address", "x", "--password-file", "secret")
        #expect(registered.status == 0)
        let all = try [
            registered, workplace.profiles("lookup", "anna", "--format", "json"),
            workplace.profiles("export", "--include-hashes"), workplace.profiles("check"),
        ]
        for outcome in all { #expect(!outcome.output.contains("Sesame") && !outcome.error.contains("Sesame")) }
        for file in ["store.sqlite", "store.sqlite-wal", "store.sqlite-lock"] where workplace.exists(file) {
            #expect(try !workplace.read(file).contains("Sesame"))
        }
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "Sesame0pen").status == 0)
        let weak = try workplace.profiles("edit", "anna", "--password-stdin", input: "weakling")
        #expect(weak.error.contains("Password should have at least one uppercase letter"))
        #expect(!weak.error.contains("weakling"))
        #expect(weak.status == 1)
    }

    @Test(
        "P9: a login without memory for the hash says so, exits 75 and counts nothing", .unsanitized,
        arguments: [
            // A salt of 16 bytes, and one of 22 bytes. libsodium is called differently for each of them.
            "c2l4dGVlbiBieXRlcyBvaw$VODRr+M85C45C0Om0zNqFKlD8ZuK3yqocMrejVqaC3w",
            "dHdlbnR5LXR3byBieXRlcyBvZiBpdA$UyLkVLsxfDQt3f9T7VhLSMTLgtHEvSOufEXkrJPfbZ4",
        ])
    func memory(saltAndHash: String) throws {
        let workplace = try Workplace()
        let hash = "$argon2id$v=19$m=524288,t=1,p=1$\(saltAndHash)"
        try workplace.write("username,phone,address,password_hash\nanna,78761241,x,\"\(hash)\"\n", to: "anna.csv")
        try workplace.write("aK8oio\n", to: "right")
        try workplace.write("aK8oiO\n", to: "wrong")
        #expect(try workplace.profiles("import", "anna.csv").status == 0)
        for attempt in 1...7 {
            // The limit of the whole process is the memory that the hash alone needs.
            let outcome = try workplace.shell(
                "ulimit -v 524288; profiles login anna --password-file \(attempt % 2 == 0 ? "wrong" : "right")")
            #expect(outcome.status == 75)
            #expect(outcome.error == "Error: There was no memory to hash the secret with; try again\n")
        }
        #expect(try workplace.profiles("login", "anna", "--password-file", "right").output == "Hello anna\n")
    }
}
