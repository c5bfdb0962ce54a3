import FaultVFS
import InputFixtures
import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import StoreFixtures
import Synchronization
import Testing
import Watchdog

@testable import ProfileTransfer

@Suite(.watched) struct ImportWritingTests {
    private let folder: ImportFolder

    init() throws { folder = try ImportFolder() }

    /// Rows for the schema of names, a bad one in the place of each number given.
    private func rows(_ count: Int, bad: Set<Int> = []) -> String {
        "username,note\n"
            + (0..<count).map { bad.contains($0) ? "x,\n" : "user\($0),some words to fill the row with\n" }.joined()
    }

    // MARK: Nothing stored

    @Test func `I6: a dry run changes no byte of the store`() async throws {
        let schema = try schemaOfNames()
        let first = try await folder.store(schema: schema)
        _ = try await first.importing("username,note\nuser3,x\nuser7,y\n")
        await first.close()
        let before = folder.contents(of: "profiles.sqlite")
        for policy in ImportOptions.DuplicatePolicy.allCases {
            let repository = try await folder.store(schema: schema)
            let change = try await repository.statistics().changeNumber
            let report = try await repository.importing(rows(20, bad: [5])) {
                $0.isDryRun = true
                $0.duplicates = policy
            }
            #expect(report.isDryRun)
            #expect(report.rows == 20 && report.imported == 17)
            #expect(try await repository.statistics().changeNumber == change)
            await repository.close()
            #expect(folder.contents(of: "profiles.sqlite") == before)
        }
    }

    @Test func `I6: a validation touches no file`() async throws {
        let report = try await validating(rows(10, bad: [5]) + "USER3,\n", schema: schemaOfNames())
        #expect(report.outcomes == [9, 0, 0, 2])
        #expect(report.isDryRun)
        #expect(report.schema.version == nil)
        #expect(folder.names == [])
    }

