import Testing
import Watchdog
import TextLayout

@Suite(.watched) struct ColumnFitTests {
    /// The columns of the standard schema, with an address of 64 columns.
    private static func columns(staying: Set<Int> = []) -> [ColumnFit.Column] {
        [("Username", 10), ("Phone", 9), ("Address", 64), ("Postal code", 5), ("Birthday", 10), ("Revision", 1)]
            .enumerated().map { index, column in
                ColumnFit.Column(
                    heading: column.0, widestCell: column.1, isWhole: index == 5, mustStay: staying.contains(index))
            }
    }

    private static func fit(_ width: Int?, staying: Set<Int> = []) -> ColumnFit {
        ColumnFit(columns(staying: staying), within: width)
    }

    /// The total width of the shown columns and the gaps between them.
    private static func taken(_ fit: ColumnFit) -> Int {
        fit.places.reduce(-ColumnFit.gap) { $0 + $1.width + ColumnFit.gap }
    }

    @Test(arguments: [nil, 1_000, 122])
    func `columns that have room are as wide as their headings and cells`(width: Int?) {
        let fit = Self.fit(width)
        #expect(fit.places.map(\.column) == [0, 1, 2, 3, 4, 5])
        #expect(fit.places.map(\.width) == [10, 9, 64, 11, 10, 8])
        #expect(fit.fallen == [])
    }

    @Test func `the widest column becomes narrower first, and then columns are dropped from the right`() {
        #expect(Self.fit(121).places.map(\.width) == [10, 9, 63, 11, 10, 8])
        #expect(Self.fit(80).places.map(\.width) == [10, 9, 22, 11, 10, 8])
        #expect(Self.fit(70).places.map(\.width) == [10, 9, 12, 11, 10, 8])
        #expect(Self.fit(69).places.map(\.width) == [10, 9, 21, 11, 10])
        #expect(Self.fit(69).fallen == [5])
        #expect(Self.fit(40).places.map(\.width) == [10, 9, 17])
        #expect(Self.fit(40).fallen == [3, 4, 5])
        #expect(Self.fit(20).places.map(\.width) == [10])
    }

    @Test func `columns that are too wide get equal widths, and the remainder goes to the first`() {
        let columns = [30, 40, 5, 50].map { ColumnFit.Column(heading: "", widestCell: $0) }
        #expect(ColumnFit(columns, within: 82).places.map(\.width) == [24, 24, 5, 23])
        #expect(ColumnFit(columns, within: 117).places.map(\.width) == [30, 38, 5, 38])
    }

    @Test func `required columns are kept before columns to their left, and become narrow first`() {
        let fit = Self.fit(40, staying: [4])
        #expect(fit.places.map(\.column) == [0, 1, 4])
        #expect(fit.places.map(\.width) == [10, 9, 10])
        #expect(fit.fallen == [2, 3, 5])
        let narrow = Self.fit(40, staying: [1, 2, 3, 4])
        #expect(narrow.places.map(\.column) == [0, 1, 2, 3, 4])
        #expect(narrow.places.map(\.width) == [7, 7, 6, 6, 6])
        #expect(Self.fit(37, staying: [1, 2, 3, 4]).fallen == [4, 5])
    }

    @Test func `a column of numbers is shown whole or not at all`() {
        let columns = [
            ColumnFit.Column(heading: "Key", widestCell: 10),
            ColumnFit.Column(heading: "N", widestCell: 20, isWhole: true),
        ]
        #expect(ColumnFit(columns, within: 32).places.map(\.width) == [10, 20])
        #expect(ColumnFit(columns, within: 31).places.map(\.width) == [10])
    }

    @Test(arguments: 0...10) func `the first column stays however narrow it is`(width: Int) {
        #expect(Self.fit(width).places.map(\.column) == [0])
        #expect(Self.fit(width).places.map(\.width) == [max(1, width)])
    }

    @Test func `the width of a heading is its display width, and a long heading does not drop its column`() {
        #expect(ColumnFit.Column(heading: "漢字", widestCell: 1).width == 4)
        let long = ColumnFit.Column(heading: "The name of the firm", widestCell: 1)
        #expect((long.width, long.leastWidth) == (20, 12))
    }

    @Test func `there may be no columns`() {
        #expect(ColumnFit([], within: 80).places == [])
        #expect(ColumnFit([], within: 0).fallen == [])
    }

    @Test func `whatever the width, columns are in order, fit, and none is lost`() {
        for width in 1...130 {
            for staying in [[], [5], [2, 3], [1, 2, 3, 4, 5]] {
                let fit = Self.fit(width, staying: Set(staying))
                #expect(Self.taken(fit) <= width)
                #expect(fit.places.map(\.column) == fit.places.map(\.column).sorted())
                #expect(Set(fit.places.map(\.column) + fit.fallen) == Set(0..<6))
                #expect(fit.places.allSatisfy { $0.width >= 1 })
            }
        }
    }
}
