import Platform
import ProfileTesting
import Testing
import Watchdog

/// The columns that a user has chosen for the table of a store are there the next time.
@Suite(.watched) struct BrowseColumnsCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace(
            schema: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "town", "title": "Town"}, {"name": "street", "title": "Street"}]}
                """)
        try workplace.importRows("username,town,street\nann,Bath,Elm\nbob,York,Oak\n")
    }

    private func browse(_ arguments: String..., environment: [String: String] = [:]) throws -> TerminalDriver {
        let driver = try TerminalDriver(workplace, ["browse"] + arguments, environment: environment)
        try driver.closeWelcome()
        try driver.wait(until: { $0.contains("1 of ") })
        return driver
    }

    private func leave(_ driver: TerminalDriver) throws {
        try driver.type("q")
        #expect(try driver.end() == 0)
        #expect(driver.isRestored)
    }

    /// The path of the only record.
    private func record() throws -> String {
        let folder = ".local/state/profiles/columns"
        let names = try #require(opendir("\(workplace.folder)/\(folder)"))
        defer { closedir(names) }
        var found: [String] = []
        while let entry = readdir(names) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { found.append(name) }
        }
        #expect(found.count == 1)
        return "\(folder)/\(found.first ?? "")"
    }

    @Test func `N15: chosen columns are remembered for each store, and only for it`() throws {
        var driver = try browse()
        #expect(driver.screen.rows[2].contains("Town  Street"))
        try driver.type("cjK")
        try driver.wait(until: { $0.contains("›✓ Town") })
        try driver.type("G ")
        try driver.press(.enter)
        // The columns are stored even if the user leaves at once.
        try leave(driver)
        let path = try record()
        #expect(workplace.mode(path) == 0o600 && workplace.mode(".local/state/profiles/columns") == 0o700)
        #expect(try workplace.read(path).contains("\"street\""))
        driver = try browse(
            "--database", "\(workplace.folder)/../\(workplace.folder.split(separator: "/").last ?? "")/store.sqlite")
        let heading = driver.screen.rows[2]
        #expect(heading.contains("Town") && !heading.contains("Street"), "another path to the same store")
        #expect(heading.firstRange(of: "Town").map { heading[$0.upperBound...].contains("sername") } == true)
        try leave(driver)
        #expect(try workplace.profiles("copy", "store.sqlite", "other.sqlite").status == 0)
        driver = try browse("--database", "other.sqlite")
        #expect(driver.screen.rows[2].contains("Street"))
        try leave(driver)
    }

    @Test(
        "N15: a record that is damaged is ignored and replaced",
        arguments: [
            "", "{", "[]", "{\"order\": 1, \"hidden\": [], \"widths\": {}}",
            "{\"order\": [1], \"hidden\": [], \"widths\": {}}",
            "{\"order\": [], \"hidden\": [], \"widths\": {\"town\": -5}}", "\u{0}\u{1}\u{2}",
        ])
    func damage(text: String) throws {
        var driver = try browse()
        try driver.type("cj ")
        try driver.press(.enter)
        try leave(driver)
        let path = try record()
        try workplace.write(text, to: path)
        driver = try browse()
        #expect(driver.screen.rows[2].contains("Town") && driver.screen.rows[2].contains("Street"))
        try driver.type("cj ")
        try driver.press(.enter)
        try leave(driver)
        #expect(try workplace.read(path).contains("\"town\""))
    }

    @Test func `N15: if the record cannot be written, the table works and forgets the columns`() throws {
        for environment in [["HOME": "/nowhere"], ["XDG_STATE_HOME": "/proc/nowhere"], ["HOME": ""]] {
            let driver = try browse("--database", "\(workplace.folder)/store.sqlite", environment: environment)
            try driver.type("cj ")
            try driver.press(.enter)
            try driver.wait(until: { !$0.rows[2].contains("Town") })
            try leave(driver)
        }
    }
}
