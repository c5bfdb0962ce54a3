import Platform
import ProfileTesting
import RawSQLite
import Testing
import Watchdog

/// Profiles in a table that fills a real terminal.
@Suite(.watched) struct BrowseCommandTests {
    private let references = ReferenceScreens()
    private let workplace: Workplace

    /// Makes a store of forty valid profiles.
    init() throws {
        workplace = try Workplace()
        let streets = ["Elm St", "Oak Ave", "Main St", "Hill Road"]
        let rows = (0..<40).map { index in
            "person\(index),\(71_000_000 + index * 1_234_567 % 9_000_000),\(index * 7 % 90 + 1) \(streets[index % 4]),"
                + "\(10_000 + index * 321),19\(50 + index)-0\(index % 9 + 1)-1\(index % 10),\"\(Self.hash)\"\n"
        }
        try workplace.write(
            "username,phone,address,postal_code,birthday,password_hash\n" + rows.joined(), to: "people.csv")
        try #require(workplace.profiles("import", "people.csv").status == 0)
        // 2026-01-01, so that screens are the same on every day.
        try RawDatabase("\(workplace.folder)/store.sqlite").execute(
            "UPDATE profiles SET created_at = 1767225600000, updated_at = 1767225600000")
    }

    private static let hash = "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

    private func browse(_ arguments: String..., size: TerminalSize = .standard) throws -> TerminalDriver {
        let driver = try TerminalDriver(workplace, ["browse"] + arguments, size: size)
        try driver.closeWelcome()
        return driver
    }

    @Test(
        "N8: the table matches its reference screens",
        arguments: [
            TerminalSize.standard, .small, TerminalSize(columns: 120, rows: 30),
        ])
    func appearance(size: TerminalSize) throws {
        let schema = try workplace.profiles("schema", "show", "--format", "json").output
        try workplace.write(schema.replacing("\"maxLength\": 70", with: "\"maxLength\": 11"), to: "narrower.json")
        try #require(workplace.profiles("schema", "adopt", "narrower.json", "--yes").status == 0)
        try #require(workplace.profiles("revalidate").status == 1)
        let driver = try browse(size: size)
        let name = "\(size.columns)x\(size.rows)"
        try driver.wait(until: { $0.contains("of 40") })
        try references.verify(driver.screen, is: "browse-\(name)", includesStyles: true)
        try driver.type("/ELM")
        try driver.wait(until: { $0.contains("of 10") })
        try references.verify(driver.screen, is: "browse-search-\(name)", includesStyles: true)
        try driver.press(.escape)
        try driver.wait(until: { $0.contains("of 40") })
        try driver.type("f")
        try driver.wait(until: { $0.contains("of 9") })
        try driver.press(.right, times: 2)
        try driver.type("ss")
        try driver.wait(until: { $0.contains("by Address ↓") })
        try driver.waitUntilStill()
        try references.verify(driver.screen, is: "browse-invalid-\(name)", includesStyles: true)
        try driver.press(.delete)
        try driver.wait(until: { $0.contains("Remove person") })
        try references.verify(driver.screen, is: "browse-remove-\(name)", includesStyles: true)
        try driver.press(.escape)
        try driver.wait(until: { !$0.contains("Remove person") })
        try driver.type("q")
        #expect(try driver.end() == 0)
        #expect(driver.isRestored && !driver.screen.contains("Error"))
    }

