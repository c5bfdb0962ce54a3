import CSVStream
import FuzzTargets
import ProfileTesting
import Testing
import Watchdog

@Suite("Lines of a file that are no records", .watched) struct SkippedLinesTests {
    /// Returns the rows. Checks that they do not depend on the sizes of batches and chunks.
    private func rows(
        _ text: String, skipping lines: Int = 0, comment: Character? = nil, hasHeader: Bool = true,
        delimiter: CSVOptions.Delimiter = .automatic()
    ) throws -> [Row] {
        func read(_ batchBytes: Int, _ chunk: Int) throws -> [Row] {
            try readAll(
                text,
                options: CSVOptions(
                    delimiter: delimiter, batchBytes: batchBytes, skippedLines: lines, comment: comment?.asciiValue,
                    hasHeader: hasHeader), chunk: chunk)
        }
        let whole = try read(1 << 20, .max)
        for batchBytes in [1, 7, 1 << 20] {
            for chunk in [1, 2, 5] { #expect(try read(batchBytes, chunk) == whole) }
        }
        return whole
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `I1: skipped lines may hold anything, and lines keep their numbers`(end: String) throws {
        let text = ["Report, \"as of", "", "\"\" ,,; ;;;;;", "a;b", "1;2"].joined(separator: end)
        let found = try rows(text, skipping: 3)
        #expect(found.map(\.texts) == [["a", "b"], ["1", "2"]])
        #expect(found.map(\.line) == [4, 5])
        #expect(found.map(\.number) == [0, 1])
    }

    @Test func `I1: nothing is left if all lines are skipped`() throws {
        for text in ["", "a", "a,b\n1,2\n", "a,b\n1,2"] { #expect(try rows(text, skipping: 2) == []) }
        #expect(try rows("a,b\n1,2\n3,4", skipping: 2).map(\.texts) == [["3", "4"]])
    }

    @Test func `I1: lines above the table do not decide the delimiter`() throws {
        let title = "List, of, all, members\nas, of, this, year\n"
        #expect(try rows(title + "a;b,c\n1;2,5\n", skipping: 2).map(\.cells.count) == [2, 2])
        #expect(try rows("# one, two, three\n#\na;b,c\n1;2,5\n#x,y\n", comment: "#").map(\.cells.count) == [2, 2])
    }

    @Test func `I1: the delimiter of a long file is found behind skipped lines that are longer than a batch`() throws {
        let title = String(repeating: "a, b, c, ", count: 20_000) + "\n"
        let found = try readAll(title + "a|b\n1|2\n", options: CSVOptions(delimiter: .automatic(), skippedLines: 1))
        #expect(found.map(\.texts) == [["a", "b"], ["1", "2"]])
        #expect(found.map(\.line) == [2, 3])
    }

    @Test func `I1: a line that declares the delimiter counts as a line, and applies even if it is skipped`() throws {
        for skipped in [0, 1] { #expect(try rows("sep=|\na|b;c\n", skipping: skipped).map(\.texts) == [["a", "b;c"]]) }
        #expect(try rows("sep=|\nTitle\na|b\n", skipping: 2).map(\.texts) == [["a", "b"]])
        // A later line declares nothing.
        let later = try rows("Title\nsep=|\na,b\n", skipping: 1, delimiter: .character(.comma))
        #expect(later.map(\.texts) == [["sep=|"], ["a", "b"]])
    }

    @Test func `I1: a comment begins where a record would begin, and not inside quotes`() throws {
        let text = "# first\na,b\n#1,2\n\"x\n#y\",#3\n  #4,5\n\"#6\",7\n#\n#last"
        let found = try rows(text, comment: "#", delimiter: .character(.comma))
        #expect(found.map(\.texts) == [["a", "b"], ["x\n#y", "#3"], ["  #4", "5"], ["#6", "7"]])
        #expect(found.map(\.line) == [2, 4, 6, 7])
        #expect(try rows(text, delimiter: .character(.comma)).count == 8)
    }

    @Test func `I1: a comment may have a quote, and is no blank line`() throws {
        var reader = CSVReader(
            options: CSVOptions(comment: UInt8(ascii: "#")), source: .bytes(Array("a,b\n1,2\n#\"x\n3,4\n\n5,6\n".utf8)))
        var batch = RecordBatch()
        #expect(try reader.next(into: &batch))
        #expect(batch.rows.map(\.line) == [1, 2, 4, 6])
        let (blankLines, strayQuotes) = (batch.blankLines, batch.strayQuotes)
        #expect(blankLines.count == 1 && blankLines.firstLine == 5 && strayQuotes.count == 0)
        #expect(batch.rows.allSatisfy { $0.fault == nil })
    }

    @Test func `I1: without a header the first record is record 1`() throws {
        #expect(try rows("1,2\n3,4\n", hasHeader: false).map(\.number) == [1, 2])
    }

    @Test func `Short records are padded, and others stay as they are`() throws {
        var reader = CSVReader(source: .bytes(Array("a,b,c\n1\n1,2,3\n1,2,3,4\n\"x\n".utf8)))
        var batch = RecordBatch()
        #expect(try reader.next(into: &batch))
        batch.pad(to: 3)
        #expect(
            batch.rows.map(\.texts) == [
                ["a", "b", "c"], ["1", "", ""], ["1", "2", "3"], ["1", "2", "3", "4"], ["\"x"],
            ])
        #expect(batch.rows.map(\.line) == [1, 2, 3, 4, 5])
        let hasAbsentCells = batch.hasAbsentCells
        #expect(!hasAbsentCells)
    }

    @Test func `I1: random files are read as the plain reference reads them`() throws {
        for seed in 0..<UInt64(rounds(2000)) {
            var random = SeededGenerator(seed: seed)
            let alphabet = Array("#,;\"a\n\r ".utf8)
            let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
                alphabet[Int.random(in: alphabet.indices, using: &random)]
            }
            let skipped = Int.random(in: 0..<4, using: &random)
            let comment: UInt8? = Bool.random(using: &random) ? UInt8(ascii: "#") : nil
            let expected = ReferenceSplitter(
                bytes: bytes, delimiter: UInt8(ascii: ","), skippedLines: skipped, comment: comment
            ).rows()
            let found = try readAll(
                bytes,
                options: CSVOptions(
                    batchBytes: Int.random(in: 1...70, using: &random), skippedLines: skipped, comment: comment),
                chunk: Int.random(in: 1...9, using: &random))
            let isSame =
                found.map(\.line) == expected.map(\.line) && found.map(\.fault) == expected.map(\.fault)
                && zip(found, expected).allSatisfy { $1.fault != nil || $0.cells == $1.cells }
            #expect(isSame, "seed \(seed): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
        }
    }
}
