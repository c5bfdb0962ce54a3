import CSVStream
import InputFixtures
import Platform
import Testing
import Watchdog

@Suite("I1: a file of 36 columns", .watched) struct MemberRegisterTests {
    @Test("I1: every cell of a generated file is read as it was generated", arguments: 0..<5 as Range<UInt64>)
    func generated(seed: UInt64) throws {
        let register = MemberRegister(seed: seed)
        let rows = try readAll(register.bytes, options: CSVOptions(delimiter: .automatic(), batchBytes: 10_000))
        #expect(rows.map(\.texts) == [MemberRegister.header] + register.rows)
        #expect(rows.allSatisfy { $0.fault == nil })
        #expect(Set(register.values(of: "bioguide_id")).count == 537)
        #expect(try readAll(written(rows.map(\.cells))).map(\.cells) == rows.map(\.cells))
    }

    @Test func `I1: the same seed makes the same file, and it is as odd as a real one`() {
        let register = MemberRegister()
        #expect(register.bytes == MemberRegister().bytes)
        #expect(register.bytes != MemberRegister(seed: 10).bytes)
        let cells = register.rows.flatMap(\.self)
        #expect(cells.contains { $0.contains("\"") } && cells.contains { $0.contains(",") } && cells.contains(""))
        #expect(cells.contains { cell in cell.unicodeScalars.contains { !$0.isASCII } })
    }

    @Test("I1: the real file has 537 records of 36 cells", SharedData.isThere(SharedData.legislators))
    func real() throws {
        let descriptor = try open(#require(SharedData.legislators), O_RDONLY)
        defer { close(descriptor) }
        let rows = try readAll(.descriptor(descriptor), options: CSVOptions(batchBytes: 10_000))
        #expect(rows.count == 538)
        #expect(rows.first?.texts == MemberRegister.header)
        #expect(rows.allSatisfy { $0.fault == nil && $0.cells.count == 36 })
        #expect(Set(rows.dropFirst().map { $0.texts[24] }).count == 537, "bioguide_id is unique")

        let records = rows.map(\.cells)
        #expect(try readAll(written(records)).map(\.cells) == records)
    }
}
