import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// Rejected rows and reports that go to a sink.
@Suite(.watched) struct RejectSinkTests {
    private let folder: ImportFolder

    init() throws { folder = try ImportFolder() }

    private init(folder: ImportFolder) { self.folder = folder }

    private static func text(_ count: Int) -> String {
        "username,note\n" + (0..<count).map { $0 % 10 == 0 ? "u\($0),\n" : "x,\"number \($0) é\"\n" }.joined()
    }

    /// The code paths of an import. Each waits for its sink at a different place.
    enum Way: CaseIterable { case judging, looking, batches, newRows, rowByRow }

    private func importer(_ way: Way, limit: Int? = nil) async throws -> ProfileImporter {
        if way == .judging { return try ProfileImporter(schema: schemaOfNames(), today: .latest) }
        let repository = try await folder.store(schema: schemaOfNames())
        if way == .batches { _ = try await repository.importing("username\nzed\n") }
        return ProfileImporter(
            repository: repository,
            options: importOptions {
                $0.isDryRun = way == .looking
                if way == .rowByRow { $0.duplicates = .update }
            })
    }

    @Test("I7: a sink gets the bytes that a file gets", arguments: Way.allCases)
    func sameAsFile(way: Way) async throws {
        let text = Self.text(30_000)
        let gathered = GatheredBytes()
        let report = try await importer(way).run(
            ImportInput(bytes: Array(text.utf8), name: "x"), rejects: gathered.sink)
        #expect(report.outcomes == [3_000, 0, 0, 27_000])
        #expect(report.hasWrittenRejects)
        let validator = try ProfileImporter(schema: schemaOfNames(), today: .latest)
        #expect(try await validator.runKeepingRejects(text).rejects == gathered.text)
        #expect(gathered.longestChunk <= 1 << 16)
    }

    @Test("I11: an import waits for a slow sink, and buffers only a little for it", arguments: Way.allCases)
    func backPressure(way: Way) async throws {
        let text = Self.text(24_000)
        let rejected = Atomic(0)
        let taken = Atomic(0)
        let sink = ChunkSink { chunk in
            // Without backpressure, the import would decide on all rows during this time.
            if taken.load(ordering: .relaxed) == 0 { try await waitWhileRising { rejected.load(ordering: .relaxed) } }
            taken.add(chunk.split(separator: UInt8(ascii: "\n")).count, ordering: .relaxed)
            // A row is 80 bytes here: 256 KiB and two batches of 5,000 rows may wait.
            #expect(rejected.load(ordering: .relaxed) <= taken.load(ordering: .relaxed) + 14_000)
        }
        let report = try await importer(way).run(ImportInput(bytes: Array(text.utf8), name: "x"), rejects: sink) {
            rejected.store($0.rejected, ordering: .relaxed)
        }
        #expect(report.rejected == 21_600 && report.hasWrittenRejects)
    }

    @Test("I7: a sink that throws ends the import, and the error reports what was committed", arguments: Way.allCases)
    func failing(way: Way) async throws {
        let text = Self.text(30_000)
        let sink = ChunkSink { _ in throw StreamBroke() }
        do {
            _ = try await importer(way).run(ImportInput(bytes: Array(text.utf8), name: "x"), rejects: sink)
            Issue.record("nothing was thrown")
        } catch ImportError.ended(.writingToSink(let failure), after: let report) {
            #expect(failure.error is StreamBroke)
            #expect(!report.hasWrittenRejects && report.rows == report.outcomes.reduce(0, +))
            if way == .newRows || way == .rowByRow { #expect(report.imported == 0) }
        } catch ImportError.writingToSink(let failure) {
            // The whole import was one transaction, so after its rollback there is nothing to report.
            #expect(failure.error is StreamBroke)
            #expect(way == .newRows || way == .rowByRow)
        }
        if way != .judging, way != .batches {
            let repository = try await folder.store(schema: schemaOfNames())
            #expect(try await repository.statistics().profiles == 0)
        }
    }

    @Test func `I7: committed rows stay stored if a sink throws at the last row`() async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        do {
            _ = try await ProfileImporter(repository: repository).run(
                ImportInput(bytes: Array("username\nann\nx\n".utf8), name: "x"),
                rejects: ChunkSink { _ in throw StreamBroke() })
            Issue.record("nothing was thrown")
        } catch ImportError.ended(.writingToSink, after: let report) {
            #expect(report.outcomes == [1, 0, 0, 1] && !report.hasWrittenRejects)
            #expect(try await repository.statistics().profiles == 1)
        }
    }

