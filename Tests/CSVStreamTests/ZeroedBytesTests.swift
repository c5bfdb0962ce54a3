@testable import CSVStream
import ProfileTesting
import Synchronization
import Testing
import Watchdog

/// P12: bytes that may be secrets are zeroed before their memory is released: when the buffer grows, is emptied or is
/// deallocated.
@Suite(.alone, .unsanitized, .watched) struct ZeroedBytesTests {
    /// Returns the number of copies of the marker in memory while a batch holds it, and after the batch is deallocated.
    private func occurrences(containsSecrets: Bool, _ marker: MemoryMarker) throws -> (with: Int, without: Int) {
        let with = try fillBatch(containsSecrets: containsSecrets, marker)
        return (with, try marker.occurrences())
    }

    private func fillBatch(containsSecrets: Bool, _ marker: MemoryMarker) throws -> Int {
        var batch = RecordBatch(containsSecrets: containsSecrets)
        batch.beginRecord(line: 1, number: 1)
        marker.withBytes { bytes in batch.appendCell(bytes.bindMemory(to: UInt8.self).span) }
        // Makes the buffer grow several times.
        for _ in 0..<1_000 { batch.appendCell("and more".utf8Span.span) }
        batch.endRecord()
        return try marker.occurrences()
    }

    @Test func `P12: a batch with secrets leaves no copy in memory when it grows and when it is deallocated`() throws {
        let secret = try occurrences(containsSecrets: true, MemoryMarker())
        #expect(secret == (1, 0))
        let plain = try occurrences(containsSecrets: false, MemoryMarker())
        #expect(plain.with > 1 && plain.without > 0, "the search finds what was not zeroed")
    }

    @Test func `P12: a reader of lines leaves no copy of a line in memory`() throws {
        let marker = MemoryMarker()
        #expect(try readLines(marker) == 2)
        #expect(try marker.occurrences() == 0)
    }

    /// Reads two lines, the first of which is the marker, byte by byte.
    private func readLines(_ marker: MemoryMarker) throws -> Int {
        let position = Mutex(0)
        var reader = JSONElementReader(
            source: ByteSource { buffer throws(ByteStreamError) in
                position.withLock { position in
                    guard position < 2 * marker.count else { return 0 }
                    buffer[0] =
                        position < marker.count ? marker[position] : position == marker.count ? 0x0A : 0x78
                    position += 1
                    return 1
                }
            })
        var count = 0
        while try reader.next() != nil { count += 1 }
        return count
    }

    @Test(arguments: [true, false])
    func `P12: a CSV writer zeroes its bytes if they may contain secrets`(containsSecrets: Bool) throws {
        let marker = MemoryMarker()
        var writer = CSVWriter(to: ByteSink { _ in }, containsSecrets: containsSecrets)
        marker.withBytes { bytes in writer.cell(bytes.bindMemory(to: UInt8.self).span) }
        // Writes more than the writer buffers.
        for _ in 0..<100 {
            writer.cell(String(repeating: "x", count: 1_000).utf8Span.span)
            try writer.endRecord()
        }
        try writer.finish()
        #expect(try (marker.occurrences() == 0) == containsSecrets)
    }
}
