import Platform
import PowerLoss
import ProfileTesting
import Testing
import Watchdog

/// Tests the files that commands write, after a power failure at any moment and after the failure of any call. Each
/// file has its old or its new content. If the command has ended, it has the new content.
@Suite(.watched(for: .seconds(300)), .unsanitized) struct OutputFaultTests {
    struct Output: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let command: [String]
        /// The files that the command writes.
        let files: [String]
        /// Those of `files` that exist before the command.
        var old: [String] = []
        var status: Int32 = 0
        /// False if the command runs as on a file system without unnamed files.
        var hasUnnamedFiles = true
    }

    private static let outputs = [
        Output(testDescription: "an export", command: ["export", "all.csv"], files: ["all.csv"]),
        Output(
            testDescription: "an export over a file", command: ["export", "all.csv", "--force"], files: ["all.csv"],
            old: ["all.csv"]),
        Output(
            testDescription: "an export without unnamed files", command: ["export", "all.csv"], files: ["all.csv"],
            hasUnnamedFiles: false),
        Output(
            testDescription: "an export over a file without unnamed files", command: ["export", "all.csv", "--force"],
            files: ["all.csv"], old: ["all.csv"], hasUnnamedFiles: false),
        Output(
            testDescription: "an import with rejected rows",
            command: ["import", "people.csv", "--rejects", "rejects.csv", "--report", "report.csv"],
            files: ["rejects.csv", "report.csv"], status: 1),
        Output(
            testDescription: "an import with rejected rows over files",
            command: ["import", "people.csv", "--rejects", "rejects.csv", "--report", "report.csv", "--force"],
            files: ["rejects.csv", "report.csv"], old: ["rejects.csv", "report.csv"], status: 1),
        Output(
            testDescription: "the first import, in a new folder",
            command: ["import", "people.csv", "--rejects", "rejects.csv", "--database", "new/folder/new.sqlite"],
            files: ["rejects.csv"], status: 1),
        Output(
            testDescription: "inferred rules", command: ["schema", "infer", "people.csv", "--output", "rules.json"],
            files: ["rules.json"]),
        Output(testDescription: "a backup", command: ["backup", "backup.sqlite"], files: ["backup.sqlite"]),
        Output(
            testDescription: "a store in a new folder", command: ["init", "--database", "new/folder/new.sqlite"],
            files: []),
    ]

    private func makeFolder(_ output: Output) throws -> Workplace {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.write(
            """
            username,password_hash,phone,address
            bert,"$2b$04$abcdefghijklmnopqrstuutEP/GNDRtG4DIFjGkLcdxWtDG/tN/mu",78761241,12 Main St
            carl,"$2b$04$abcdefghijklmnopqrstuutEP/GNDRtG4DIFjGkLcdxWtDG/tN/mu",78761242,13 Main St
            d,,7876,3 Main St

            """, to: "people.csv")
        for file in output.old { try workplace.write("old\n", to: file) }
        return workplace
    }

    private func command(_ output: Output) throws -> [String] {
        (output.hasUnnamedFiles ? [] : [try BuiltProgram.path("WithoutUnnamedFiles")]) + [try Workplace.binary()]
            + output.command
    }

    private let environment = ["PROFILES_DATABASE": "store.sqlite", "TERM": "dumb"]

    private func recorded(_ output: Output, _ workplace: Workplace) async throws -> (RecordedRun, PowerLossCheck) {
        let run = try RecordedRun(
            [command(output)], in: workplace.folder, environment: environment, status: output.status)
        let check = try await PowerLossCheck(output.testDescription, run)
        for file in output.files {
            let states = check.states(of: file)
            #expect(states.count == 2, "\(file): \(states)")
            #expect(states[0] == (output.old.contains(file) ? "old\n" : nil))
        }
        return (run, check)
    }

    @Test func `two texts are equal only if each names its own folder`() {
        #expect(Self.isAlike("in /tmp/one/a.csv", from: "/tmp/one", "in /tmp/two/a.csv", from: "/tmp/two"))
        #expect(!Self.isAlike("in /tmp/one/a.csv", from: "/tmp/one", "in /tmp/three/a.csv", from: "/tmp/two"))
        #expect(!Self.isAlike("in /tmp/one/a.csv", from: "/tmp/one", "in a.csv", from: "/tmp/two"))
    }

    @Test(arguments: outputs) func `I7: after a power failure a file that was written is the old one or the new one`(
        output: Output
    ) async throws {
        let workplace = try makeFolder(output)
        var (_, check) = try await recorded(output, workplace)
        var generator = SeededGenerator(printingSeedOf: "power loss while writing \(output.testDescription)")
        try await check.cutPower(&generator, atMost: Length.isLong ? nil : 20, each: Length.isLong ? 8 : 2)
        print("\(output.testDescription): \(check.counts)")
        for finding in check.findings { Issue.record("\(finding)") }
    }

    @Test(arguments: RecordedRun.Synced.allCases) func `a sync that is left out is found`(
        synced: RecordedRun.Synced
    ) async throws {
        let output = try #require(Self.outputs.first { $0.testDescription == "an export over a file" })
        let run = try await recorded(output, makeFolder(output)).0
        var check = try await PowerLossCheck("without syncs of \(synced)", run.leavingOutSyncs(of: synced))
        var generator = SeededGenerator(printingSeedOf: "power loss without syncs of \(synced)")
        try await check.cutPower(&generator, atMost: nil, each: 4)
        #expect(!check.findings.isEmpty)
    }

    @Test func `N9: after a power failure a row that is being mended is in the file or in the store`() async throws {
        let workplace = try Workplace()
        try workplace.register("anna")
        try workplace.write(
            "username,password,phone,address\nbert,aK8oio,7876,12 Main St\nd,aK8oio,78761242,3 Main St\n",
            to: "people.csv")
        try #require(try workplace.profiles("import", "people.csv", "--rejects", "rejects.csv").status == 1)
        let before = try Disk(workplace.folder)
        let log = try TemporaryFolder("disk-record")
        let variables = try DiskFaultsProcess.environment(watching: workplace.folder)
            .filter { $0.key.hasPrefix("DISK") || $0.key.hasPrefix("LD_") }
            .merging(["DISK_FAULTS_LOG": "\(log.path)/log"]) { $1 }
        let driver = try TerminalDriver(workplace, "mend", "rejects.csv", environment: variables)
        try driver.wait(for: "Row 1 of 2")
        try driver.type("bK8oio\n1241")
        try driver.wait(for: "7876-1241")
        try driver.press(.control("s"))
        try driver.wait(for: "Row 2 of 2")
        try driver.press(.control("n"))
        #expect(try driver.end() == 1)
        let run = try RecordedRun(before: before, log: "\(log.path)/log")
        var check = try await PowerLossCheck("mending", run)
        check.rule = { contents in
            let isInFile = contents.parts["rejects.csv"]?.contains("bert") == true
            let isInStore = contents.parts["store.sqlite"]?.contains("|bert|") == true
            return isInFile || isInStore ? nil : "the row is lost"
        }
        #expect(check.states(of: "rejects.csv").count == 3)
        var generator = SeededGenerator(printingSeedOf: "power loss while mending")
        try await check.cutPower(&generator, atMost: Length.isLong ? nil : 20, each: Length.isLong ? 8 : 2)
        print("mending: \(check.counts)")
        for finding in check.findings { Issue.record("\(finding)") }
    }

    // Each fault starts a process, so only some of the outputs are tested, except in long runs.
    @Test(arguments: Length.some(outputs, oneIn: 4, from: 1))
    func `I7: after a failed call a file that was to be written is the old one or the new one`(
        output: Output
    ) async throws {
        let workplace = try makeFolder(output)
        let base = try CrashImage(Disk(workplace.folder), losing: .nothing)
        let (_, check) = try await recorded(output, workplace)
        var generator = SeededGenerator(printingSeedOf: "failing calls while writing \(output.testDescription)")
        var faults = 0
        for fault in FaultLoop.Fault.allCases {
            for once in [true, false] {
                let step = Length.isLong ? 1 : fault == .error ? 61 : 29
                var after = Length.isLong ? 0 : Int.random(in: 0..<step, using: &generator)
                while try await fail(
                    output, base, check, recordedIn: workplace.folder, fault, after: after, once: once)
                {
                    faults += 1
                    after += step
                }
            }
        }
        print("\(output.testDescription): \(faults) faults")
    }

    /// - Returns: Whether a call failed.
    private func fail(
        _ output: Output, _ base: CrashImage, _ check: PowerLossCheck, recordedIn recordingFolder: String,
        _ fault: FaultLoop.Fault, after: Int, once: Bool
    ) async throws -> Bool {
        let folder = try TemporaryFolder("output-faults")
        try base.write(to: folder.path)
        let counted = try TemporaryFolder("fault-count")
        let outcome = try DiskFaultsProcess.run(
            command(output), in: folder.path,
            environment: environment.merging([
                "DISK_FAULTS_FAIL": "\(fault.rawValue) \(after) \(once ? 1 : -1)",
                "DISK_FAULTS_COUNT": "\(counted.path)/count",
            ]) { $1 })
        let counts = SmallFile.text(of: "\(counted.path)/count")?.split { !$0.isNumber }.compactMap { Int($0) } ?? []
        guard counts.count == 2, counts[1] > 0 else { return false }
        let place = "\(output.testDescription), \(fault)\(once ? " once" : "") after \(after): \(outcome)"
        let contents: FolderContents
        do {
            contents = try await FolderContents(of: folder.path)
        } catch {
            Issue.record("\(place): \(error)")
            return true
        }
        let isDone = outcome.status == output.status
        for part in check.parts.union(contents.parts.keys) {
            // A process whose calls fail cannot remove its temporary file.
            if FolderContents.isTemporary(part), !isDone { continue }
            let found = contents.parts[part].map(FolderContents.comparable)
            let allowed =
                isDone
                ? check.states(of: part, afterSteps: .max, nextHasBegun: false)
                : check.states(of: part).map { $0.map(FolderContents.comparable) }
            // Exit code 1 also tells that some rows were rejected.
            let isAllowed = allowed.contains { Self.isAlike($0, from: recordingFolder, found, from: folder.path) }
            guard !isAllowed else { continue }
            Issue.record("\(place): \(part) holds \(found?.prefix(1_500) ?? "nothing: it is not there")")
        }
        return true
    }

    /// Returns whether two texts of a file are the same, apart from times and from the folder of each file.
    private static func isAlike(
        _ text: String?, from folder: String, _ other: String?, from otherFolder: String
    ) -> Bool {
        func plain(_ text: String?, _ folder: String) -> String? {
            text?.replacing(folder + "/", with: "FOLDER/")
                .replacing(/\d{4}-\d\d-\d\d[T ][0-9:.]+( UTC|Z)?|\b1[78]\d{11}\b|\d+\.\d+/, with: "TIME")
        }
        return text == other || plain(text, folder) == plain(other, otherFolder)
    }
}
