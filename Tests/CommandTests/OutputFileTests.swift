import Platform
import ProfileTesting
import Testing
import Watchdog

/// The files that commands write besides the store. Each file is complete, or the old file is unchanged.
@Suite(.watched) struct OutputFileTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// A schema whose only field is the username.
    private static let schema = """
        {"fields": [{"name": "username", "constraints": {"required": true, "unique": true, "maxLength": 9}}]}
        """

    private func makeStore() throws {
        try workplace.write(Self.schema, to: "names.json")
        #expect(try workplace.profiles("init", "--schema", "names.json", "--quiet").status == 0)
    }

    /// The names of the files in the folder, without hidden files.
    private var names: [String] { SmallFile.names(in: workplace.folder).filter { !$0.hasPrefix(".") } }

    // MARK: A full disk

    @Test("I7: rejected rows that cannot be written completely do not replace the old file", arguments: [100, 5_000])
    func fullDisk(rows: Int) throws {
        try workplace.write("username\n" + (0..<rows).map { "too long a name \($0)\n" }.joined(), to: "people.csv")
        try workplace.write(Self.schema, to: "names.json")
        try workplace.write("precious", to: "rejects.csv")
        // The limit for every file is 4 KiB. Standard output is a pipe, so that the limit does not apply to it.
        let outcome = try workplace.shell(
            """
            set -o pipefail
            (ulimit -f 4; profiles validate people.csv --schema names.json --rejects rejects.csv --force) 2>&1 | cat
            """)
        #expect(outcome.status == 74)
        #expect(try workplace.read("rejects.csv") == "precious")
        #expect(names == ["names.json", "people.csv", "rejects.csv"])
        #expect(outcome.output.contains("  rejected  \(rows == 100 ? "100" : "")"), "\(outcome)")
        #expect(outcome.output.contains("rows were not written to rejects.csv; an existing file is unchanged."))
        #expect(outcome.output.contains("Error: The file of rejected rows cannot be written: File too large"))
        #expect(!outcome.output.contains("Rejected rows are in"))
    }

    @Test func `I7: rejected rows are written even if another error ends the import`() throws {
        try makeStore()
        #expect(try workplace.profiles("register", "--username", "ann").status == 0)
        try workplace.write(
            "username\ntoo long a name\nann\n" + (0..<80_000).map { "user\($0)\n" }.joined(), to: "people.csv")
        try workplace.write("worthless", to: "rejects.csv")
        let outcome = try workplace.shell(
            """
            set -o pipefail
            (ulimit -f 2000; profiles import people.csv --rejects rejects.csv --force) 2>&1 | cat
            """)
        #expect(outcome.status == 74)
        #expect(outcome.output.contains("Rejected rows are in rejects.csv; columns of secrets"), "\(outcome)")
        let rejects = try workplace.read("rejects.csv").split(separator: "\n")
        #expect(rejects.count == 3 && rejects[0] == "username,_line,_issues")
        #expect(rejects[1].hasPrefix("too long a name,2,") && rejects[2].hasPrefix("ann,3,"))
    }

    @Test func `N9: an import names its rejected rows only while no other command replaces a file in the folder`()
        async throws
    {
        try makeStore()
        try workplace.write("username\ntoo long a name\n", to: "people.csv")
        // Locks the folder as `mend` does while it compares and replaces a file.
        let folder = open(workplace.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(folder >= 0 && flock(folder, LOCK_EX) == 0)
        defer { close(folder) }
        let process = try ChildProcess(
            [try Workplace.binary(), "import", "people.csv", "--rejects", "rejects.csv"],
            environment: workplace.environment, folder: workplace.folder,
            streams: [
                0: .file("/dev/null", flags: O_RDONLY), 1: .file("/dev/null", flags: O_RDWR),
                2: .file("/dev/null", flags: O_RDWR),
            ])
        // SQLite opens the folder too, but only for a moment.
        var timesOpen = 0
        try await waitUntil {
            let isOpen = (3..<60).contains { Self.file(process.id, $0) == Self.file(getpid(), folder) }
            timesOpen = isOpen ? timesOpen + 1 : 0
            return timesOpen == 20 || process.hasEnded
        }
        #expect(!process.hasEnded && !workplace.exists("rejects.csv"))
        #expect(flock(folder, LOCK_UN) == 0)
        #expect(process.wait() == 1)
        #expect(try workplace.read("rejects.csv").contains("too long a name,2,"))
    }

    /// The path of an open file of a process (proc(5)). Nil if no file is open.
    private static func file(_ process: pid_t, _ descriptor: Int32) -> String? {
        var path = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/\(process)/fd/\(descriptor)", &path, path.count)
        return count > 0 ? String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    @Test func `I7: the file of rejected rows is complete if too many of them end the import`() throws {
        try makeStore()
        try workplace.write(
            "username\nann\n" + (0..<30).map { "too long a name \($0)\n" }.joined(), to: "people.csv")
        let outcome = try workplace.profiles(
            "import", "people.csv", "--max-rejects", "2", "--rejects", "rejects.csv", "--report", "report.json")
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("Ended early: too many rows were rejected."), "\(outcome)")
        #expect(try workplace.read("rejects.csv").split(separator: "\n").count == 31)
        #expect(try workplace.read("report.json").contains("\"early_end\": \"too_many_rejects\""))
        #expect(try workplace.profiles("lookup", "ann").status == 0)
    }

    // MARK: Nothing is overwritten

    @Test(
        "I7: an existing file is not overwritten without --force, and the command does nothing",
        arguments: [
            "import people.csv --rejects", "validate people.csv --rejects", "import people.csv --report",
            "validate people.csv --report", "revalidate --report", "export",
        ])
    func isThere(line: String) throws {
        try workplace.write(Self.schema, to: "names.json")
        try workplace.write("username,phone,address,password\nx y,,,\n", to: "people.csv")
        try workplace.write("precious", to: "old.csv")
        #expect(try workplace.shell("ln -s old.csv link.csv").status == 0)
        let isForStore = line.hasPrefix("revalidate") || line == "export"
        if isForStore { #expect(try workplace.profiles("init", "--schema", "names.json", "--quiet").status == 0) }
        let before = names
        for name in ["old.csv", "./old.csv", "link.csv"] {
            let outcome = try workplace.shell("profiles \(line) \(name)")
            #expect(
                outcome
                    == Workplace.Outcome(
                        status: 73, output: "",
                        error: """
                            Error: \(name) is there already; it is left as it is
                              Replace it with --force, or name another file

                            """))
            #expect(names == before, "no store was made")
            #expect(try workplace.read("old.csv") == "precious")
        }
        _ = try workplace.shell("profiles \(line) link.csv --force")
        #expect(try workplace.read("old.csv") != "precious")
        #expect(workplace.mode("old.csv") == 0o600)
        #expect(try workplace.shell("profiles \(line) new.csv").status <= 1)
        #expect(workplace.exists("new.csv"))
        // A device is written without --force. A report needs a file ending that names its format, and /dev/null has
        // none.
        #expect(
            try workplace.shell("profiles \(line) /dev/null").status
                == (line.hasSuffix("report") ? 64 : line == "export" ? 0 : 1))
    }

    @Test(
        "I7: a hyphen, except for an export, and an empty name are no output files",
        arguments: ["import people.csv --rejects", "schema infer people.csv --output", "export"])
    func isNoName(line: String) throws {
        try makeStore()
        try workplace.write("username\nann\n", to: "people.csv")
        if line != "export" {
            let outcome = try workplace.shell("profiles \(line) -")
            #expect(outcome.status == 64 && outcome.error.contains("- does not name a file here"), "\(outcome)")
            #expect(!workplace.exists("-"))
        }
        let outcome = try workplace.shell("profiles \(line) ''")
        #expect(outcome.error.contains(#"Error: "" cannot be created: No such file"#), "\(outcome)")
    }

    @Test func `I7: through a symbolic link, the output is written to the missing target`() throws {
        try makeStore()
        for (link, force) in [("a.csv", ""), ("b.csv", "--force")] {
            #expect(try workplace.shell("mkdir -p d; ln -s d/real-\(link) \(link)").status == 0)
            #expect(try workplace.shell("profiles export \(link) \(force)").status == 0)
            #expect(try workplace.shell("readlink \(link)").output == "d/real-\(link)\n")
            #expect(try workplace.read("d/real-\(link)").hasPrefix("username"))
        }
    }

    @Test(
        "I7: a file that another process makes meanwhile is not overwritten either",
        arguments: [(false, false), (true, false), (true, true)])
    func madeMeanwhile(withoutUnnamedFiles: Bool, withoutLinks: Bool) throws {
        let reading = try ReadingImport(
            workplace, replacing: false, withoutUnnamedFiles: withoutUnnamedFiles, withoutLinks: withoutLinks)
        try workplace.write("precious", to: "rejects.csv")
        reading.end(with: "x,1,y\n")
        #expect(reading.process.wait() == 73)
        #expect(try workplace.read("rejects.csv") == "precious")
        let error = try workplace.read(".error")
        #expect(error.contains("The rejected rows were not written to rejects.csv"), "\(error)")
        #expect(error.contains("Error: rejects.csv is there already; it is left as it is"), "\(error)")
        #expect(names.filter { !$0.hasPrefix("store.sqlite") } == ["rejects.csv"])
    }

    // MARK: Which file is it?

    @Test("I7: --rejects and --report cannot name the same file in two spellings", arguments: [true, false])
    func sameFile(exists: Bool) throws {
        try workplace.write("username\nx y\n", to: "people.csv")
        #expect(try workplace.shell("mkdir sub; ln -s . linked").status == 0)
        let files = "echo old > same.csv; ln -s same.csv soft.csv; ln same.csv hard.csv"
        if exists { #expect(try workplace.shell(files).status == 0) }
        let before = names
        let spellings =
            ["same.csv", "./same.csv", "sub/../same.csv", "linked/same.csv", "\(workplace.folder)/same.csv"]
            + (exists ? ["soft.csv", "hard.csv", "linked/soft.csv"] : [])
        let uses = spellings.flatMap { spelling in
            [("same.csv", spelling), (spelling, "same.csv")].flatMap { files in
                ["import", "validate"].map { (command: $0, files: files) }
            }
        }
        for use in Length.some(uses, oneIn: 3) {
            let outcome = try workplace.profiles(
                use.command, "people.csv", "--rejects", use.files.0, "--report", use.files.1)
            #expect(outcome.status == 64, "\(use)")
            #expect(outcome.error.hasPrefix("Error: --rejects and --report name the same file."), "\(outcome)")
            #expect(names == before)
        }
        if exists { #expect(try workplace.read("same.csv") == "old\n") }
    }

    @Test("No output takes the name of one of the store's own files", arguments: ["-journal", "-wal", "-shm", "-lock"])
    func reservedName(ending: String) throws {
        try makeStore()
        try workplace.write("username\nx y\n", to: "people.csv")
        #expect(try workplace.shell("mkdir sub; ln -s . linked; ln -s store.sqlite named").status == 0)
        let before = names
        let uses = ["store.sqlite", "./store.sqlite", "sub/../store.sqlite", "linked/store.sqlite"].flatMap { name in
            [
                ["export", name + ending, "--as", "csv"], ["backup", name + ending],
                ["import", "people.csv", "--rejects", name + ending],
                ["export", name + ending, "--as", "csv", "--database", "named"],
            ]
        }
        for arguments in Length.some(uses, oneIn: 3) {
            let outcome = try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
            #expect(outcome.status == 73, "\(arguments) \(outcome)")
            #expect(names == before)
        }
        // The name is refused before the import makes the store to which it would belong.
        let outcome = try workplace.profiles(
            "import", "people.csv", "--database", "new.sqlite", "--rejects", "linked/new.sqlite" + ending)
        #expect(outcome.status == 73)
        #expect(names == before)
    }

    @Test func `N6: no output overwrites the store, even if the command does not open the store`() throws {
        try makeStore()
        try workplace.write("username\nx y\n", to: "people.csv")
        #expect(try workplace.shell("cp store.sqlite store.json").status == 0)
        let before = names
        for arguments in [
            ["schema", "infer", "people.csv", "--output", "store.sqlite"],
            ["validate", "people.csv", "--rejects", "store.sqlite"],
            ["validate", "people.csv", "--report", "store.json", "--database", "store.json"],
            ["revalidate", "--report", "store.json", "--database", "store.json"],
            ["import", "people.csv", "--rejects", "store.sqlite"], ["export", "store.sqlite", "--as", "csv"],
        ] {
            let outcome = try workplace.run(
                [try Workplace.binary()] + arguments + ["--force"], input: "", environment: [:])
            #expect(outcome.status == 73 && outcome.error.contains("is in use by this very command"), "\(outcome)")
        }
        #expect(names == before)
        #expect(try workplace.profiles("check").status == 0)
        // If no store is named, and there is no home folder, no file has to be protected.
        let nowhere = try workplace.shell(
            "unset HOME PROFILES_DATABASE; profiles schema infer people.csv --output x.json")
        #expect(nowhere.status == 0, "\(nowhere)")
    }

    @Test("I7: the report is written even if standard output cannot be written", arguments: ["| true", "> /dev/full"])
    func unreadOutput(redirection: String) throws {
        try makeStore()
        try workplace.write("username\nann\n", to: "people.csv")
        for (index, command) in ["validate people.csv --schema names.json", "import people.csv"].enumerated() {
            let outcome = try workplace.shell("profiles \(command) --report r\(index).json \(redirection)")
            #expect(workplace.exists("r\(index).json"), "\(outcome)")
        }
    }

    @Test func `an output that would replace the input is refused before any input is read`() throws {
        try workplace.write("username\nx y\n", to: "people.csv")
        for path in ["people.csv", "./people.csv"] {
            #expect(try workplace.profiles("import", "people.csv", "--rejects", path).status == 73)
        }
        #expect(names == ["people.csv"], "no store was made")
    }

    // MARK: The end by a signal

    @Test(
        "An import that a signal ends leaves no part of its rejected rows",
        arguments: [(SIGTERM, false), (SIGKILL, false), (SIGTERM, true), (SIGHUP, true), (SIGQUIT, true)])
    func endedImport(signal: Int32, withoutUnnamedFiles: Bool) throws {
        try workplace.write("precious", to: "rejects.csv")
        let reading = try ReadingImport(workplace, withoutUnnamedFiles: withoutUnnamedFiles)
        #expect(names.count == (withoutUnnamedFiles ? 2 : 1) + reading.storeFiles.count, "\(names)")
        reading.process.send(signal)
        #expect(reading.process.wait() == 128 + signal)
        #expect(names.filter { !$0.hasPrefix("store.sqlite") } == ["rejects.csv"])
        #expect(try workplace.read("rejects.csv") == "precious")
    }

    @Test(
        "I12: after Ctrl-C, the rejected rows so far are written if any rows were read",
        arguments: [(false, false), (false, true), (true, false), (true, true)])
    func interruptedImport(hasRows: Bool, withoutUnnamedFiles: Bool) throws {
        try workplace.write("precious", to: "rejects.csv")
        // More rows than the import reads at once.
        let rows = hasRows ? String(repeating: "x,1,y,\n", count: 200_000) : ""
        let reading = try ReadingImport(workplace, rows: rows, withoutUnnamedFiles: withoutUnnamedFiles)
        reading.process.send(SIGINT)
        #expect(reading.process.wait() == 130)
        #expect(names.filter { !$0.hasPrefix("store.sqlite") } == ["rejects.csv"])
        let rejects = try workplace.read("rejects.csv")
        let header = "username,phone,address,password_hash,_line,_issues\n"
        #expect(hasRows ? rejects.hasPrefix(header) : rejects == "precious")
        let error = try workplace.read(".error")
        #expect(
            error.hasSuffix(
                "\nGive the same input again to: \(try Workplace.binary()) import - --rejects rejects.csv --force "
                    + "--on-duplicate skip\n"), "\(error)")
    }

    @Test("An export that a signal ends leaves no part of its file", arguments: [SIGTERM, SIGKILL, SIGINT])
    func endedExport(signal: Int32) throws {
        try makeStore()
        try workplace.write("username\n" + (0..<60_000).map { "user\($0)\n" }.joined(), to: "people.csv")
        #expect(try workplace.profiles("import", "people.csv").status == 0)
        for withoutUnnamedFiles in signal == SIGKILL ? [false] : [false, true] {
            let command = ["export", "all.json", "--include-hashes"]
            var status: Int32 = 0
            // On a busy machine, the export may end or name its file before the signal comes.
            for _ in 0..<100 where status == 0 || names.contains("all.json") {
                unlink("\(workplace.folder)/all.json")
                let process = try workplace.start(command, withoutUnnamedFiles: withoutUnnamedFiles)
                while !process.hasEnded, !workplace.writes("all.json", process) { sched_yield() }
                process.send(signal)
                status = process.wait()
            }
            #expect(status == 128 + signal)
            #expect(names.allSatisfy { !$0.hasPrefix("all.json") }, "\(names)")
        }
    }

    @Test("An export gets its file name on a file system without hard links", arguments: ["new.csv", "link.csv"])
    func withoutLinks(name: String) throws {
        try makeStore()
        #expect(try workplace.shell("ln -s target.csv link.csv").status == 0)
        let process = try workplace.start(["export", name], withoutUnnamedFiles: true, withoutLinks: true)
        #expect(process.wait() == 0)
        #expect(try workplace.read(name) == "username\n")
        #expect(workplace.mode(name) == 0o600)
        let target = name == "link.csv" ? "target.csv" : name
        #expect(
            names.filter { !$0.hasPrefix("store.sqlite") } == ["link.csv", "names.json", target].sorted())
    }

    @Test("A file is replaced in one step, on any file system", arguments: [false, true])
    func replaced(withoutUnnamedFiles: Bool) throws {
        try makeStore()
        #expect(try workplace.profiles("register", "--username", "ann").status == 0)
        #expect(try workplace.shell("umask 0; echo old > old.csv; ln -s old.csv link.csv").status == 0)
        for name in ["new.csv", "old.csv", "link.csv"] {
            let process = try workplace.start(["export", name, "--force"], withoutUnnamedFiles: withoutUnnamedFiles)
            #expect(process.wait() == 0)
            #expect(try workplace.read(name) == "username\nann\n")
            #expect(workplace.mode(name) == 0o600)
        }
        #expect(names.filter { !$0.hasPrefix("store.sqlite") } == ["link.csv", "names.json", "new.csv", "old.csv"])
    }
}

