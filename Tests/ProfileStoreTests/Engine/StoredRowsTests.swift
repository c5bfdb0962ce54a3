@testable import ProfileCore
import ProfileStore
import Testing
import Watchdog

@Suite(.watched) struct StoredRowsTests {
    @Test(arguments: [5, 4, Int64.min])
    func `a scan refuses an id that is not above the previous id`(id: Int64) throws {
        var scan = StoreScan(fields: [], mostRows: 10, mostBytes: 10)
        scan.after = 4
        var rows = StoredRows(of: scan)
        try rows.append(Self.row(5))
        #expect(throws: ProfileStoreError.outOfOrder(id, after: 5)) { try rows.append(Self.row(id)) }
        try rows.append(Self.row(6))
        #expect(rows.rows.map(\.id) == [5, 6])
    }

    @Test func `a scan refuses the id that it begins after`() {
        var scan = StoreScan(fields: [], mostRows: 10, mostBytes: 10)
        scan.after = 4
        var rows = StoredRows(of: scan)
        #expect(throws: ProfileStoreError.outOfOrder(4, after: 4)) { try rows.append(Self.row(4)) }
    }

    @Test func `a scan is full at its number of rows or bytes, and not before`() throws {
        var rows = StoredRows(of: StoreScan(fields: [], mostRows: 2, mostBytes: 10))
        try rows.append(Self.row(1))
        #expect(!rows.isFull)
        try rows.append(Self.row(2))
        #expect(rows.isFull)

        let field = FieldRules(name: "x", title: "X")
        rows = StoredRows(of: StoreScan(fields: [field], mostRows: 10, mostBytes: 10))
        let value = "12345"
        for (id, isFull) in [(1, false), (2, true)] as [(Int64, Bool)] {
            try rows.append(Self.row(id))
            rows.append(cell: value.utf8Span.span)
            #expect(rows.isFull == isFull)
        }
    }

    @Test func `rows keep cells of any length, also beyond the memory that a scan reserves`() throws {
        let fields = [FieldRules(name: "x", title: "X"), FieldRules(name: "y", title: "Y")]
        let scan = StoreScan(fields: fields, mostRows: 100, mostBytes: 10)
        let lengths: [Int?] = [3, nil, 0, 1_500, 40, 100_000, nil, nil, 7, 0]
        for var rows in [StoredRows(of: scan), StoredRows(columns: 2, mostBytes: 10)] {
            for (index, length) in lengths.enumerated() {
                if index % 2 == 0 { try rows.append(Self.row(Int64(index + 1))) }
                if let length {
                    rows.append(cell: [UInt8](repeating: UInt8(index + 1), count: length).span)
                } else {
                    rows.appendAbsentCell()
                }
            }
            for (index, length) in lengths.enumerated() {
                let cell = rows.cell(index / 2, index % 2)
                #expect(rows.isAbsent(index / 2, index % 2) == (length == nil))
                let bytes = cell.withUnsafeBufferPointer { Array($0) }
                #expect(bytes == Array(repeating: UInt8(index + 1), count: length ?? 0))
            }
        }
    }

    private static func row(_ id: Int64) -> StoredRows.Row { StoredRows.Row(id: id, judgement: nil, hash: nil) }
}
