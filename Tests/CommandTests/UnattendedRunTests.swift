import Platform
import PowerLoss
import ProfileTesting
import Testing
import Watchdog

/// Commands that a timer runs: backups and exports into a folder, and commands with `--quiet`.
@Suite(.watched(for: .seconds(300))) struct UnattendedRunTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace()
        try workplace.register("anna")
        try #require(mkdir("\(workplace.folder)/backups", 0o700) == 0)
    }

    private func names(_ folder: String = "backups") throws -> [String] {
        try workplace.shell("ls -A \(folder)").output.split(separator: "\n").map(String.init).sorted()
    }

    /// Makes complete backups with the names of earlier years.
    private func makeBackups(of years: ClosedRange<Int>) throws {
        for year in years {
            let made = try workplace.profiles("backup", "backups/store-\(year)0101T000000Z.sqlite", "--quiet")
            try #require(made.status == 0, "\(made)")
        }
    }

    private func backUp(_ arguments: String...) throws -> Workplace.Outcome {
        try workplace.run(
            [try Workplace.binary(), "backup", "--into", "backups"] + arguments, input: "", environment: [:])
    }

    // MARK: Quiet

    @Test func `with --quiet, a command that changes something prints nothing on success`() throws {
        try workplace.write("username,phone,address,password\ncarl,78761242,1 Elm St,aK8oio\n", to: "people.csv")
        try workplace.write("username,phone,address,password\ncarl,78761243,1 Elm St,\n", to: "next.csv")
        try workplace.write("aK8oio\n", to: "secret")
        try workplace.write("appleworks1\nappleworks1\n", to: "passcode")
        let script = """
            profiles init --database other.sqlite --quiet
            profiles schema show --format json --database other.sqlite > schema.json
            profiles register --username bert --phone 78761242 --address '1 Elm St' --password-file secret --quiet
            profiles edit bert --phone 78761243 --quiet
            profiles import people.csv --quiet --report report.html
            profiles import people.csv --on-duplicate skip --quiet
            profiles import next.csv --on-duplicate update --quiet
            profiles import people.csv --infer --yes --quiet --database inferred.sqlite
            profiles passcode create bert --stdin --quiet < passcode
            profiles passcode remove bert --yes --quiet
            profiles unlock bert --quiet
            profiles history --keep 30 --quiet
            profiles revalidate --all --quiet
            sed 's/"name": "standard"/"name": "mine"/; s/"maxLength": 70/"maxLength": 80/' schema.json > wider.json
            profiles schema adopt wider.json --yes --quiet
            profiles schema adopt wider.json --yes --quiet
            profiles export all.csv --quiet
            profiles backup backup.sqlite --quiet
            profiles backup --into backups --keep 1 --quiet
            profiles restore backup.sqlite --yes --quiet
            profiles copy store.sqlite copy.sqlite --quiet
            profiles migrate --quiet
            profiles remove bert --yes --quiet
            """
        for line in script.split(separator: "\n") {
            let outcome = try workplace.shell(String(line))
            #expect(outcome == Workplace.Outcome(status: 0, output: "", error: ""), "\(line): \(outcome)")
        }
        #expect(workplace.exists("report.html"))
        // Commands whose purpose is output still print it.
        for line in [
            "list", "show anna", "lookup anna", "export", "import people.csv --dry-run", "validate people.csv",
        ] {
            #expect(try !workplace.shell("profiles \(line) --quiet").output.isEmpty, "\(line)")
        }
        let json = try workplace.profiles("edit", "anna", "--phone", "78761249", "--quiet", "--format", "json")
        #expect(json.output.contains("7876-1249"))
    }

    @Test func `with --quiet, an import that rejects a row prints its report`() throws {
        try workplace.write("username,phone,address,password\nx,1,2,3\n", to: "people.csv")
        let outcome = try workplace.profiles("import", "people.csv", "--quiet")
        #expect(outcome.status == 1 && outcome.output.contains("rejected  1  100.0 %"), "\(outcome)")
    }

    @Test func `an export in a folder has the time in its name, and older ones of its format are removed after it`()
        throws
    {
        for name in ["store-20200101T000000Z.csv", "store-20210101T000000Z.csv", "store-20200101T000000Z.ndjson"] {
            try workplace.write("old", to: "backups/\(name)")
        }
        let outcome = try workplace.profiles("export", "--into", "backups", "--keep", "2")
        let name = try #require(
            outcome.output.wholeMatch(
                of: /Exported to backups\/(store-[0-9]{8}T[0-9]{6}Z\.csv), and removed 1 older file\n/)?.output.1)
        #expect(outcome.status == 0 && outcome.error == "")
        #expect(try names() == ["store-20200101T000000Z.ndjson", "store-20210101T000000Z.csv", String(name)].sorted())
        #expect(try workplace.read("backups/\(name)") == (try workplace.profiles("export").output))
        #expect(workplace.mode("backups/\(name)") == 0o600)
        let runs = "for run in 1 2 3 4; do profiles export --as json --into backups --quiet & done; wait"
        #expect(try workplace.shell(runs) == Workplace.Outcome(status: 0, output: "", error: ""))
        #expect(try names().count { $0.hasSuffix(".json") } == 4)
        #expect(try workplace.profiles("export", "all.csv", "--into", "backups").status == 64)
    }

    // MARK: Backups in a folder

    @Test func `a backup in a folder has the time in its name, and older ones are removed after it`() throws {
        try makeBackups(of: 2020...2023)
        let first = try backUp()
        let name = try #require(
            first.output.wholeMatch(of: /Backed up to backups\/(store-[0-9]{8}T[0-9]{6}Z\.sqlite)\n/)?.output.1)
        #expect(first.status == 0 && first.error == "")
        #expect(try names().count == 5)
        #expect(workplace.mode("backups/\(name)") == 0o600)
        #expect(try workplace.profiles("show", "anna", "--database", "backups/\(name)").status == 0)
        let second = try backUp("--keep", "3", "--format", "json")
        #expect(second.status == 0)
        for year in 2020...2022 { #expect(second.output.contains("\"backups/store-\(year)0101T000000Z.sqlite\"")) }
        let left = try names().filter { $0.hasSuffix("Z.sqlite") || $0.contains("Z-") && $0.hasSuffix(".sqlite") }
        #expect(left.count == 3 && left[0] == "store-20230101T000000Z.sqlite" && left.contains(String(name)), "\(left)")
        #expect(try backUp("--keep", "1").output.hasSuffix(", and removed 3 older backups\n"))
    }

    @Test func `no other file is removed, and none with a later time`() throws {
        let others = [
            "notes.txt", "store.sqlite", "other-20200101T000000Z.sqlite", "store-20200101T000000Z.sqlite.old",
            "store-20200101T000000Z.csv", "store-20200101T000000Z-0.sqlite", "store-20200101T000000Z-x.sqlite",
            "store-2020-01-01.sqlite", "store-20200101T00000٣Z.sqlite", "store-20200101T000000Z.sqlite.abcdefghijkl",
            "store-99990101T000000Z.sqlite", "Store-20200101T000000Z.sqlite",
        ]
        for name in others { try workplace.write("mine", to: "backups/\(name)") }
        let script =
            "cd backups && mkdir store-20190101T000000Z.sqlite && ln -s notes.txt store-20180101T000000Z.sqlite"
        #expect(try workplace.shell(script).status == 0)
        try makeBackups(of: 2021...2022)
        let before = try names()
        #expect(try backUp("--keep", "1").output.hasSuffix(", and removed 2 older backups\n"))
        let after = try names()
        #expect(Set(before).subtracting(after) == ["store-20210101T000000Z.sqlite", "store-20220101T000000Z.sqlite"])
        #expect(Set(after).subtracting(before).count == 1)
    }

    @Test func `a run in the same second as others is the newest, even if their files are removed`() throws {
        let script = "for run in $(seq 8); do profiles backup --into backups --keep 2; done"
        let outcome = try workplace.shell(script)
        let made = outcome.output.matches(of: /Backed up to backups\/([^,\n]+)/).map { String($0.output.1) }
        #expect(outcome.status == 0 && made.count == 8 && Set(made).count == 8, "\(outcome)")
        #expect(try names() == made.suffix(2).sorted())
    }

    @Test func `runs at the same time keep their own backups`() throws {
        let outcome = try workplace.shell(
            """
            for run in 1 2 3 4 5; do profiles backup --into backups/ --quiet & done
            for job in $(jobs -p); do wait $job || exit 1; done
            """)
        #expect(outcome == Workplace.Outcome(status: 0, output: "", error: ""))
        let made = try names()
        #expect(made.count == 5, "\(made)")
        #expect(made.allSatisfy { $0.wholeMatch(of: /store-[0-9]{8}T[0-9]{6}Z(-[2-5])?\.sqlite/) != nil }, "\(made)")
        for name in made { #expect(try workplace.profiles("check", "--database", "backups/\(name)").status == 0) }
    }

    @Test func `a full disk removes no backup, and leaves no part of one`() throws {
        let rows = (0..<3_000).map { "person\($0),7876\(1_000 + $0),\($0) Main Street\n" }.joined()
        try workplace.write("username,phone,address\n" + rows, to: "people.csv")
        #expect(
            try workplace.profiles("import", "people.csv", "--database", "large.sqlite", "--infer", "--yes").status == 0
        )
        let script = """
            mkdir small && mount -t tmpfs -o size=400k none small || exit 99
            "$0" backup small/large-20200101T000000Z.sqlite --database store.sqlite --quiet || exit 98
            "$0" backup --into small --keep 1 --database large.sqlite >&2; echo "backup $?"
            ls -A small
            """
        let outcome = try workplace.run(
            ["/usr/bin/unshare", "-rm", "/bin/sh", "-c", script, try Workplace.binary()], input: "", environment: [:])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == "backup 74\nlarge-20200101T000000Z.sqlite\n", "\(outcome)")
    }

    @Test func `a damaged store gets no backup in the folder, and the older ones stay`() throws {
        try makeBackups(of: 2020...2021)
        let rows = (0..<2_000).map { "person\($0),7876\(1_000 + $0),\($0) Main Street\n" }.joined()
        try workplace.write("username,phone,address\n" + rows, to: "people.csv")
        try #require(
            try workplace.profiles("import", "people.csv", "--database", "large.sqlite", "--infer", "--yes").status == 0
        )
        let damage = """
            mv backups/store-20200101T000000Z.sqlite backups/large-20200101T000000Z.sqlite
            size=$(stat -c %s large.sqlite)
            dd if=/dev/urandom of=large.sqlite bs=4096 seek=$((size / 4096 / 2)) count=2 conv=notrunc status=none
            """
        try #require(try workplace.shell(damage).status == 0)
        let before = try names()
        let outcome = try workplace.profiles("backup", "--into", "backups", "--keep", "1", "--database", "large.sqlite")
        #expect(outcome.status == 65 && outcome.output == "", "\(outcome)")
        #expect(try names() == before)
    }

    @Test func `a folder that is not there is not made`() throws {
        let outcome = try workplace.profiles("backup", "--into", "not mounted")
        #expect(outcome.status == 73)
        #expect(
            outcome.error == "Error: There is no folder not mounted\n  Create it with: mkdir -m 700 'not mounted'\n")
        #expect(!workplace.exists("not mounted"))
        let file = try workplace.profiles("backup", "--into", "store.sqlite")
        #expect(file.status == 73 && file.error == "Error: store.sqlite cannot be created: Not a directory\n")
    }

    @Test(.unsanitized) func `after a power failure at any time, the folder has as many whole backups as --keep says`()
        async throws
    {
        try makeBackups(of: 2020...2021)
        try workplace.register("bert", phone: "78761242")
        let run = try RecordedRun(
            [[try Workplace.binary(), "backup", "--into", "backups", "--keep", "2", "--quiet"]], in: workplace.folder,
            environment: ["PROFILES_DATABASE": "store.sqlite", "TERM": "dumb"], status: 0)
        var check = try await PowerLossCheck("a backup into a folder", run)
        check.rule = { contents in
            let whole = contents.parts.keys.filter { $0.hasPrefix("backups/store-") && $0.hasSuffix("Z.sqlite") }
            return whole.count >= 2 ? nil : "only \(whole) are there"
        }
        #expect(check.states(of: "backups/store-20200101T000000Z.sqlite").count == 2)
        #expect(check.states(of: "backups/store-20210101T000000Z.sqlite").count == 1)
        var generator = SeededGenerator(printingSeedOf: "power loss during a backup into a folder")
        try await check.cutPower(&generator, atMost: Length.isLong ? nil : 40, each: Length.isLong ? 8 : 2)
        print("a backup into a folder: \(check.counts)")
        for finding in check.findings { Issue.record("\(finding)") }
    }
}