/// A running `profiles import -` that has read its input so far, waits for more, and has begun the file of rejected
/// rows.
private final class ReadingImport {
    let process: ChildProcess
    private var input: Int32
    private let workplace: Workplace

    init(
        _ workplace: Workplace, rows: String = "", replacing: Bool = true, withoutUnnamedFiles: Bool,
        withoutLinks: Bool = false
    ) throws {
        self.workplace = workplace
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        input = ends[1]
        process = try workplace.start(
            ["import", "-", "--rejects", "rejects.csv"] + (replacing ? ["--force"] : []), input: .descriptor(ends[0]),
            withoutUnnamedFiles: withoutUnnamedFiles, withoutLinks: withoutLinks)
        var rest = Array("username,phone,address,password_hash\n\(rows)".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SystemError("write") }
            rest = rest.dropFirst(count)
        }
        // When the pipe is empty, the import has read everything so far.
        var count: Int32 = 1
        while ioctl(input, UInt(FIONREAD), &count) == 0, count > 0, !process.hasEnded { sched_yield() }
    }

    /// Sends the rest of the input to the import, and closes the pipe.
    func end(with rows: String) {
        var rows = rows
        rows.withUTF8 { _ = write(input, $0.baseAddress, $0.count) }
        close(input)
        input = -1
    }

    deinit { if input >= 0 { close(input) } }

    /// The files of the store while the import runs.
    var storeFiles: [String] {
        SmallFile.names(in: workplace.folder).filter { $0.hasPrefix("store.sqlite") }
    }
}

