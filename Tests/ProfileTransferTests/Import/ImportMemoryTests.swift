import Platform
import ProfileCore
import ProfileStore
import StoreFixtures
import Synchronization
import Testing
import Watchdog

@Suite(.onlyOnSQLite("measures the memory of another process"), .serialized, .unsanitized, .watched)
struct ImportMemoryTests {
    /// Imports what is written into a pipe, by a process whose memory is watched.
    private func importing(
        _ arguments: [String] = [], writing write: @escaping @Sendable (Pipe) -> Void
    ) async throws -> ImporterProcess.Result {
        let folder = try ImportFolder()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let sink = Pipe(descriptor: ends[1])
        let schema = arguments.contains("--accounts") ? [] : ["--names"]
        var importer = try ImporterProcess(["\(folder.path)/store.sqlite", "-"] + schema + arguments, input: ends[0])
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
                    let count = Platform.write(descriptor, rest.baseAddress, rest.count)
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

    @Test("I11: memory does not grow with an array of objects, or with one overlong object", arguments: [false, true])
    func array(isOneObject: Bool) async throws {
        func peak(rows: Int) async throws -> Int {
            let result = try await importing(["--ndjson"]) { pipe in
                pipe.write("[{\"username\":\"ann\"}")
                if isOneObject { pipe.write(",{\"note\":\"") }
                let note = String(repeating: "some words to fill the row with ", count: 8)
                for first in stride(from: 0, to: rows, by: 1_000) {
                    pipe.write(
                        (first..<first + 1_000).map {
                            isOneObject ? note : ",\n{\"username\":\"u\($0)\",\"note\":\"\(note)\"}"
                        }.joined())
                }
                pipe.write(isOneObject ? "\"}]" : "]")
            }
            #expect(result.outcomes == (isOneObject ? [1, 0, 0, 1] : [rows + 1, 0, 0, 0]))
            return result.peakKiB
        }
        let (few, many) = (10_000, runsLongImportTests ? 300_000 : 40_000)
        let (small, large) = (try await peak(rows: few), try await peak(rows: many))
        #expect(large - small < 16 << 10 + (many - few) * 32 / 1_024, "\(small) KiB, then \(large) KiB")
        #expect(large < 256 << 10)
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
        // The keys of the rows are kept, some 10 bytes each; the rows, of 260 bytes, are not.
        #expect(large - small < 24 << 10 + (many - few) * 32 / 1_024, "\(small) KiB, then \(large) KiB")
        #expect(large < 256 << 10)
    }

    @Test("I11: an exclusive import does not keep rows that have no password to hash", arguments: [false, true])
    func exclusive(isNDJSON: Bool) async throws {
        let note = String(repeating: "some words to fill the row with ", count: 8)
        func peak(rows: Int) async throws -> Int {
            let options = ["--accounts", "--exclusive"] + (isNDJSON ? ["--ndjson"] : [])
            let result = try await importing(options) { pipe in
                if !isNDJSON { pipe.write("username,password,note\n") }
                // One row has a password, so that the others cannot go into the store before it is hashed.
                pipe.write(isNDJSON ? "{\"username\":\"ann\",\"password\":\"Geheim1\"}\n" : "ann,Geheim1,\n")
                for first in stride(from: 0, to: rows, by: 1_000) {
                    pipe.write(
                        (first..<first + 1_000).map {
                            isNDJSON ? "{\"username\":\"u\($0)\",\"note\":\"\(note)\"}\n" : "u\($0),,\(note)\n"
                        }.joined())
                }
            }
            #expect(result.outcomes == [rows + 1, 0, 0, 0])
            return result.peakKiB
        }
        let few = 20_000
        let many = isNDJSON ? (runsLongImportTests ? 300_000 : 150_000) : (runsLongImportTests ? 2_000_000 : 200_000)
        let (small, large) = (try await peak(rows: few), try await peak(rows: many))
        // A row takes some 300 bytes, and its key 10, so the rows would take more than three times this limit. On a busy
        // machine more batches lie between the threads.
        let buffers = isNDJSON ? 6 << 10 : 8 << 10
        #expect(large - small < buffers + (many - few) * 32 / 1_024, "\(small) KiB, then \(large) KiB")
        #expect(large < 256 << 10)
    }

    @Test func `I11: long names of members are not remembered`() async throws {
        func peak(lines: Int) async throws -> Int {
            let result = try await importing(["--ndjson", "--ignore-unknown"]) { pipe in
                for number in 0..<lines {
                    let name = String(number) + String(repeating: "x", count: 250_000)
                    pipe.write("{\"username\":\"user\(number)\",\"\(name)\":1}\n")
                }
            }
            #expect(result.outcomes == [lines, 0, 0, 0])
            return result.peakKiB
        }
        let (few, many) = (2, runsLongImportTests ? 600 : 24)
        let (small, large) = (try await peak(lines: few), try await peak(lines: many))
        #expect(large - small < 3 << 10, "\(small) KiB, then \(large) KiB")
    }

    @Test func `I11: a line of many members that are no field has an issue for the first of them alone`() async throws {
        let (lines, count) = runsLongImportTests ? (100, 90_000) : (8, 30_000)
        let result = try await importing(["--ndjson"]) { pipe in
            let members = (0..<count).map { "\"m\($0)\":1" }.joined(separator: ",")
            for number in 0..<lines { pipe.write("{\"username\":\"user\(number)\",\(members)}\n") }
        }
        #expect(result.outcomes == [0, 0, 0, lines])
        #expect(result.peakKiB < 38 << 10, "\(result.peakKiB) KiB")
    }
}
