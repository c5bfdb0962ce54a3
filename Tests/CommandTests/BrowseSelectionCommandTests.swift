import Platform
import ProfileTesting
import Testing
import Watchdog

/// Profiles that are selected in the table, and edited, removed and exported together.
@Suite(.watched) struct BrowseSelectionCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "town"}, {"name": "postal_code", "title": "Postal code", "constraints": {"pattern": "[0-9]{5}"}},
                  {"name": "place", "constraints": {"maxLength": 12}}]}
                """)
        let rows = (1...40).map { "u\($0),\($0 % 4 == 0 ? "Lodnon" : "Paris"),1\(1_000 + $0),\n" }
        try workplace.importRows("username,town,postal_code,place\n" + rows.joined())
    }

    private func browse(_ arguments: String...) throws -> TerminalDriver {
        let driver = try TerminalDriver(workplace, ["browse"] + arguments)
        try driver.closeWelcome()
        return driver
    }

    @Test func `N14: all profiles that a search finds are selected and edited as one change, which u undoes`() throws {
        let driver = try browse("lodnon")
        try driver.wait(until: { $0.contains("1 of 10") })
        try driver.type("a")
        try driver.wait(until: { $0.contains("10 selected") })
        // Deselects the last profile.
        try driver.type("G e")
        try driver.wait(until: { $0.contains("Set in 9 profiles:") })
        try driver.type("nosuch=1\n")
        try driver.wait(until: { $0.contains("There is no field \"nosuch\" to set") })
        try driver.press(.enter)
        try driver.press(.control("u"))
        try driver.type("place={town} {Postal code}\n")
        try driver.wait(until: { $0.contains("Edit 9 profiles?") })
        #expect(driver.screen.contains("9 profiles would be edited.") && driver.screen.contains("– → Lodnon 11004"))
        #expect(try workplace.profiles("list", "--where", "place=Lodnon 11004", "--count").output == "0\n")
        try driver.press(.down)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("9 profiles edited") })
        #expect(try workplace.profiles("list", "--where", "place!=", "--count").output == "9\n")
        // A value that the rules refuse leaves the profile as it is, and says so.
        try driver.type("eplace={town} in England\n")
        try driver.wait(until: { $0.contains("There is nothing to edit") && $0.contains("u4 stays:") })
        try driver.press(.escape)
        try driver.wait(until: { $0.contains("Set in 9 profiles: place={town}") })
        try driver.press(.escape)
        try driver.wait(until: { !$0.contains("Set in") })
        try driver.type("u")
        try driver.wait(until: { $0.contains("profiles would get the old values back") })
        try driver.press(.down)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("Undone: 9 profiles") })
        #expect(try workplace.profiles("list", "--where", "place!=", "--count").output == "0\n")
        try driver.press(.escape)
        try driver.wait(until: { !$0.contains("selected") && $0.contains("of 10") })
        try driver.type("q")
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
    }

    @Test func `N14: selected profiles are removed as one change after a question`() throws {
        let driver = try browse()
        try driver.wait(until: { $0.contains("1 of 40") })
        try driver.type("  j d")
        try driver.wait(until: { $0.contains("Remove 3 profiles?") })
        try driver.press(.down)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("Removed 3 profiles") && $0.contains("of 37") })
        #expect(try workplace.profiles("list", "--count").output == "37\n")
        #expect(try workplace.profiles("lookup", "u3").status == 0 && workplace.profiles("lookup", "u4").status == 1)
        try driver.type("u")
        try driver.wait(until: { $0.contains("Undo the newest change?") })
        try driver.press(.down)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("of 40") })
        try driver.type("q")
        #expect(try driver.end() == 0)
    }

    @Test func `N14: selected profiles are exported in the order of the table, and no file is replaced unasked`() throws
    {
        let path = "\(workplace.folder)/some.csv"
        let driver = try browse()
        try driver.wait(until: { $0.contains("1 of 40") })
        try driver.type("ss")
        try driver.wait(until: { $0.contains("by username ↓") || $0.contains("by Username ↓") })
        try driver.type("  x")
        try driver.wait(until: { $0.contains("Export 2 profiles to the file:") })
        try driver.type("\(path)\n")
        try driver.wait(until: { $0.contains("Exported 2 profiles to") })
        let text = try workplace.read("some.csv")
        #expect(text == "username,town,postal_code,place\nu9,Paris,11009,\nu8,Lodnon,11008,\n")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        // Without a selection, all profiles of the search are exported.
        try driver.press(.escape)
        try driver.wait(until: { !$0.contains("selected") })
        try driver.type("/lodnon\n")
        try driver.wait(until: { $0.contains("of 10") })
        try driver.type("x\(path)\n")
        try driver.wait(until: { $0.contains("exists already") })
        try driver.press(.enter)
        try driver.wait(until: { !$0.contains("exists already") })
        #expect(try workplace.read("some.csv") == text)
        try driver.type("x\(path)\n")
        try driver.wait(until: { $0.contains("exists already") })
        try driver.press(.down)
        try driver.press(.enter)
        try driver.wait(until: { $0.contains("Exported 10 profiles to") })
        #expect(try workplace.read("some.csv").split(separator: "\n").count == 11)
        // A folder and a terminal are no files for an export.
        for (other, message) in [
            (workplace.folder, "is not a file"), ("/dev/tty", "is not a file"), ("/nowhere/x.csv", "cannot be created"),
            ("x.xlsx", "names no format"),
        ] {
            try driver.type("x\(other)\n")
            try driver.wait(until: { $0.contains(message) })
            try driver.press(.escape)
            try driver.press(.escape)
            try driver.wait(until: { !$0.contains("Error") && !$0.contains("to the file") && $0.contains("of 10") })
        }
        try driver.type("q")
        #expect(try driver.end() == 0)
    }
}