    @Test func `N8: a user finds a profile, edits it, registers another, removes one and leaves`() throws {
        let driver = try browse("oak ave")
        try driver.wait(until: { $0.contains("of 10") })
        try driver.press(.down, times: 2)
        try driver.wait(until: { $0.contains("3 of 10") })
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("Edit person9") })
        try driver.press(.down, times: 3)
        try driver.press(.control("u"))
        try driver.type("99 Elm St")
        try driver.press(.control("s"))
        // The search no longer finds the profile.
        try driver.wait(until: { $0.contains("Stored person9") })
        try driver.wait(until: { $0.contains("of 9") })
        #expect(try workplace.profiles("lookup", "person9").output.contains("99 Elm St"))
        try driver.type("n")
        try driver.wait(until: { $0.contains("Register a profile") })
        try driver.type("newone\naK8oio\n78761241\n1 Oak Ave\n\n\n")
        try driver.wait(until: { $0.contains("Registered newone") })
        try driver.wait(until: { $0.contains("of 10") })
        try driver.press(.end)
        try driver.wait(until: { $0.contains("10 of 10") })
        try driver.press(.delete)
        try driver.wait(until: { $0.contains("Remove newone?") })
        try driver.press(.down)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("Removed newone") })
        try driver.wait(until: { $0.contains("9 of 9") })
        #expect(try workplace.profiles("lookup", "newone").status == 1)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("Edit person37") })
        try driver.press(.escape)
        try driver.wait(until: { $0.contains("profile is as it was") })
        try driver.press(.escape)
        try driver.wait(until: { $0.contains("of 40") })
        try driver.press(.escape)
        #expect(try driver.end() == 0)
    }

    @Test func `if another process has removed a profile, the table reports it and goes on`() throws {
        let driver = try browse()
        try driver.wait(until: { $0.contains("1 of 40") })
        try #require(workplace.profiles("remove", "person0", "--yes").status == 0)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("The profile no longer exists") })
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("1 of 39") })
        try #require(workplace.profiles("remove", "person1", "--yes").status == 0)
        try driver.press(.delete)
        try driver.wait(until: { $0.contains("Remove person") })
        try driver.press(.down)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("There is no profile \"person1\"") })
        try driver.press(.enter)
        // A profile that another process has changed since it was shown is not removed.
        try driver.press(.down)
        try #require(workplace.profiles("edit", "person2", "--address", "7 Elm St").status == 0)
        try driver.press(.delete)
        try driver.wait(until: { $0.contains("Remove person2") })
        try driver.press(.down)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("Error") && $0.contains("revision") })
        #expect(try workplace.profiles("lookup", "person2").status == 0)
        try driver.press(.enter)
        try driver.type("r")
        try driver.wait(until: { $0.contains("1 of 38") })
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
        #expect(driver.isRestored)
    }

    @Test func `a user goes to a row, filters by a value, copies it, reads the history, and undoes`() throws {
        try #require(workplace.profiles("edit", "person24", "--address", "7 New St").status == 0)
        let driver = try browse()
        try driver.wait(until: { $0.contains("1 of 40") })
        try driver.type(":25\n")
        try driver.wait(until: { $0.contains("25 of 40") && $0.contains("7 New St") })
        try driver.type("ll=")
        try driver.wait(until: { $0.contains("1 of 1 · Address = 7 New St") })
        try driver.type("y")
        try driver.wait(until: { $0.contains("Copied Address") })
        #expect(driver.transcript.contains("\u{1B}]52;c;NyBOZXcgU3Q=\u{7}"))
        try driver.type("Y")
        try driver.wait(until: { $0.contains("Copied all values of person24") })
        #expect(driver.transcript.contains("\u{1B}]52;c;cGVyc29uMjQJ"))
        try driver.type("H")
        try driver.wait(until: { $0.contains("History of person24") })
        #expect(driver.screen.contains("→ 7 New St") && driver.screen.contains("edited revision 2"))
        #expect(driver.screen.contains("imported revision 1"))
        try driver.press(.escape)
        try driver.wait(until: { $0.contains("1 of 1 · Address") })
        try driver.type("u")
        try driver.wait(until: { $0.contains("Undo the newest change?") })
        #expect(driver.screen.contains("profile would get the old values back"))
        try driver.press(.down)
        try driver.press(.enter)
        // The filter does not find the old value.
        try driver.wait(until: {
            $0.contains("Undone: 1 profile got the old values back") && $0.contains("Nothing is found")
        })
        #expect(try !workplace.profiles("lookup", "person24").output.contains("7 New St"))
        try driver.press(.escape)
        try driver.wait(until: { $0.contains("of 40") })
        try driver.type("!")
        try driver.wait(until: { $0.contains("of 39") })
        try driver.type("?")
        try driver.wait(until: { $0.contains("go to the row with a number") })
        try driver.type("q")
        try driver.wait(until: { $0.contains("of 39") })
        try driver.type("q")
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
    }

    @Test func `a distant row is found by its number although ids are missing`() throws {
        let rows = (0..<6_000).map { "p\($0),\(71_000_000 + $0),1 Elm St,,,\"\(Self.hash)\"\n" }
        try workplace.write(
            "username,phone,address,postal_code,birthday,password_hash\n" + rows.joined(), to: "more.csv")
        try #require(workplace.profiles("import", "more.csv").status == 0)
        try #require(
            workplace.profiles("remove", "--where", "_id>=100", "--where", "_id<=2500", "--yes").status == 0)
        let driver = try browse()
        try driver.wait(until: { $0.contains("1 of 3,639") })
        // The profiles 1 to 99 and 2501 to 6040 are left. Among them, p0 is the 41st.
        for (number, name) in [("2,000", "p4360"), ("1,200", "p3560"), ("99", "p58"), ("100", "p2460")] {
            try driver.type(":\(number)\n")
            // The details begin with the name.
            try driver.wait(until: { screen in
                screen.contains(" \(number) of 3,639") && screen.rows.contains { $0.hasPrefix(" \(name)") }
            })
        }
        try driver.type("q")
        #expect(try driver.end() == 0)
    }

    @Test func `a read-only store can be browsed, and a change fails with the reason`() throws {
        for ending in ["-wal", "-shm", "-lock"] { unlink("\(workplace.folder)/store.sqlite\(ending)") }
        let isRoot = geteuid() == 0
        chmod("\(workplace.folder)/store.sqlite", isRoot ? 0o444 : 0o400)
        chmod(workplace.folder, 0o555)
        Workplace.waitUntilSettled("\(workplace.folder)/store.sqlite")
        defer { chmod(workplace.folder, 0o700) }
        // Root may write everywhere, so the command runs as another user.
        let user = isRoot ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        let driver = try TerminalDriver(
            user + [try Workplace.binary(), "browse", "--wait", "1"], environment: workplace.environment, folder: "/")
        try driver.wait(until: { $0.contains("1 of 40") })
        try driver.type("G")
        try driver.wait(until: { $0.contains("40 of 40") })
        try driver.type("H")
        try driver.wait(until: { $0.contains("History of person39") })
        try driver.press(.escape)
        try driver.press(.delete)
        try driver.wait(until: { $0.contains("Remove person39?") })
        try driver.press(.down)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("The store cannot be written") })
        try driver.press(.enter)
        try driver.type("/oak")
        try driver.wait(until: { $0.contains("of 10") })
        try driver.press(.enter)
        try driver.type("q")
        #expect(try driver.end() == 0)
    }

    @Test func `without a terminal browse names another command, and without a store it fails`() throws {
        let outcome = try workplace.profiles("browse")
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(outcome.error.contains("profiles list"))
        let nowhere = try Workplace()
        let driver = try TerminalDriver(nowhere, "browse")
        #expect(try driver.end() == 66)
        #expect(driver.screen.contains("There is no store"))
        #expect(try workplace.profiles("browse", "--no-input").error.contains("--no-input"))
        let dumb = try TerminalDriver(workplace, "browse", environment: ["TERM": "dumb"])
        #expect(try dumb.end() == 64)
    }
}
