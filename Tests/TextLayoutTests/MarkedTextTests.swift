import Testing
import Watchdog
import TextLayout

@Suite(.watched) struct MarkedTextTests {
    /// A text with brackets around every occurrence of `wanted`, shortened to `columns` if it is not nil.
    private static func marked(_ text: String, _ wanted: String, upTo columns: Int? = nil) -> String {
        let marks = text.ranges(of: wanted)
        let marked = columns.map { MarkedText(text, marks: marks, upTo: $0) } ?? MarkedText(text, marks: marks)
        return marked.text(from: "[", to: "]")
    }

    @Test func `marks stand around what is marked, in the form that is safe to show`() {
        #expect(Self.marked("banana", "an") == "b[anan]a")
        #expect(Self.marked("a\nb\tc", "b\t") == #"a\n[b\t]c"#)
        #expect(Self.marked("12 Main St", "X") == "12 Main St")
    }

    @Test func `a mark is never drawn between a letter and its accent`() {
        let text = "cafe\u{301}s"
        let scalars = text.unicodeScalars
        let letter = scalars.index(scalars.startIndex, offsetBy: 3)
        let accent = scalars.index(after: letter)
        for mark in [letter..<accent, accent..<scalars.index(after: accent)] {
            #expect(MarkedText(text, marks: [mark]).text(from: "[", to: "]") == "caf[e\u{301}]s")
        }
    }

    @Test(arguments: [
        ("a house X", 9, "a house [X]"), ("X and the others", 9, "[X] and th…"),
        ("a b X d e f g h i", 8, "a b [X] d…"),
        ("one two three four five six X seven eight nine", 16, "…e six [X] seven …"),
        ("one two three four five six X", 16, "…four five six [X]"),
        ("one two three four five six X y", 16, "…ur five six [X] y"),
        ("漢字漢字漢字漢字漢字X漢字漢字漢字", 10, "…字[X]漢字…"),
    ])
    func `a text that is too wide is cut so that its first mark is seen`(text: String, columns: Int, shown: String) {
        #expect(Self.marked(text, "X", upTo: columns) == shown)
    }

    @Test func `a mark that is wider than the room is seen from its start`() {
        #expect(Self.marked("aaaaaaaaaaXXXXXXXXXXXXaaaaaaaa", "XXXXXXXXXXXX", upTo: 8) == "…[XXXXXX]…")
        #expect(Self.marked("XXXXXXXXXXXX", "XXXXXXXXXXXX", upTo: 8) == "[XXXXXX]…")
    }

    @Test func `at any width, the mark is seen, and the text fits`() {
        for length in [0, 1, 5, 40, 900] {
            for columns in 5...40 {
                let text = String(repeating: "a", count: length) + "X" + String(repeating: "b", count: 30)
                let cut = MarkedText(text, marks: text.ranges(of: "X"), upTo: columns)
                #expect(cut.text(from: "[", to: "]").contains("[X]"), "\(length), \(columns): \(cut.text)")
                #expect(cut.displayWidth <= columns)
                #expect(cut.cut(to: 5).text(from: "[", to: "]").contains("[X]"), "\(length), \(columns): \(cut.text)")
            }
        }
    }

    @Test func `only little of a long text, or of a very long character, is kept`() {
        let giant = String(repeating: "a", count: 100_000) + "e" + String(repeating: "\u{301}", count: 100_000)
        let cut = MarkedText(giant + "X", marks: (giant + "X").ranges(of: "X"), upTo: 8)
        #expect(cut.text.contains("X") && cut.text.unicodeScalars.count <= 160)
    }
}
