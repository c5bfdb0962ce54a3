import ProfileTesting
@testable import TerminalUI
import Testing
import TextLayout
import Watchdog

@Suite(.watched) struct FrameTests {
    private var frame = Frame(ScreenSize(columns: 8, rows: 3))

    @Test func `a joiner that joins nothing is not drawn, and one within a character is`() {
        var frame = Frame(ScreenSize(columns: 12, rows: 1))
        let width = frame.write("ab\u{200D} c👩\u{200D}🚀d", row: 0, column: 0)
        #expect(frame.text == "ab c👩\u{200D}🚀d" && width == 7)
    }

    @Test mutating func `text is written at its place`() {
        #expect(frame.write("ab", row: 1, column: 2, style: .bold) == 2)
        #expect(frame.text == "\n  ab\n")
        #expect(frame[row: 1].dropFirst(2).first == Cell(character: "a", style: .bold))
    }

    @Test(
        arguments: [
            (row: 0, column: 6, width: nil, columns: 2, text: "      ab\n\n"),
            (row: 0, column: -2, width: nil, columns: 6, text: "cdef\n\n"),
            (row: 0, column: -9, width: nil, columns: 6, text: "\n\n"),
            (row: 0, column: 0, width: 3, columns: 3, text: "abc\n\n"),
            (row: 0, column: 0, width: 0, columns: 0, text: "\n\n"),
            (row: 0, column: 0, width: -1, columns: 0, text: "\n\n"),
            (row: 0, column: 5, width: .max, columns: 3, text: "     abc\n\n"),
            (row: 0, column: .min, width: 1, columns: 1, text: "\n\n"),
            (row: 0, column: .min, width: nil, columns: 6, text: "\n\n"),
            (row: 0, column: .max, width: .max, columns: 0, text: "\n\n"),
            (row: -1, column: 0, width: nil, columns: 0, text: "\n\n"),
            (row: .max, column: 0, width: nil, columns: 0, text: "\n\n"),
            (row: 3, column: 0, width: nil, columns: 0, text: "\n\n"),
        ] as [(row: Int, column: Int, width: Int?, columns: Int, text: String)])
    func `text is clipped`(place: (row: Int, column: Int, width: Int?, columns: Int, text: String)) {
        var frame = frame
        #expect(frame.write("abcdef", row: place.row, column: place.column, width: place.width) == place.columns)
        #expect(frame.text == place.text)
    }

    @Test mutating func `a wide character is not split by an edge`() {
        #expect(frame.write("漢字", row: 0, column: 5) == 2)
        #expect(frame.write("漢字", row: 1, column: 0, width: 3) == 2)
        #expect(frame.write("漢字", row: 2, column: -1) == 4)
        #expect(frame.text == "     漢\n漢\n 字")
    }

    @Test mutating func `half of a wide character does not stay`() {
        frame.write("漢字", row: 0, column: 0)
        frame.write("x", row: 0, column: 1)
        #expect(frame.text == " x字\n\n")
        frame.write("x", row: 0, column: 2)
        #expect(frame.text == " xx\n\n")
        frame.write("漢字", row: 1, column: 0)
        frame.write("字", row: 1, column: 1)
        #expect(frame.text == " xx\n 字\n")
    }

    @Test mutating func `control characters are shown as symbols`() {
        #expect(frame.write("\u{1B}[m\t\r\n\u{7F}\u{85}\u{202E}", row: 0, column: 0) == 8)
        #expect(frame.text == "␛[m␉␍␡\u{FFFD}\u{FFFD}\n\n")
    }

    @Test mutating func `invisible characters are left out`() {
        #expect(frame.write("a\u{200B}\u{FEFF}b", row: 0, column: 0) == 2)
        #expect(frame.text == "ab\n\n")
    }

    @Test func `a size is within bounds`() {
        let size = ScreenSize(columns: .max, rows: .min)
        #expect(size == ScreenSize(columns: 1_000, rows: 0))
        var frame = Frame(size)
        #expect(frame.write("a", row: 0, column: 0) == 0)
        #expect(frame.text == "")
    }

    @Test func `random writing keeps wide characters whole`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("Frame fuzz seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        var frame = frame
        for _ in 0..<rounds(3_000) {
            frame.writeRandomly(&random)
            for row in 0..<frame.size.rows {
                let cells = Array(frame[row: row])
                for (column, cell) in cells.enumerated() {
                    let isSecond = column > 0 && cells[column - 1].character?.displayWidth == 2
                    #expect((cell.character == nil) == isSecond, "seed \(seed)")
                }
                #expect(cells.last?.character?.displayWidth != 2, "seed \(seed)")
            }
        }
    }
}

extension Frame {
    /// Writes a random text at a random place, in and around the screen.
    mutating func writeRandomly(_ random: inout SeededGenerator, characters: [String] = Self.characters) {
        let text = (0..<Int.random(in: 0...6, using: &random))
            .map { _ in characters.randomElement(using: &random) ?? "" }.joined()
        write(
            text, row: Int.random(in: 0...size.rows, using: &random),
            column: Int.random(in: -3...size.columns, using: &random),
            style: Style(rawValue: UInt8.random(in: 0...127, using: &random)),
            width: Bool.random(using: &random) ? Int.random(in: 0...6, using: &random) : nil)
    }

    static let characters = [
        "a", "b", " ", "é", "e\u{301}", "漢", "字", "한", "─", "•", "\t", "👍", "👩‍🚀", "❤\u{FE0F}", "\u{200B}",
    ]
}
