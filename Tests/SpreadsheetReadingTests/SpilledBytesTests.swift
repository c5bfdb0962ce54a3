import ProfileTesting
@testable import SpreadsheetReading
import Testing
import Watchdog

@Suite(.watched) struct SpilledBytesTests {
    @Test func `I15: bytes beyond the limit come back from the file, in any order`() throws {
        var random = SeededGenerator(printingSeedOf: "spilled bytes")
        var spilled = SpilledBytes(limit: 1 << 20, folder: "/tmp")
        var expected: [UInt8] = []
        while expected.count < 5 << 20 {
            let bytes = [UInt8](repeating: random.bytes(1..<2)[0], count: Int.random(in: 0...300_000, using: &random))
            bytes.withUnsafeBytes { bytes in #expect(throws: Never.self) { try spilled.append(bytes) } }
            expected += bytes
        }
        #expect(spilled.count == expected.count)
        for _ in 0..<2_000 {
            let start = Int.random(in: 0...expected.count, using: &random)
            let end = min(expected.count, start + Int.random(in: 0...10_000, using: &random))
            var read: [UInt8] = []
            try spilled.read(start..<end) { read += $0 }
            #expect(read == Array(expected[start..<end]), "\(start)..<\(end)")
        }
    }

    @Test func `I15: a million shared texts are found by their numbers`() throws {
        var strings = SharedStrings(keptIn: "/tmp")
        for number in 0..<1_000_000 { try strings.append(Array("text \(number)".utf8)) }
        for number in [0, 1, 77_777, 999_999] {
            var text: [UInt8] = []
            #expect(try strings.appendString(number, to: &text))
            #expect(String(decoding: text, as: UTF8.self) == "text \(number)")
        }
        var text: [UInt8] = []
        #expect(try !strings.appendString(1_000_000, to: &text))
    }
}
