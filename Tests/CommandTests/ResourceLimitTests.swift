import ProfileTesting
import Testing
import Watchdog

/// The command with low limits of open files or of address space.
@Suite(.watched(for: .seconds(300))) struct ResourceLimitTests {
    /// Lines of shell that exit 0 in a folder with a store.
    private static let commands = [
        "profiles lookup anna", "profiles lookup anna --format json", "profiles find anna", "profiles list",
        "profiles import more.csv --on-duplicate update",
        "profiles import club.csv --infer --yes --database club.sqlite --rejects r.csv --report report.html",
        "profiles import club.csv --infer --dry-run --database none.sqlite", "profiles validate more.csv",
        "profiles validate - < more.csv",
        "profiles export", "profiles schema infer club.csv", "profiles schema show", "profiles check",
        "profiles login anna --password-stdin < password", "profiles edit anna --phone 78761242",
        "profiles register --username $RANDOM --phone 78761241 --address x --password-stdin < password",
        "profiles init --database other.sqlite", "profiles backup backup.sqlite", "profiles token list",
        "profiles revalidate --all", "profiles copy store.sqlite copy.sqlite", "profiles remove zoe --yes",
    ]

    /// Closes the descriptors that the process of the tests has left open. So a command begins with only its three
    /// standard streams.
    private static let closing = "for n in {3..200}; do eval \"exec $n>&-\"; done"

    private func workplace() throws -> Workplace {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.register("zoe")
        try workplace.write("aK8oio\n", to: "password")
        try workplace.write("username,password,phone,address\nanna,aK8oio,78761241,1\n", to: "more.csv")
        try workplace.write("id,name\n" + (1...300).map { "u\($0),Name \($0)\n" }.joined(), to: "club.csv")
        return workplace
    }

    @Test func `too few descriptors are an error that says how to raise the limit, and no command crashes`() throws {
        let workplace = try workplace()
        for (index, command) in Self.commands.enumerated() {
            // In long runs, each command is tried with every limit. Otherwise, it is tried with some of them.
            let limits = [4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 32]
            for limit in Length.isLong ? limits : [limits[index % limits.count], 6, 8] {
                // Bash needs a fifth descriptor to redirect the input of a function.
                if limit == 4 && command.contains("<") { continue }
                let outcome = try workplace.shell("\(Self.closing); ulimit -n \(limit); \(command)")
                #expect(outcome.status == 78, "\(command) with \(limit): \(outcome)")
                #expect(outcome.error.contains("its limit is \(limit))"), "\(outcome)")
                #expect(outcome.error.contains("Raise the limit, for example with \"ulimit -n 1024\""), "\(outcome)")
            }
        }
        #expect(!workplace.exists("club.sqlite") && !workplace.exists("backup.sqlite"))
        #expect(!workplace.exists("r.csv"))
    }

    @Test func `the number of descriptors that a command requires is enough for every command`() throws {
        let workplace = try workplace()
        for command in Self.commands {
            // The descriptors that a command requires, and its three standard streams.
            let outcome = try workplace.shell("\(Self.closing); ulimit -n 35; \(command)")
            #expect(outcome.status == 0, "\(command): \(outcome)")
        }
    }

    @Test func `too little address space is an error that tells how to raise the limit, and no import dies`() throws {
        let workplace = try workplace()
        let rows = (1...20_000).map { "u\($0),Name \($0),p\($0)@example.org\n" }
        try workplace.write("id,name,mail\n" + rows.joined(), to: "club.csv")
        let commands = [
            "profiles schema infer club.csv",
            "rm -f club.sqlite*; profiles import club.csv --infer --yes --database club.sqlite",
            "profiles export", "profiles validate more.csv", "profiles import more.csv --on-duplicate update",
        ]
        for command in commands {
            var statuses: [Int32] = []
            for mebibytes in [150, 175, 200, 225, 250, 275, 300, 350, 400, 500, 1_024] {
                let outcome = try workplace.shell("ulimit -v $((\(mebibytes) * 1024)); \(command)")
                statuses.append(outcome.status)
                guard outcome.status != 0 else { continue }
                #expect(outcome.status == 78, "\(command) with \(mebibytes) MiB: \(outcome)")
                #expect(outcome.error.contains("of address space besides the program itself"), "\(outcome)")
                #expect(outcome.error.contains("Raise the limit, for example with \"ulimit -v 1048576\""), "\(outcome)")
            }
            #expect(statuses.first == 78 && statuses.last == 0, "\(command): \(statuses)")
        }
    }

    @Test func `open files that a process inherits reduce the number that it may open`() throws {
        let workplace = try workplace()
        let many = (3..<60).map { "exec \($0)< more.csv" }.joined(separator: "; ")
        let refused = try workplace.shell("\(Self.closing); \(many); ulimit -n 70; profiles list")
        #expect(refused.status == 78, "\(refused)")
        #expect(refused.error.contains("may open 10 more files (its limit is 70)"), "\(refused)")
        // Most of the descriptors that can be opened are beyond the first 64.
        let enough = try workplace.shell("\(Self.closing); \(many); ulimit -n 120; profiles list")
        #expect(enough.status == 0, "\(enough)")
    }
}
