@testable import CSVStream
import Testing
import Watchdog

@Suite("Batches of records", .watched)
struct RecordBatchTests {
    @Test func `a batch is filled by hand, and an absent cell is not an empty one`() {
        var batch = RecordBatch()
        batch.beginRecord(line: 7, number: 3)
        batch.appendCell("ab".utf8Span.span)
        batch.appendCell("".utf8Span.span)
        batch.appendAbsentCell()
        batch.endRecord()
        batch.beginRecord(line: 9, number: 4)
        batch.appendCell("é".utf8Span.span)
        batch.endRecord(fault: .badEncoding)

        #expect(
            batch.records == [
                RecordBatch.Record(line: 7, number: 3, cells: 0..<3, fault: nil),
                RecordBatch.Record(line: 9, number: 4, cells: 3..<4, fault: .badEncoding),
            ])
        #expect(batch.rows.map(\.texts) == [["ab", "", ""], ["é"]])
        #expect((0..<4).map { batch.isAbsent($0) } == [false, false, true, false])
        #expect(batch.byteCount == 4)

        batch.removeAll()
        #expect(batch.records.isEmpty && batch.cellCount == 0 && batch.byteCount == 0)
    }

    @Test func `cells survive the growth of the buffer`() {
        var batch = RecordBatch()
        for number in 1...2000 {
            batch.beginRecord(line: number, number: number)
            batch.appendCell("cell \(number)".utf8Span.span)
            batch.endRecord()
        }
        #expect(batch.rows.map(\.texts) == (1...2000).map { ["cell \($0)"] })
    }

    @Test("P12: a batch with secrets zeroes them, also in the bytes after its last record")
    func zeroes() throws {
        let text = Array("name,secret\nx,hunter2\ny,\"hun\"\"ter3\"\nz,hunter4".utf8)
        for containsSecrets in [true, false] {
            var batch = RecordBatch(containsSecrets: containsSecrets)
            var reader = CSVReader(source: .bytes(text))
            // The batch has held the whole input, and has given back the bytes after the header.
            #expect(try reader.header(into: &batch))
            batch.removeAll()
            let isZero = UnsafeRawBufferPointer(start: batch.bytes.base, count: batch.bytes.capacity).allSatisfy {
                $0 == 0
            }
            #expect(isZero == containsSecrets)
            #expect(try reader.next(into: &batch))
            #expect(batch.rows.map(\.texts) == [["x", "hunter2"], ["y", "hun\"ter3"], ["z", "hunter4"]])
        }
    }

    @Test func `a batch can be handed to another thread and back`() async throws {
        var batch = RecordBatch()
        var reader = CSVReader(source: .bytes(Array("a\nb".utf8)))
        #expect(try reader.next(into: &batch))
        let counted = await count(batch)
        #expect(counted == 2)
    }

    @concurrent
    private func count(_ batch: consuming RecordBatch) async -> Int { batch.records.count }
}