extension Workplace {
    /// Starts `profiles` in the folder, with the signal handling of a login shell.
    fileprivate func start(
        _ arguments: [String], input: ChildProcess.Stream = .file("/dev/null", flags: O_RDONLY),
        withoutUnnamedFiles: Bool, withoutLinks: Bool = false
    ) throws -> ChildProcess {
        let wrapper =
            (withoutUnnamedFiles ? [try BuiltProgram.path("WithoutUnnamedFiles")] : [])
            + (withoutLinks ? ["--without-links"] : [])
        return try ChildProcess(
            // An installed Swift prints the backtraces of all threads on SIGQUIT, instead of ending.
            wrapper + [try Self.binary()] + arguments,
            environment: environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }, folder: folder,
            streams: [
                0: input, 1: .file("/dev/null", flags: O_WRONLY), 2: .file("\(folder)/.error", flags: O_RDWR | O_CREAT),
            ], beginsSession: true)
    }

    /// Returns whether a process has begun to write the file of this name. An incomplete file has no name, or a name
    /// that begins with this one.
    fileprivate func writes(_ name: String, _ process: ChildProcess) -> Bool {
        SmallFile.names(in: "/proc/\(process.id)/fd").contains { number in
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/\(process.id)/fd/\(number)", &buffer, buffer.count)
            let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard path.hasPrefix("\(folder)/#") || path.hasPrefix("\(folder)/\(name)") else { return false }
            var status = stat()
            return stat("/proc/\(process.id)/fd/\(number)", &status) == 0 && status.st_size > 0
        }
    }
}
