import Platform
import ProfileStore
import ProfileTransfer
import Testing
import Watchdog

@Suite(.watched) struct ExportRoundTripTests {
    @Test(
        "I13: an export with hashes imports back to the same fields and credentials",
        arguments: [
            (ExportFormat.csv, InputFormat.csv(delimiter: UInt8(ascii: ","))), (.csv, .automatic), (.ndjson, .json),
            (.ndjson, .automatic), (.json, .json), (.json, .automatic),
        ])
    func roundTrip(format: ExportFormat, imported: InputFormat) async throws {
        let first = try await ExportedStore()
        var texts = HostileTexts(seed: 31, pieces: HostileTexts.printable)
        try await first.register(ExportTests.full)
        for number in 0..<20 {
            try await first.register(["username": "user\(number)", "note": "'\(texts.next()).", "score": "1e300"])
        }
        let exported = try await first.export(as: format, includingHashes: true)

        let second = try await ExportedStore()
        var options = ImportOptions()
        options.format = imported
        let report = try await second.import(exported, options)
        #expect(report.imported == 21, "\(report.summary())")
        #expect(try await second.export(as: format, includingHashes: true) == exported)
    }

    @Test func `I7: corrected rows of a rejects file can be imported, and its added columns are ignored`() async throws
    {
        let store = try await ExportedStore()
        let rejects = try await store.rejects(of: "username,password,age\nann,,4x\nbob,,5\neve,Geheim7,six\n")
        #expect(rejects.hasPrefix("username,password,age,_line,_issues\nann,,4x,2,age: bad_format ("))
        #expect(rejects.contains("\neve,,six,4,age: bad_format ("))
        let mended = rejects.replacing("4x", with: "4").replacing("six", with: "6")
        let report = try await store.import(mended, ImportOptions())
        #expect(report.imported == 2, "\(report.summary())")
    }
}

extension ExportedStore {
    fileprivate func `import`(
        _ text: String, _ options: ImportOptions, rejects: Int32? = nil
    ) async throws -> ImportReport {
        let input = directory + "/input"
        let descriptor = open(input, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer {
            close(descriptor)
            unlink(input)
        }
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw ExportError.writing(code: errno) }
        lseek(descriptor, 0, SEEK_SET)
        return try await ProfileImporter(repository: repository, options: options).run(
            ImportInput(descriptor: descriptor, name: "input", byteCount: UInt64(bytes.count)), rejects: rejects)
    }

    /// Imports a text, and returns the text of its rejects file.
    fileprivate func rejects(of text: String) async throws -> String {
        let path = directory + "/rejects"
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer {
            close(descriptor)
            unlink(path)
        }
        _ = try await `import`(text, ImportOptions(), rejects: descriptor)
        return String(decoding: bytes(of: descriptor), as: UTF8.self)
    }
}
