import CSVStream
import InputFixtures
import Platform
import ProfileCore
import ProfileStore
import ProfileTesting
import ProfileTransfer
import SchemaInference
import SecretHashing
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// Imports of input that arrives in chunks.
@Suite(.watched) struct ImportStreamTests {
    private let folder: ImportFolder

    init() throws { folder = try ImportFolder() }

    /// The result of an import, without its duration.
    private struct Outcome: Equatable {
        var report: String
        var rejects: String
        var stored: [String: [String: String]]

        init(_ report: ImportReport, _ rejects: String, _ repository: ProfileRepository) async throws {
            var report = report
            report.seconds = 0
            self.report = report.rendered(as: .json).replacing(report.store ?? "", with: "store")
            self.rejects = rejects
            stored = try await repository.everything()
        }
    }

    private func outcome(
        ofFile bytes: [UInt8], into repository: ProfileRepository, _ options: ImportOptions
    ) async throws -> Outcome {
        let (input, rejects) = (try unnamedFile(bytes), try unnamedFile())
        defer { for file in [input, rejects] { close(file) } }
        let report = try await ProfileImporter(repository: repository, options: options).run(
            ImportInput(descriptor: input, name: "x", byteCount: nil), rejects: rejects)
        return try await Outcome(
            report, String(decoding: importedBytes(of: rejects), as: UTF8.self), repository)
    }

    private func outcome(
        of input: ImportInput, into repository: ProfileRepository, _ options: ImportOptions
    ) async throws -> Outcome {
        let rejects = GatheredBytes()
        let report = try await ProfileImporter(repository: repository, options: options).run(
            input, rejects: rejects.sink)
        return try await Outcome(report, rejects.text, repository)
    }

    /// Empty stores with the same schema, each in its own folder.
    private func emptyStores(_ count: Int) async throws -> [(ImportFolder, ProfileRepository)] {
        var stores: [(ImportFolder, ProfileRepository)] = []
        for _ in 0..<count {
            let folder = try ImportFolder()
            stores.append((folder, try await folder.store(schema: schemaOfClub())))
        }
        return stores
    }

    @Test("I1, I3, I4: wherever chunks are cut, an import has the same result as with a file", arguments: 0..<20)
    func cutAnywhere(round: Int) async throws {
        var random = SeededGenerator(seed: UInt64(round))
        var texts = HostileTexts(seed: UInt64(round), pieces: HostileTexts.printable)
        let rows = (0..<Int.random(in: 0...60, using: &random)).map { number in
            let note = "\"" + texts.next().replacing("\"", with: "\"\"") + "\""
            return
                "user\(Int.random(in: 0..<40, using: &random)),\(number % 7 == 3 ? "12" : "4"),\(note),a\(number)@é.de"
        }
        let ends = ["\n", "\r\n", "\r"]
        let text = (["username,level,note,email"] + rows).joined(separator: ends[round % 3])
        let bytes: [UInt8]
        switch round % 4 {
        case 0: bytes = Array(text.utf8)
        case 1: bytes = [0xEF, 0xBB, 0xBF] + Array(text.utf8)
        case 2: bytes = try Gzip.compressed(Array(text.utf8))
        default: bytes = "\u{FEFF}\(text)".utf16.flatMap { unit in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        }
        let options = importOptions {
            $0.duplicates = .update
            $0.isExclusive = round % 2 == 0
        }
        let stores = try await emptyStores(4)
        let expected = try await outcome(ofFile: bytes, into: stores[0].1, options)
        let source = ChunkSource(bytes, sizes: randomSizes(of: bytes.count, using: &random))
        let byBytes = ChunkSource(bytes, sizes: Array(repeating: 1, count: bytes.count))
        let inputs = [
            ImportInput(source.chunks, name: "x"), ImportInput(byBytes.chunks, name: "x"),
            ImportInput(bytes: bytes, name: "x"),
        ]
        for ((_, store), input) in zip(stores.dropFirst(), inputs) {
            #expect(try await outcome(of: input, into: store, options) == expected)
        }
        #expect(source.iterators == 1 && source.given == bytes.count)
    }

    @Test func `chunks are any sequences of bytes`() async throws {
        let text = Array("username,level\nann,1\nbob,2\n".utf8)
        let importer = try ProfileImporter(schema: schemaOfClub(), today: .latest)
        let slices = AsyncStream<ArraySlice<UInt8>> { continuation in
            for start in stride(from: 0, to: text.count, by: 5) { continuation.yield(text[start...].prefix(5)) }
            continuation.finish()
        }
        #expect(try await importer.run(ImportInput(slices, name: "slices")).outcomes == [2, 0, 0, 0])
        let lines = AsyncStream<String.UTF8View> { continuation in
            for line in ["username,level\n", "ann,1\n", "", "bob,2\n"] { continuation.yield(line.utf8) }
            continuation.finish()
        }
        let upper = lines.map { line in line.map { $0 == UInt8(ascii: "b") ? UInt8(ascii: "B") : $0 } }
        #expect(try await importer.run(ImportInput(upper, name: "lines")).outcomes == [2, 0, 0, 0])
    }

    @Test func `I7: rows that were committed before a sequence throws stay, and its error is reported`() async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        _ = try await repository.importing("username\nzed\n")
        // Whole batches of rows, then one that is cut off.
        let source = ChunkSource { number in
            if number == 0 { return Array("username,note\n".utf8) }
            guard number <= 40 else { throw StreamBroke() }
            let note = String(repeating: "n", count: 100)
            return (0..<1_000).flatMap { Array("u\(number)x\($0),\(note)\n".utf8) }
        }
        do {
            _ = try await ProfileImporter(repository: repository).run(ImportInput(source.chunks, name: "x"))
            Issue.record("nothing was thrown")
        } catch ImportError.ended(.readingStream(let failure), after: let report) {
            #expect(failure.error as? StreamBroke == StreamBroke())
            #expect(report.rows >= 20_000 && report.rows == report.imported)
            #expect(try await repository.statistics().profiles == report.imported + 1)
        }
    }

