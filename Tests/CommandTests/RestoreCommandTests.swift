import Platform
import ProfileTesting
import Testing
import Watchdog

/// `profiles restore`, with and without a terminal.
@Suite(.watched) struct RestoreCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace()
        try workplace.register("anna")
        #expect(try workplace.profiles("backup", "before.sqlite").status == 0)
        try workplace.register("bert")
    }

    @Test func `a backup replaces the contents of the store`() throws {
        let outcome = try workplace.profiles("restore", "before.sqlite", "--yes")
        #expect(outcome.output == "Restored 1 profile from before.sqlite\n")
        #expect(outcome.status == 0 && outcome.error.isEmpty)
        #expect(try workplace.profiles("lookup", "anna").status == 0)
        #expect(try workplace.profiles("lookup", "bert").status == 1)
        let json = try workplace.profiles("restore", "before.sqlite", "--yes", "--format", "json")
        #expect(
            json.output.reproducible(workplace) == """
                {
                  "restored": "before.sqlite",
                  "database": "FOLDER/store.sqlite",
                  "profiles": 1
                }

                """)
    }

    @Test func `without a terminal --yes has to be given, and nothing is replaced without it`() throws {
        let outcome = try workplace.profiles("restore", "before.sqlite")
        #expect(
            outcome.error.reproducible(workplace)
                == "Error: There is no terminal to ask on; give --yes to replace the contents of FOLDER/store.sqlite\n")
        #expect(outcome.status == 64)
        #expect(try workplace.profiles("lookup", "bert").status == 0)
        // A new store has no contents to replace.
        #expect(try workplace.profiles("restore", "before.sqlite", "--database", "new.sqlite").status == 0)
        #expect(try workplace.profiles("lookup", "anna", "--database", "new.sqlite").status == 0)
    }

    @Test func `on a terminal restore asks, and the answer no changes nothing`() throws {
        let terminal = try TerminalDriver(workplace, "restore", "before.sqlite")
        try terminal.wait(for: "Replace the contents of")
        try terminal.type("n\r")
        #expect(try terminal.end() == 1)
        #expect(try workplace.profiles("lookup", "bert").status == 0)
        let second = try TerminalDriver(workplace, "restore", "before.sqlite")
        try second.wait(for: "[y/N]")
        try second.type("y\r")
        #expect(try second.end() == 0)
        #expect(try workplace.profiles("lookup", "bert").status == 1)
    }

    @Test func `a file that cannot be restored is an error, and the store stays as it is`() throws {
        let missing = try workplace.profiles("restore", "nowhere.sqlite", "--yes")
        #expect(missing.error == "Error: There is no backup at nowhere.sqlite\n" && missing.status == 66)
        let itself = try workplace.profiles("restore", "./store.sqlite", "--yes")
        #expect(
            itself.error == "Error: ./store.sqlite is the store itself; name a backup of it\n" && itself.status == 64)
        try workplace.write("", to: "empty.sqlite")
        let empty = try workplace.profiles("restore", "empty.sqlite", "--yes")
        #expect(empty.error == "Error: empty.sqlite holds nothing; name another backup\n" && empty.status == 65)
        try workplace.write(String(repeating: "no database ", count: 99), to: "text")
        let text = try workplace.profiles("restore", "text", "--yes")
        #expect(text.error.contains("text is not an SQLite database") && text.status == 65)
        #expect(try workplace.profiles("lookup", "bert").status == 0)
    }

    @Test func `for a completely damaged store, the error says how to create a new one`() throws {
        try workplace.write(String(repeating: "\u{1}", count: 20_000), to: "store.sqlite")
        let outcome = try workplace.profiles("restore", "before.sqlite", "--yes")
        #expect(outcome.status == 65)
        #expect(
            outcome.error.reproducible(workplace) == """
                Error: FOLDER/store.sqlite is too damaged to be written into; it is left as it is
                  Move it away, together with FOLDER/store.sqlite-wal, FOLDER/store.sqlite-shm and \
                FOLDER/store.sqlite-journal if they exist
                  Then restore again: a new store is created

                """)
        #expect(try workplace.shell("mv store.sqlite old; rm -f store.sqlite-wal store.sqlite-shm").status == 0)
        #expect(try workplace.profiles("restore", "before.sqlite").status == 0)
        #expect(try workplace.profiles("lookup", "anna").status == 0)
    }

    @Test func `the error about a damaged store names the command that restores a backup`() throws {
        #expect(try workplace.shell("dd if=/dev/zero of=store.sqlite bs=4096 seek=1 count=50 conv=notrunc").status == 0)
        let outcome = try workplace.profiles("lookup", "anna")
        #expect(outcome.status == 65)
        #expect(
            outcome.error.hasSuffix(
                "\n  Look with \"profiles check\", and restore a backup with \"profiles restore BACKUP\"\n"))
        let check = try workplace.profiles("check")
        #expect(check.status == 65)
        let error = check.error.reproducible(workplace)
        #expect(error.hasPrefix("Error: The store FOLDER/store.sqlite is damaged: "), "\(check)")
        #expect(error.hasSuffix("\n  Restore a backup with \"profiles restore BACKUP\"\n"), "\(check)")
    }

    @Test func `on a full disk a first import and a restore leave nothing of the store that they made`() throws {
        let workplace = try Workplace(
            schema: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}}, {"name": "address"}]}
                """)
        let rows = (0..<20_000).map { "person\($0),\($0) Main Street\n" }.joined()
        try workplace.write("username,address\n" + rows, to: "people.csv")
        #expect(try workplace.profiles("import", "people.csv").status == 0)
        #expect(try workplace.profiles("backup", "backup.sqlite").status == 0)
        let script = """
            mkdir small && mount -t tmpfs -o size=600k none small || exit 99
            "$0" import people.csv --infer --yes --database small/import.sqlite >&2; echo "import $?"
            "$0" restore backup.sqlite --database small/restored.sqlite >&2; echo "restore $?"
            ls small
            """
        let outcome = try workplace.run(
            ["/usr/bin/unshare", "-rm", "/bin/sh", "-c", script, try Workplace.binary()], input: "", environment: [:])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.output == "import 74\nrestore 74\nimport.sqlite-lock\nrestored.sqlite-lock\n", "\(outcome)")
    }
}
