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

    private static func row(_ id: Int64) -> StoredRows.Row { StoredRows.Row(id: id, judgement: nil, hash: nil) }
}