    @Test func `a sequence that throws at once, or has nothing, is an input that cannot be read`() async throws {
        let importer = try ProfileImporter(schema: schemaOfNames(), today: .latest)
        let broken = ChunkSource { _ in throw StreamBroke() }
        let error = await #expect(throws: ImportError.self) {
            try await importer.run(ImportInput(broken.chunks, name: "x"))
        }
        guard case .readingStream(let failure) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.error is StreamBroke)
        let empty = ChunkSource { $0 < 3 ? [] : nil }
        await #expect(throws: ImportError.noHeader) { try await importer.run(ImportInput(empty.chunks, name: "x")) }
    }

    @Test(arguments: [true, false])
    func `I12: cancelling an import that waits for a silent sequence cancels the sequence too`(loads: Bool)
        async throws
    {
        let repository = try await folder.store(schema: schemaOfNames())
        let (chunks, feeding) = AsyncStream.makeStream(of: [UInt8].self)
        let (isAsked, asked) = AsyncStream.makeStream(of: Never.self)
        let begun = Array("username,note\nann,x\n".utf8)
        let silent = ChunkSource { number in
            if number == 0 { return begun }
            asked.finish()
            for await chunk in chunks { return chunk }
            return nil
        }
        let task = Task {
            try await ProfileImporter(repository: repository, options: importOptions { $0.isDryRun = !loads })
                .run(ImportInput(silent.chunks, name: "-"))
        }
        for await _ in isAsked {}
        task.cancel()
        #expect(try await task.value.earlyEnd == .cancelled)
        #expect(try await repository.statistics().profiles == 0)
        // The task that reads it is cancelled, too.
        await silent.waitUntilDropped()
        feeding.finish()
    }

    @Test(arguments: [true, false])
    func `I7: an endless sequence is read only until the limit of rejected rows`(loads: Bool) async throws {
        let repository = try await folder.store(schema: schemaOfNames())
        let rows = (0..<1_000).flatMap { _ in Array("x,\n".utf8) }
        let endless = ChunkSource { $0 == 0 ? Array("username,note\n".utf8) : rows }
        let rejects = GatheredBytes()
        let report = try await ProfileImporter(
            repository: repository,
            options: importOptions {
                $0.rejectLimit = .count(100)
                $0.isDryRun = !loads
            }
        ).run(ImportInput(endless.chunks, name: "x"), rejects: rejects.sink)
        #expect(report.earlyEnd == .tooManyRejects && report.rows == report.rejected && report.rejected > 100)
        #expect(report.hasWrittenRejects)
        #expect(rejects.text.split(separator: "\n").count == report.rejected + 1)
        await endless.waitUntilDropped()
        // Not much more than the batches that the pipeline holds.
        #expect(endless.given < 64 << 20)
    }

    @Test func `I9: passwords in a sequence are hashed before the lock is taken, in one iteration`() async throws {
        let header = "username,password,phone,address\n"
        let rows = (0..<6).map { "user\($0),Geheim\($0),78761241,12 Main St\n" }.joined()
        let text = header + rows + "USER1,Geheim7,78761241,12 Main St\nbad,,1,\n"
        for isExclusive in [true, false] {
            let folder = try ImportFolder()
            let repository = try await folder.store()
            let source = ChunkSource(Array(text.utf8), sizes: Array(repeating: 3, count: text.utf8.count / 3))
            let rejects = GatheredBytes()
            let report = try await ProfileImporter(
                repository: repository, options: importOptions { $0.isExclusive = isExclusive }
            ).run(ImportInput(source.chunks, name: "x"), rejects: rejects.sink)
            #expect(report.outcomes == [6, 0, 0, 2])
            #expect(repository.hasher.argon2Runs == 6)
            #expect(source.iterators == 1)
            #expect(rejects.text.split(separator: "\n").count == 3 && !rejects.text.contains("Geheim"))
        }
    }

    @Test func `a sequence that is kept in a file is read once for an inference and two imports`() async throws {
        let note = String(repeating: "n", count: 200)
        let text = "user,n,note\n" + (10_000..<20_000).map { "u\($0),\($0),\(note)\n" }.joined()
        let source = ChunkSource(Array(text.utf8), sizes: Array(repeating: 10_000, count: 100))
        let input = try ImportInput(source.chunks, name: "-").readableAgain(keptIn: folder.path)
        var options = InferenceOptions()
        // The inference does not read the sequence to its end.
        options.sample = 10
        let proposal = try await SchemaInferrer(options: options).run(input)
        let importer = ProfileImporter(schema: try #require(proposal.schema), today: .latest)
        for _ in 0..<2 { #expect(try await importer.run(input).outcomes == [10_000, 0, 0, 0]) }
        #expect(source.iterators == 1)
        #expect(folder.names.filter { $0.hasPrefix("profiles-") } == [], "it has no name")
    }

    @Test func `a cancelled inference leaves the input as it was`() async throws {
        let text = "user,n\nann,1\nbob,2\n"
        let input = try ImportInput(bytes: Array(text.utf8), name: "-").readableAgain(keptIn: folder.path)
        let task = Task {
            await waitUntilCancelled()
            return try await SchemaInferrer().run(input)
        }
        task.cancel()
        await #expect(throws: InferenceError.cancelled) { try await task.value }
        #expect(try await SchemaInferrer().run(input).rows == 2)
    }

    @Test func `a file is opened by its path for each read, and a missing file is an error`() async throws {
        let path = try folder.file("people.csv", "username\nann\nbob\n")
        let importer = try ProfileImporter(schema: schemaOfNames(), today: .latest)
        let input = ImportInput(path: path)
        #expect(input.byteCount == 17 && input.name == path)
        for _ in 0..<2 { #expect(try await importer.run(input).outcomes == [2, 0, 0, 0]) }
        await #expect(throws: ImportError.opening(code: ENOENT)) {
            try await importer.run(ImportInput(path: path + ".not"))
        }
        await #expect(throws: ImportError.reading(code: EISDIR)) {
            try await importer.run(ImportInput(path: folder.path))
        }
    }

    @Test func `I12: an import from a named pipe without a writer can be cancelled`() async throws {
        let path = folder.path + "/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let importer = try ProfileImporter(schema: schemaOfNames(), today: .latest)
        let task = Task { try await importer.run(ImportInput(path: path)) }
        task.cancel()
        #expect(try await task.value.earlyEnd == .cancelled)
        // The cancelled import may close the pipe a moment later. It must not be the one that reads the row.
        try await waitUntil {
            let probe = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            if probe >= 0 { close(probe) }
            return probe < 0
        }
        async let report = importer.run(ImportInput(path: path))
        var writing: Int32 = -1
        try await waitUntil {
            writing = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            return writing >= 0
        }
        _ = write(writing, "username\nann\n", 13)
        close(writing)
        #expect(try await report.outcomes == [1, 0, 0, 0])
    }
}
