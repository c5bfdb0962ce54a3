import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import Testing
import Watchdog

/// Exports that are taken chunk by chunk.
@Suite(.watched) struct ExportStreamTests {
    private func filledStore(_ count: Int, noteBytes: Int = 300) async throws -> ExportedStore {
        let store = try await ExportedStore()
        var texts = HostileTexts(seed: 5, pieces: HostileTexts.printable)
        for number in 0..<count {
            let note = "'" + texts.next() + String(repeating: "é", count: noteBytes / 2) + "."
            try await store.register(["username": "user\(number)", "note": note, "password_hash": ExportedStore.hash])
        }
        return store
    }

    private func gather(_ export: ProfileExport) async throws -> [[UInt8]] {
        var chunks: [[UInt8]] = []
        for try await chunk in export { chunks.append(chunk) }
        return chunks
    }

    @Test("I13: the chunks of an export together are the bytes of the exported file", arguments: ExportFormat.allCases)
    func sameAsFile(format: ExportFormat) async throws {
        let store = try await filledStore(2_000)
        for isEmpty in [true, false] {
            let store = isEmpty ? try await ExportedStore() : store
            for (includingHashes, isSafe) in [(false, false), (true, true)] {
                let chunks = try await gather(
                    store.repository.export(
                        as: format, includingHashes: includingHashes, spreadsheetSafe: isSafe))
                let file = try await store.export(
                    as: format, includingHashes: includingHashes, spreadsheetSafe: isSafe)
                #expect(String(decoding: chunks.joined(), as: UTF8.self) == file)
                #expect(chunks.allSatisfy { !$0.isEmpty && $0.count < 70_000 })
                #expect(chunks.dropLast().allSatisfy { $0.count >= 1 << 16 })
            }
        }
    }

    @Test func `I11: an export reads rows only as its chunks are taken, and includes later commits`() async throws {
        let store = try await filledStore(8, noteBytes: 200_000)
        var chunks = store.repository.export(as: .csv).makeAsyncIterator()
        var text = String(decoding: try #require(try await chunks.next()), as: UTF8.self)
        #expect(text.hasPrefix("username,") && !text.contains("user7"))
        // The last rows are not read yet, and a write does not wait for the export.
        try await store.register(["username": "late"])
        while let chunk = try await chunks.next() { text += String(decoding: chunk, as: UTF8.self) }
        #expect(text.contains("user7") && text.hasSuffix("\nlate,,,,,\n"))
        #expect(try await chunks.next() == nil)
    }

    @Test func `two exports run at the same time, and an abandoned one does not keep the store open`() async throws {
        let store = try await filledStore(1_000)
        let file = try await store.export(as: .ndjson)
        let export = store.repository.export(as: .ndjson)
        var (one, other) = (export.makeAsyncIterator(), export.makeAsyncIterator())
        var texts = ("", "")
        while let chunk = try await one.next() {
            texts.0 += String(decoding: chunk, as: UTF8.self)
            for try await chunk in export {
                #expect(chunk.count >= 1 << 16)
                break
            }
            if let chunk = try await other.next() { texts.1 += String(decoding: chunk, as: UTF8.self) }
        }
        #expect(texts.0 == file && texts.1 == file)
        // Closing would wait for an export that still reads.
        await store.repository.close()
    }

    @Test func `I13: an export during changes has each unchanged profile once`() async throws {
        let store = try await filledStore(1_500)
        let writing = Task {
            for number in stride(from: 0, to: 1_500, by: 3) {
                guard !Task.isCancelled else { return }
                try await store.repository.remove("user\(number)")
                try await store.register(["username": "new\(number)"])
            }
        }
        for _ in 0..<5 {
            let names = try await gather(store.repository.export(as: .ndjson)).joined()
                .split(separator: UInt8(ascii: "\n"))
                .map { try JSONValue(parsing: String(decoding: $0, as: UTF8.self))["username"] }
            let kept = (0..<1_500).filter { $0 % 3 != 0 }.map { JSONValue.string("user\($0)") }
            #expect(Set(names.map { "\(String(describing: $0))" }).count == names.count)
            let found = Set(names.compactMap { if case .string(let name)? = $0 { name } else { nil } })
            #expect(kept.allSatisfy { if case .string(let name) = $0 { found.contains(name) } else { false } })
        }
        writing.cancel()
        do { try await writing.value } catch let error as ProfileStoreError where error == .cancelled {}
    }

    @Test func `an export that is opened first reports errors before its first chunk, and is otherwise the same`()
        async throws
    {
        let store = try await filledStore(10)
        let repository = store.repository
        for query in [ProfileQuery([.init("shoe", .isPresent)]), ProfileQuery(order: .init("shoe"))] {
            let error = await #expect(throws: ProfileStoreError.self) {
                try await repository.export(matching: query, as: .csv).opened()
            }
            #expect(error?.code == .invalidQuery)
        }
        let error = await #expect(throws: ProfileStoreError.self) {
            try await repository.export(matching: ProfileQuery(), columns: ["shoe"], as: .csv).opened()
        }
        #expect(error?.code == .invalidQuery)
        let sorted = ProfileQuery(order: .init(.username, isDescending: true))
        for export in [repository.export(as: .ndjson), repository.export(matching: sorted, as: .csv)] {
            let opened = try await export.opened()
            // Each iteration is an export of its own.
            for _ in 1...2 { #expect(try await gather(opened) == gather(export)) }
        }
        let opened = try await repository.export(as: .ndjson).opened()
        try await store.register(["username": "late"])
        #expect(String(decoding: try await gather(opened).joined(), as: UTF8.self).contains("late"))
        await repository.close()
        let closed = await #expect(throws: ProfileStoreError.self) {
            try await repository.export(as: .csv).opened()
        }
        #expect(closed == .closed)
    }

    @Test func `a cancelled export ends`() async throws {
        let store = try await filledStore(10)
        let task = Task {
            await waitUntilCancelled()
            var chunks = store.repository.export(as: .csv).makeAsyncIterator()
            do throws(ProfileStoreError) {
                _ = try await chunks.next()
                Issue.record("nothing was thrown")
            } catch {
                #expect(error == .cancelled)
            }
            return try await chunks.next()
        }
        task.cancel()
        #expect(try await task.value == nil)
    }

    @Test func `I13: an export of one store is the input of another, with nothing in between`() async throws {
        let first = try await filledStore(1_000)
        let second = try await ExportedStore()
        for format in [ExportFormat.csv, .ndjson] {
            var options = ImportOptions()
            options.duplicates = .update
            let input = ImportInput(first.repository.export(as: format, includingHashes: true), name: "first")
            let report = try await ProfileImporter(repository: second.repository, options: options).run(input)
            #expect(report.rejected == 0 && report.rows == 1_000)
            #expect(
                try await second.export(as: format, includingHashes: true)
                    == first.export(as: format, includingHashes: true))
        }
    }
}