    @Test("I7: an all-or-nothing import stores nothing if a row is rejected", arguments: [0, 3])
    func nothing(stored: Int) async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        if stored > 0 { _ = try await repository.importing(rows(stored)) }
        let before = try await repository.statistics()
        for isDryRun in [true, false] {
            let report = try await repository.importing(rows(12_000, bad: [11_000])) {
                $0.isAllOrNothing = true
                $0.duplicates = .skip
                $0.isDryRun = isDryRun
            }
            #expect(report.earlyEnd == .nothingStored)
            #expect(report.rows == 12_000)
            #expect(report.outcomes == [0, 0, 11_999, 1])
        }
        let after = try await repository.statistics()
        #expect(after.profiles == before.profiles && after.changeNumber == before.changeNumber)
        // No id was used, and the indexes exist.
        #expect(try await repository.importing("username\nzed\n").imported == 1)
        #expect(try await repository.profile(username: "ZED")?.id == Int64(stored + 1))
        #expect(try await repository.isSound())
    }

    @Test func `I7: an all-or-nothing import without a rejected row stores all rows in one commit`() async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        _ = try await repository.importing(rows(3))
        let before = try await repository.statistics().changeNumber
        let report = try await repository.importing(rows(12_000)) {
            $0.isAllOrNothing = true
            $0.duplicates = .skip
        }
        #expect(report.outcomes == [11_997, 0, 3, 0])
        #expect(report.earlyEnd == nil)
        #expect(try await repository.statistics().profiles == 12_000)
        #expect(try await repository.statistics().changeNumber == before + 1)
    }

    @Test func `I7: an all-or-nothing import of rows with passwords stores nothing if a row is rejected`() async throws
    {
        let repository = try await folder.store()
        let report = try await repository.importing(
            "username,password,phone,address\nann,Geheim1,78761241,x\nbob,Geheim1,7876124,x\n"
        ) { $0.isAllOrNothing = true }
        #expect(report.outcomes == [0, 0, 1, 1])
        #expect(try await repository.statistics().profiles == 0)
    }

    // MARK: Batches and bulk

    @Test func `I14: an import is one transaction in an empty store, and one per batch in any other store`()
        async throws
    {
        let repository = try await folder.store(schema: schemaOfNames())
        let created = try await repository.statistics().changeNumber
        #expect(try await repository.importing(rows(12_000)).imported == 12_000)
        let bulk = try await repository.statistics().changeNumber
        #expect(bulk == created + 1)
        let others = rows(12_000).replacing("user", with: "other")
        #expect(try await repository.importing(others.replacing("othername", with: "username")).imported == 12_000)
        let batches = try await repository.statistics().changeNumber
        let most = ImportSource.recordsPerBatch
        #expect(batches >= bulk + Int64((12_000 + most - 1) / most))
        #expect(
            try await repository.importing(
                others.replacing("other", with: "third").replacing("thirdname", with: "username")
            ) {
                $0.isExclusive = true
            }.imported == 12_000)
        #expect(try await repository.statistics().changeNumber == batches + 1)
        #expect(try await repository.isSound())
    }

    @Test(.onlyOnSQLite("needs a second process"))
    func `I14: a registration during an import in batches waits for less than a second`() async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        _ = try await repository.importing(rows(1))
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // The registrations run in a process of their own, so that they wait only for the lock and not for another
        // test.
        var guests = try ImporterProcess([repository.place, "--register"], input: ends[0])
        close(ends[0])
        #expect(guests.line() == "ready")
        let count = runsLongImportTests ? 400_000 : 30_000
        let before = try await repository.statistics().profiles
        let report = try await repository.importing(rows(count)) { $0.duplicates = .skip }
        let during = try await repository.statistics().profiles - before - report.imported
        close(ends[1])
        let (registered, longest) = try { ($0[0], $0[1]) }(guests.result().outcomes)
        #expect(report.imported == count - 1 && report.rejected == 0)
        #expect(longest < 1_000, "milliseconds")
        #expect(during > 2, "it wrote between the batches")
        #expect(try await repository.statistics().profiles == count + registered)
    }

    // MARK: Ends

    @Test("I12: a cancelled import ends in order, and what was committed stays", arguments: [false, true])
    func cancelled(inBulk: Bool) async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        if !inBulk { _ = try await repository.importing(rows(1)) }
        let input = try unnamedFile(Array(rows(60_000).utf8))
        defer { close(input) }
        let canceller = Canceller()
        let task = Task {
            try await ProfileImporter(repository: repository, options: importOptions { $0.duplicates = .skip }).run(
                ImportInput(descriptor: input, name: "x", byteCount: nil)
            ) { if $0.rows >= 10_000 { canceller.cancel() } }
        }
        canceller.set { task.cancel() }
        let report = try await task.value
        #expect(report.earlyEnd == .cancelled)
        #expect(report.rows == report.outcomes.reduce(0, +))
        #expect(report.rows >= 10_000 && report.rows < 60_000)
        #expect(try await repository.statistics().profiles == report.imported + report.skipped)
        #expect(try await repository.isSound())
    }

    @Test func `I7: a cancelled all-or-nothing import stores nothing`() async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        let input = try unnamedFile(Array(rows(60_000).utf8))
        defer { close(input) }
        let canceller = Canceller()
        let task = Task {
            try await ProfileImporter(repository: repository, options: importOptions { $0.isAllOrNothing = true }).run(
                ImportInput(descriptor: input, name: "x", byteCount: nil)
            ) { if $0.rows >= 10_000 { canceller.cancel() } }
        }
        canceller.set { task.cancel() }
        let report = try await task.value
        #expect(report.earlyEnd == .cancelled)
        #expect(report.imported == 0 && report.rows == report.skipped)
        #expect(try await repository.statistics().profiles == 0)
    }

    @Test func `I12: an import that waits for a silent pipe can be cancelled, and reads no more of it`() async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        for loads in [false, true] {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            let header = Array("username,note\nann,x\n".utf8)
            #expect(write(ends[1], header, header.count) == header.count)
            let descriptor = ends[0]
            let task = Task {
                try await ProfileImporter(repository: repository, options: importOptions { $0.isDryRun = !loads }).run(
                    ImportInput(descriptor: descriptor, name: "-", byteCount: nil))
            }
            try await waitUntil { unread(in: descriptor) == 0 }
            task.cancel()
            let report = try? await task.value
            // If the import was cancelled before it read the header, it throws an error and has no report.
            #expect(report == nil || report?.earlyEnd == .cancelled)
            #expect(write(ends[1], header, header.count) == header.count)
            #expect(unread(in: descriptor) == header.count)
        }
    }

    @Test func `I12: an import that waits for more compressed data can be cancelled without an error`() async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        let note = String(repeating: "x", count: 300)
        let text = "username,note\n" + (0..<8_000).map { "u\($0),\(note)\n" }.joined()
        let bytes = try Gzip.compressed(Array(text.utf8)).dropLast(500)
        for loads in [false, true] {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            #expect(write(ends[1], Array(bytes), bytes.count) == bytes.count)
            let descriptor = ends[0]
            let task = Task {
                try await ProfileImporter(repository: repository, options: importOptions { $0.isDryRun = !loads }).run(
                    ImportInput(descriptor: descriptor, name: "-", byteCount: nil))
            }
            try await waitUntil { unread(in: descriptor) == 0 }
            task.cancel()
            #expect(try await task.value.earlyEnd == .cancelled)
        }
    }

    private func unread(in descriptor: Int32) -> Int {
        var count: Int32 = 0
        #expect(ioctl(descriptor, UInt(FIONREAD), &count) == 0)
        return Int(count)
    }

    @Test func `an import in a cancelled task stores nothing, and reports the cancellation`() async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        _ = try await repository.importing(rows(1))
        let text = rows(100)
        let task = Task {
            await waitUntilCancelled()
            return try await repository.importing(text)
        }
        task.cancel()
        let report = try await task.value
        #expect(report.earlyEnd == .cancelled)
        #expect(report.imported == 0)
        #expect(try await repository.statistics().profiles == 1)
    }

    // MARK: Failures

    @Test(
        "if the disk becomes full, the import ends with a report of the committed rows",
        .onlyOnSQLite("injects faults into the file system"), arguments: [false, true])
    func full(inBulk: Bool) async throws {
        #expect(fault_vfs_register() == 0)
        let repository = try await folder.store(schema: schemaOfNames()) { $0.vfs = "fault" }
        if !inBulk { _ = try await repository.importing(rows(1)) }
        let stored = inBulk ? 0 : 1
        fault_vfs_arm(repository.place, FAULT_VFS_FULL, inBulk ? 300 : 1_500, -1)
        var failure: ImportError?
        do { _ = try await repository.importing(rows(60_000)) { $0.duplicates = .skip } } catch {
            failure = error as? ImportError
        }
        #expect(fault_vfs_disarm(repository.place) > 0)
        let profiles = try await repository.statistics().profiles
        switch failure {
        case .ended(.store(let error), after: let report)? where error.code == .full:
            #expect(!inBulk)
            #expect(report.rows == report.outcomes.reduce(0, +) && report.rows > 0 && report.rows < 60_000)
            #expect(profiles == report.imported + stored)
        case .store(let error)? where error.code == .full:
            #expect(profiles == stored)
            #expect(inBulk)
        default: Issue.record("\(String(describing: failure))")
        }
        #expect(try await repository.check().integrity.isEmpty)
        // The store goes on where it was.
        #expect(try await repository.importing(rows(60_000)) { $0.duplicates = .skip }.imported == 60_000 - profiles)
    }

    @Test(.onlyOnSQLite("injects faults into the file system"))
    func `I10: a store opens after an interrupted checkpoint`() async throws {
        #expect(fault_vfs_register() == 0)
        let repository = try await folder.store(schema: schemaOfNames()) { $0.vfs = "fault" }
        _ = try await repository.importing(rows(2_000))
        // Closing runs a checkpoint. Here it writes only the first page, which contains the number of pages.
        fault_vfs_arm(repository.place, FAULT_VFS_WRITE, 1, -1)
        await repository.close()
        #expect(fault_vfs_disarm(repository.place) > 0)
        let again = try await folder.store(schema: schemaOfNames())
        #expect(try await again.statistics().profiles == 2_000)
        #expect(try await again.check().isSound)
    }

    @Test(
        "rejected rows that cannot be written end the import with a report of the committed rows",
        arguments: [1, 40_000])
    func rejectsThatCannotBeWritten(rejected: Int) async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        _ = try await repository.importing("username\nzed\n")
        let readOnly = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(readOnly) }
        // A few rejected rows are written at the end, and many are written in blocks before.
        let text = rows(20_000) + String(repeating: "x,\n", count: rejected)
        do {
            _ = try await ProfileImporter(repository: repository).run(text, rejects: readOnly)
            Issue.record("nothing was thrown")
        } catch ImportError.ended(.writingRejects(EBADF), after: let report) {
            #expect(report.rows == report.outcomes.reduce(0, +))
            #expect(report.imported == 20_000)
            #expect(report.rejected <= rejected && (rejected == 1) == (report.rejected == 1))
            #expect(try await repository.statistics().profiles == 20_001)
        }
    }

    @Test func `an input that cannot be read is an error`() async throws {
        let folderItself = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folderItself) }
        let importer = try ProfileImporter(schema: schemaOfNames(), today: .latest)
        await #expect(throws: ImportError.reading(code: EISDIR)) {
            try await importer.run(ImportInput(descriptor: folderItself, name: "folder", byteCount: nil))
        }
    }

    @Test func `a schema that was adopted meanwhile ends the import`() async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        _ = try await repository.importing(rows(1))
        let importer = ProfileImporter(repository: repository)
        let other = try await folder.store(schema: schemaOfNames())
        try await other.rules.adopt(schemaOfClub())
        await #expect(throws: ImportError.store(.schemaChanged(version: 2))) { try await importer.run(rows(10)) }
        #expect(try await repository.statistics().profiles == 1)
    }
}

/// Cancels a task, even if progress is reported before the task is set.
private final class Canceller: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var isDue = false
    }

    private let state = Mutex(State())

    func set(_ cancel: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            state.cancel = cancel
            return state.isDue
        }
        if isDue { cancel() }
    }

    func cancel() {
        let cancel = state.withLock { state in
            state.isDue = true
            return state.cancel
        }
        cancel?()
    }
}
