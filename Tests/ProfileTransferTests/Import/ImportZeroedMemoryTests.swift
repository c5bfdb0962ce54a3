import Platform
import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileTransfer

@Suite(.watched, .alone, .unsanitized) struct ImportZeroedMemoryTests {
    @Test func `P12: an import leaves no password in memory`() async throws {
        let marker = MemoryMarker()
        let folder = try ImportFolder()
        let repository = try await folder.store()
        let input = try unnamedFile()
        defer { close(input) }
        let sink = { (bytes: UnsafeRawBufferPointer) in _ = write(input, bytes.baseAddress, bytes.count) }
        Array("username,phone,address,password\nabel,78761241,x,".utf8).withUnsafeBytes(sink)
        marker.withBytes(sink)
        Array("\nbert,78761241,x,aK8oio\n".utf8).withUnsafeBytes(sink)
        lseek(input, 0, SEEK_SET)
        let report = try await ProfileImporter(repository: repository)
            .run(ImportInput(descriptor: input, name: "people.csv", byteCount: nil))
        #expect(report.outcomes == [2, 0, 0, 0], "\(report.lines)")
        #expect(try isGone(marker))
        #expect(try await repository.passwords.validate(marker.makeSecret(), for: "abel").username == "abel")
        #expect(try isGone(marker))
        await repository.close()
    }

    /// Waits for a thread that may still hold what it has just hashed; each look takes some time.
    private func isGone(_ marker: MemoryMarker) throws -> Bool {
        try (0..<20).contains { _ in try marker.occurrences() == 0 }
    }
}
