import Testing
import Watchdog
import TextLayout

@Suite(.watched) struct TextTableTests {
    /// A character of very many scalars.
    private static let giant = "e" + String(repeating: "\u{301}", count: 100_000)

    @Test func `cells are aligned by the columns that they take, not by their characters`() {
        var table = TextTable(["Name", "Count", "Remark"], [.left, .right])
        table.add(["漢字", "7", "a"])
        table.add(["e\u{301}", "1,000", nil])
        table.add(["👩‍🚀", "٣", ""])
        #expect(
            table.lines == [
                "Name  Count  Remark", "漢字      7  a", "e\u{301}     1,000  –", "👩‍🚀        ٣",
            ])
        #expect(table.text == table.lines.map { $0 + "\n" }.joined())
    }

    @Test func `a row may have fewer cells than others, and a table may have no headings`() {
        var table = TextTable()
        table.add(["a"])
        table.add(["bbb", "c"])
        #expect(table.lines == ["a", "bbb  c"])
        table.headings = ["1", "2", "3"]
        #expect(table.lines == ["1    2  3", "a", "bbb  c"])
    }

    @Test func `control characters are shown as escapes, in headings too`() {
        var table = TextTable(["a\u{1B}[2J"])
        table.add(["b\nc\u{202E}"])
        #expect(table.lines == [#"a\u{1b}[2J"#, #"b\nc\u{202e}"#])
    }

    @Test(arguments: [
        ("abcd", "abcd"), ("abcde", "abc…"), ("漢字", "漢字"), ("漢字x", "漢…"), ("x漢字", "x漢…"), ("abc漢", "abc…"), ("", ""),
        ("a\nbc", #"a\n…"#), (giant, "…"), ("ab" + giant, "ab…"),
    ])
    func `a cell that is too wide is cut, and ends in an ellipsis`(cell: String, shown: String) {
        var table = TextTable(widestCell: 4)
        table.add([cell])
        #expect(table.lines == [shown])
        #expect(table.lines.allSatisfy { $0.displayWidth <= 4 && $0.unicodeScalars.count <= 64 })
    }

    @Test func `quoted text is cut by scalars, because a character may be as long as the text`() {
        #expect(Self.giant.quoted(longest: 3) == "\"e\u{301}\u{301}\"…")
        #expect("a\"b\\".quoted(longest: 4) == #""a\"b\\""#)
        #expect("a\"b\\".quoted() == #""a\"b\\""#)
    }

    @Test func `a table is fitted into a width, and marks stay visible in shortened cells`() {
        var table = TextTable(["Name", "Address", "Count"], [.left, .left, .right], widestCell: 64)
        let address = "12 Main Street, Upper Northwood"
        table.add([("anna", []), (address, address.ranges(of: "North")), ("7", [])])
        table.add([("bert", []), (nil, []), ("1,000", [])])
        let columns = table.columns(whole: [2])
        #expect(table.text(ColumnFit(columns)) == table.text)
        #expect(
            table.text(ColumnFit(columns, within: 30), marking: ("<", ">")) == """
                Name  Address            Count
                anna  … Upper <North>wood      7
                bert  –                  1,000

                """)
        let narrow = ColumnFit(table.columns(staying: [1]), within: 20)
        #expect(narrow.fallen == [2])
        #expect(table.text(narrow) == "Name  Address\nanna  …per Northwood\nbert  –\n")
    }

    @Test func `a block marks values too`() {
        var block = TextBlock()
        block.add("Name", "Łódź", marks: "Łódź".ranges(of: "ód"))
        block.add("No", nil)
        #expect(block.text(marking: ("<", ">")) == "Name  Ł<ód>ź\nNo    –\n")
    }
}
