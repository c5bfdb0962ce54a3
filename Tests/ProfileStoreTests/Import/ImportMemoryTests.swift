import Glibc
import ProfileCore
import ProfileStore
import Synchronization
import Testing
import Watchdog

@Suite(.serialized, .watched) struct ImportMemoryTests {
    /// Imports what is written into a pipe, by a process whose memory is watched.
    private func importing(
        _ arguments: [String] = [], writing write: @escaping @Sendable (Pipe) -> Void
    ) async throws -> ImporterProcess.Result {
        let folder = try ImportFolder()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let sink = Pipe(descriptor: ends[1])
        var importer = try ImporterProcess(["\(folder.path)/store.sqlite", "-", "--names"] + arguments, input: ends[0])
        close(ends[0])
        let writing = Task.detached {
            write(sink)
            close(sink.descriptor)
        }
        let result = try importer.result()
        await writing.value
        return result
    }

    private struct Pipe: Sendable {
        let descriptor: Int32

        func write(_ text: String) {
            var text = text
            text.withUTF8 { bytes in
                var rest = UnsafeRawBufferPointer(bytes)
                while rest.count > 0 {
                    let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                    if count <= 0 { return }
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
            }
        }
    }

    @Test("I11: a cell of 100 MB is refused, within bounded memory", arguments: [false, true])
    func longCell(isNDJSON: Bool) async throws {
        let megabyte = String(repeating: "x", count: 1 << 20)
        let result = try await importing(isNDJSON ? ["--ndjson"] : []) { pipe in
            pipe.write(isNDJSON ? "{\"username\":\"ann\"}\n{\"username\":\"" : "username,note\nann,\nbob,\"")
            for _ in 0..<100 { pipe.write(megabyte) }
            pipe.write(isNDJSON ? "\"}\n{\"username\":\"cid\"}\n" : "\"\ncid,\n")
        }
        #expect(result.outcomes == [2, 0, 0, 1])
        #expect(result.peakKiB < 64 << 10, "\(result.peakKiB) KiB")
    }

    @Test func `I11: memory does not grow with the file`() async throws {
        let note = String(repeating: "some words to fill the row with ", count: 8)
        func peak(rows: Int) async throws -> Int {
            let result = try await importing { pipe in
                pipe.write("username,note\n")
                for first in stride(from: 0, to: rows, by: 1_000) {
                    pipe.write((first..<first + 1_000).map { "u\($0),\(note)\n" }.joined())
                }
            }
            #expect(result.outcomes == [rows, 0, 0, 0])
            return result.peakKiB
        }
        let (few, many) = (20_000, runsLongImportTests ? 4_000_000 : 120_000)
        let (small, large) = (try await peak(rows: few), try await peak(rows: many))
        // The keys of the rows are kept, some 16 bytes each; the rows, of 260 bytes, are not.
        #expect(large - small < 24 << 10 + (many - few) * 32 / 1_024, "\(small) KiB, then \(large) KiB")
        #expect(large < 256 << 10)
    }
}
