import Platform
import ProfileTesting
import Testing
import Watchdog

/// Tables on a terminal, and the pager that shows long ones.
@Suite(.watched) struct FittedTableTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace()
        try workplace.register("anna", address: "12 Main Street in the very long town of Llanfair Pwllgwyngyll")
        try workplace.register("bert")
    }

    private func terminal(
        _ arguments: String..., columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]
    ) throws -> TerminalDriver {
        try TerminalDriver(
            workplace, arguments, size: TerminalSize(columns: columns, rows: rows), environment: environment)
    }

    /// Stores more profiles than fit on a screen.
    private func storeMany() throws {
        let rows = (0..<60).map { "u\($0),78761241,12 Main St\n" }.joined()
        try workplace.write("username,phone,address\n" + rows, to: "many.csv")
        try workplace.write(
            #"{"fields": [{"name": "username"}, {"name": "phone"}, {"name": "address"}], "primaryKey": "username"}"#,
            to: "many.json")
        #expect(try workplace.profiles("init", "--database", "many.sqlite", "--schema", "many.json").status == 0)
        #expect(try workplace.profiles("import", "many.csv", "--database", "many.sqlite", "--quiet").status == 0)
    }

    @Test func `a table is as wide as the terminal, and columns without room are named`() throws {
        let wide = try terminal("list")
        #expect(try wide.end() == 0)
        #expect(
            wide.screen.text == """
                Username  Phone      Address                     Postal code  Birthday  Revision
                anna      7876-1241  12 Main Street in the ver…  –            –         1
                bert      7876-1241  12 Main St                  –            –         1
                """)
        #expect(wide.screen.rows.allSatisfy { $0.count <= 80 })
        let narrow = try terminal("list", columns: 40)
        #expect(try narrow.end() == 0)
        #expect(
            narrow.screen.text == """
                Username  Phone      Address
                anna      7876-1241  12 Main Street in …
                bert      7876-1241  12 Main St
                No room for postal_code, birthday,
                _revision: choose with --columns, or see
                all with --expanded.
                """)
        #expect(try workplace.profiles("list").output.contains("town of Llanfair Pwllgwyngyll"))
        let quiet = try terminal("list", "--quiet", columns: 40)
        #expect(try quiet.end() == 0)
        #expect(!quiet.transcript.contains("No room"))
    }

    @Test func `the columns of --columns and of --sort are always shown`() throws {
        let sorted = try terminal("list", "--sort", "birthday", columns: 40)
        #expect(try sorted.end() == 0)
        #expect(sorted.screen.rows[0] == "Username  Phone      Birthday")
        let chosen = try terminal("list", "--columns", "username,phone,address,postal_code,birthday", columns: 40)
        #expect(try chosen.end() == 0)
        #expect(chosen.screen.rows[0] == "Userna…  Phone    Addre…  Posta…  Birth…")
        #expect(!chosen.transcript.contains("No room"))
        let expanded = try terminal("list", "--expanded", columns: 40)
        #expect(try expanded.end() == 0)
        #expect(expanded.screen.contains("Revision     1"))
    }

    @Test func `a table is fitted by the display width of its characters`() throws {
        try workplace.write(#"{"fields": [{"name": "name"}, {"name": "note"}], "primaryKey": "name"}"#, to: "wide.json")
        try workplace.write("name,note\n漢字かな,漢字漢字漢字漢字漢字漢字漢字漢字\nab,cd\n", to: "wide.csv")
        #expect(try workplace.profiles("init", "--database", "wide.sqlite", "--schema", "wide.json").status == 0)
        #expect(try workplace.profiles("import", "wide.csv", "--database", "wide.sqlite", "--quiet").status == 0)
        let screen = try terminal("list", "--database", "wide.sqlite", columns: 26)
        #expect(try screen.end() == 0)
        #expect(screen.screen.rows[0] == "Name      Note")
        #expect(screen.screen.rows[1] == "漢字かな  漢字漢字漢字漢…")
        #expect(screen.screen.rows[2] == "ab        cd")
    }

    @Test func `a long answer is shown with less, and the terminal is restored afterwards`() throws {
        try storeMany()
        let pager = try terminal("list", "--database", "many.sqlite")
        try pager.wait(for: "u21 ")
        #expect(!pager.hasEnded && !pager.screen.contains("u30 "))
        try pager.type(" ")
        try pager.wait(for: "u43 ")
        // Ctrl-C ends neither less nor the command.
        try pager.type("\u{03}")
        try pager.waitUntilStill()
        #expect(!pager.hasEnded)
        try pager.type("q")
        #expect(try pager.end() == 0)
        #expect(pager.isRestored)
        #expect(!pager.transcript.contains("u59 "))
    }

    @Test func `a short answer needs no pager`() throws {
        let short = try terminal("list", environment: ["PAGER": "exec cat > paged"])
        #expect(try short.end() == 0)
        #expect(short.screen.contains("bert") && !workplace.exists("paged"))
    }

    @Test func `PAGER names the pager, and none is used if it is off or missing, or for other formats`() throws {
        try storeMany()
        let named = try terminal("list", "--database", "many.sqlite", environment: ["PAGER": "tail -n 1 | tr a-z A-Z"])
        #expect(try named.end() == 0)
        #expect(named.screen.rows[0].hasPrefix("U59 "))
        for (arguments, environment) in [
            (["--no-pager"], ["PAGER": "exec cat > paged"]), ([], ["PAGER": ""]), ([], ["PAGER": "cat"]),
            ([], ["PAGER": "/nonexistent/pager"]), ([], ["TERM": "dumb"]), ([], ["PATH": "/nonexistent"]),
            (["--format", "csv"], ["PAGER": "exec cat > paged"]),
            (["--format", "json"], ["PAGER": "exec cat > paged"]),
        ] {
            let direct = try TerminalDriver(
                workplace, ["list", "--database", "many.sqlite"] + arguments, environment: environment)
            #expect(try direct.end() == 0)
            #expect(direct.transcript.contains("u0") && direct.transcript.contains("u59"), "\(environment)")
            #expect(!workplace.exists("paged"))
        }
        let piped = try workplace.profiles(
            "list", "--database", "many.sqlite", environment: ["PAGER": "exec cat > paged"])
        #expect(piped.output.contains("u59") && !workplace.exists("paged"))
    }

    @Test func `blocks go through the pager too`() throws {
        try storeMany()
        let blocks = try terminal(
            "list", "--database", "many.sqlite", "--expanded", environment: ["PAGER": "tail -n 2"])
        #expect(try blocks.end() == 0)
        #expect(blocks.screen.rows[0].hasPrefix("Address") && blocks.screen.rows[1] == "Revision  1")
    }

    @Test func `the terminal is restored after a pager that leaves it in disorder`() throws {
        try storeMany()
        let disorder = "stty -echo -icanon < /dev/tty; cat; kill -KILL $$"
        let pager = try terminal("list", "--database", "many.sqlite", environment: ["PAGER": disorder])
        #expect(try pager.end() == 0)
        #expect(pager.isRestored && pager.transcript.contains("u59"))
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func `a signal ends the pager and the command, and the terminal is restored`(signal: Int32) throws {
        try storeMany()
        let pager = try terminal("list", "--database", "many.sqlite")
        try pager.wait(for: "u21 ")
        pager.send(signal)
        #expect(try pager.end() == 128 + signal)
        #expect(pager.isRestored)
    }
}