    @Test("I12: an import that waits for its sink can be cancelled", arguments: Way.allCases)
    func cancelled(way: Way) async throws {
        let importer = try await importer(way)
        let (asks, asked) = AsyncStream.makeStream(of: Void.self)
        var ask = asks.makeAsyncIterator()
        let sink = ChunkSink { _ in
            asked.yield()
            await waitUntilCancelled()
            try Task.checkCancellation()
        }
        let task = Task {
            try await importer.run(ImportInput(bytes: Array(Self.text(60_000).utf8), name: "x"), rejects: sink)
        }
        await ask.next()
        task.cancel()
        let report = try await task.value
        #expect(report.earlyEnd == .cancelled && !report.hasWrittenRejects)
        // An import that has decided on all rows and only waits for its sink can be cancelled, too.
        let last = Task {
            try await ProfileImporter(schema: schemaOfNames(), today: .latest).run(
                ImportInput(bytes: Array("username\nann\nx\n".utf8), name: "x"), rejects: sink)
        }
        await ask.next()
        last.cancel()
        #expect(try await last.value.hasWrittenRejects == false)
    }

    @Test("E6: imports that wait for a reader of rejected rows hold no cooperative thread", arguments: Way.allCases)
    func stalledPipes(way: Way) async throws {
        let text = Self.text(24_000)
        let expected = try await ProfileImporter(schema: schemaOfNames(), today: .latest).runKeepingRejects(text)
            .rejects
        // More than there are cooperative threads.
        let folders = try (0...sysconf(Int32(_SC_NPROCESSORS_ONLN))).map { _ in try ImportFolder() }
        // The last reference to a folder removes it.
        defer { withExtendedLifetime(folders) {} }
        var imports: [(reader: Int32, writer: Int32, task: Task<ImportReport, any Error>)] = []
        for folder in folders {
            let importer = try await RejectSinkTests(folder: folder).importer(way)
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            let writer = ends[1]
            let task = Task.detached {
                defer { close(writer) }
                return try await importer.run(text, rejects: writer)
            }
            imports.append((ends[0], writer, task))
        }
        // Each import fills its pipe, although the imports before it already wait for a reader.
        try await waitUntil {
            imports.allSatisfy { one in
                var end = pollfd(fd: one.writer, events: Int16(POLLOUT), revents: 0)
                return poll(&end, 1, 0) == 0
            }
        }
        #expect(await Task.detached { 1 }.value == 1)
        for one in imports {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = read(one.reader, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
            close(one.reader)
            #expect(String(decoding: bytes, as: UTF8.self) == expected)
            let report = try await one.task.value
            #expect(report.rejected == 21_600 && report.hasWrittenRejects)
        }
    }

    @Test func `I8: a report is written to a sink as it is rendered`() async throws {
        let report = try await importer(.judging).run(ImportInput(bytes: Array(Self.text(3_000).utf8), name: "x"))
        for format in ReportFormat.allCases {
            let gathered = GatheredBytes()
            try await report.write(as: format, to: gathered.sink)
            #expect(gathered.text == report.rendered(as: format))
            #expect(gathered.longestChunk <= 1 << 16)
            let error = await #expect(throws: StreamFailure.self) {
                try await report.write(as: format, to: ChunkSink { _ in throw StreamBroke() })
            }
            #expect(error?.error is StreamBroke)
        }
    }
}
