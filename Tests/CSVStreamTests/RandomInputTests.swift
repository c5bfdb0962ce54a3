import CSVStream
import FuzzTargets
import ProfileTesting
import Testing
import Watchdog

@Suite("Random input", .watched)
struct RandomInputTests {
    @Test("I1, I13: records written in any dialect are read back the same, in chunks of any size")
    func roundTrip() throws {
        for seed in 0..<UInt64(rounds(150)) {
            var random = SeededGenerator(seed: seed)
            let records = randomRecords(using: &random)
            let delimiter = try #require([CSVDelimiter.comma, .semicolon, .tab, .bar].randomElement(using: &random))
            let lineEnd = try #require(CSVWriter.LineEnd.allCases.randomElement(using: &random))
            var bytes = try written(records, delimiter: delimiter, lineEnd: lineEnd)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes = [0xEF, 0xBB, 0xBF] + bytes
            case 1: bytes = utf16(String(decoding: bytes, as: UTF8.self), bigEndian: .random(using: &random))
            default: break
            }
            let options = CSVOptions(
                delimiter: .character(delimiter), batchBytes: Int.random(in: 1...4000, using: &random))
            for chunk in [1, Int.random(in: 2...200, using: &random)] {
                let rows = try readAll(bytes, options: options, chunk: chunk)
                #expect(rows.map(\.cells) == records, "seed \(seed), chunk \(chunk)")
                #expect(rows.allSatisfy { $0.fault == nil }, "seed \(seed), chunk \(chunk)")
                #expect(rows.map(\.number) == Array(0..<records.count), "seed \(seed)")
            }
        }
    }

    @Test("I3: random bytes are split like the reference splits them")
    func reference() throws {
        for seed in 0..<UInt64(rounds(3000)) {
            var random = SeededGenerator(seed: seed)
            let bytes = randomBytes(using: &random)
            let expected = ReferenceSplitter(bytes: bytes, delimiter: UInt8(ascii: ",")).rows().map { record in
                Row(line: record.line, number: record.number, cells: record.cells, fault: record.fault)
            }
            let options = CSVOptions(batchBytes: Int.random(in: 1...200, using: &random))
            let rows = try readAll(bytes, options: options, chunk: Int.random(in: 1...40, using: &random))
            // The reader splits a faulty line into cells for a person to correct. The reference does not.
            let comparable = rows.map { row in
                row.fault == .unclosedQuote || row.fault == .textAfterQuote
                    ? Row(line: row.line, number: row.number, cells: [], fault: row.fault) : row
            }
            guard comparable != expected else { continue }
            Issue.record("seed \(seed): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
            #expect(comparable == expected)
            return
        }
    }

    @Test("I3: with a limit, rows do not depend on how the bytes arrive, and no row is missing")
    func independentOfChunks() throws {
        for seed in 0..<UInt64(rounds(1500)) {
            var random = SeededGenerator(seed: seed)
            var bytes = randomBytes(using: &random)
            if seed % 8 == 0 { bytes = [0xFF, 0xFE] + bytes }
            let limit = Int.random(in: 1...30, using: &random)
            let whole = try readAll(bytes, options: CSVOptions(maximumRecordBytes: limit))
            for (chunk, batchBytes) in [(1, 1), (1, 1 << 20), (Int.random(in: 2...9, using: &random), 16)] {
                let options = CSVOptions(maximumRecordBytes: limit, batchBytes: batchBytes)
                let rows = try readAll(bytes, options: options, chunk: chunk)
                guard rows != whole else { continue }
                Issue.record("seed \(seed), limit \(limit), chunk \(chunk): \(bytes)")
                #expect(rows == whole)
                return
            }
            #expect(whole.map(\.number) == Array(0..<whole.count), "seed \(seed)")
            #expect(zip(whole, whole.dropFirst()).allSatisfy { $0.line < $1.line }, "seed \(seed)")
            let taken = whole.filter { $0.fault == nil }
            #expect(taken.allSatisfy { $0.cells.reduce(0) { $0 + $1.count } <= limit }, "seed \(seed)")
        }
    }

    private func randomRecords(using random: inout SeededGenerator) -> [[[UInt8]]] {
        let pieces = [
            "a", "Bcd", " ", ",", ";", "\t", "|", "\"", "\"\"", "\n", "\r", "\r\n", "é", "日本", "😀", "\u{FEFF}", "=",
            "'",
            "a run that is longer than a vector",
        ]
        return (0..<Int.random(in: 0...20, using: &random)).map { _ in
            (0..<Int.random(in: 1...6, using: &random)).map { _ in
                (0..<Int.random(in: 0...5, using: &random))
                    .flatMap { _ in pieces.randomElement(using: &random).map { Array($0.utf8) } ?? [] }
            }
        }
    }

    /// Returns random bytes: mostly bytes with a meaning in CSV, and sometimes any others.
    private func randomBytes(using random: inout SeededGenerator) -> [UInt8] {
        let telling = Array("\"\"\"\"\"\",,,\n\n\n\r\rab".utf8)
        let isTame = Bool.random(using: &random)
        var bytes: [UInt8] = (0..<Int.random(in: 0...120, using: &random)).map { _ in
            let isTelling = isTame || Int.random(in: 0..<20, using: &random) > 0
            return isTelling
                ? telling.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            let run = Array(repeating: UInt8(ascii: "x"), count: Int.random(in: 0...40, using: &random))
            bytes.insert(contentsOf: run, at: Int.random(in: 0...bytes.count, using: &random))
        }
        // The reference does not know byte order marks, so the bytes must not begin with one by chance.
        if let first = bytes.first, first >= 0xEF { bytes[0] = UInt8(ascii: "a") }
        return bytes
    }
}
