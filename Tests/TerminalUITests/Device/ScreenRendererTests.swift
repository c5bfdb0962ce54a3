import ProfileTesting
@testable import TerminalUI
import Testing
import TextLayout
import Watchdog

@Suite(.watched) struct ScreenRendererTests {
    private let size = ScreenSize(columns: 12, rows: 4)

    @Test func `a frame that is already shown causes no output`() {
        var frame = Frame(size)
        frame.write("abc", row: 0, column: 0)
        #expect(ScreenRenderer.bytes(from: frame, to: frame, usesColor: true).isEmpty)
    }

    @Test func `only what changed is written, between hiding and showing the cursor`() {
        var before = Frame(size)
        before.write("Name: Ann", row: 1, column: 0)
        before.caret = ScreenPosition(row: 1, column: 9)
        var after = before
        after.write("a", row: 1, column: 9)
        after.caret = ScreenPosition(row: 1, column: 10)
        #expect(
            text(from: before, to: after)
                == "\u{1B}[?2026h\u{1B}[?25l\u{1B}[2;10Ha\u{1B}[2;11H\u{1B}[?25h\u{1B}[?2026l")
    }

    @Test func `without a frame before, or with one of another size, everything is drawn`() {
        var frame = Frame(size)
        frame.write("a", row: 0, column: 0)
        let full = "\u{1B}[?2026h\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1Ha\u{1B}[?2026l"
        #expect(text(from: nil, to: frame) == full)
        #expect(text(from: Frame(ScreenSize(columns: 12, rows: 5)), to: frame) == full)
    }

    @Test func `colours are left out where they are not wanted, other styles are not`() {
        var frame = Frame(size)
        frame.write("a", row: 0, column: 0, style: [.error, .bold])
        frame.write("b", row: 0, column: 1, style: [.reverse, .success, .underline, .dim, .accent])
        let plain = String(decoding: ScreenRenderer.bytes(from: nil, to: frame, usesColor: false), as: UTF8.self)
        #expect(plain.contains("\u{1B}[0;1ma\u{1B}[0;2;4;7mb\u{1B}[0m"))
        #expect(text(from: nil, to: frame).contains("\u{1B}[0;1;31ma\u{1B}[0;2;4;7;32;36mb\u{1B}[0m"))
    }

    @Test func `a caret outside the screen is hidden`() {
        for (row, column) in [(-1, 0), (0, -1), (4, 0), (0, 12), (Int.max, Int.min)] {
            var frame = Frame(size)
            frame.caret = ScreenPosition(row: row, column: column)
            #expect(!text(from: nil, to: frame).contains("?25h"))
        }
    }

    @Test func `after a character of doubtful width, the rest of its row is drawn again`() {
        var before = Frame(size)
        before.write("👩‍🚀 abc", row: 0, column: 0)
        var after = before
        after.write("👨‍🚀", row: 0, column: 0)
        let screen = EmulatedScreen(columns: size.columns, rows: size.rows)
        screen.write("\u{1B}[?7l")
        screen.write(ScreenRenderer.bytes(from: nil, to: before, usesColor: true))
        screen.write(ScreenRenderer.bytes(from: before, to: after, usesColor: true))
        // This emulator draws the man and the rocket as two characters.
        #expect((3..<6).map { screen.cell(row: 0, column: $0).text } == ["a", "b", "c"])
    }

    @Test func `a character of doubtful width does not reach into the next row`() {
        var frame = Frame(size)
        frame.write("👩‍🚀", row: 3, column: 10)
        frame.write("top", row: 0, column: 0)
        let screen = EmulatedScreen(columns: size.columns, rows: size.rows)
        screen.write("\u{1B}[?7l")
        screen.write(ScreenRenderer.bytes(from: nil, to: frame, usesColor: true))
        #expect(screen.cell(row: 0, column: 0).text == "t")
        #expect(screen.cell(row: 3, column: 10).text == "👩")
    }

    @Test func `drawing only the changes gives the same screen as drawing everything`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("ScreenRenderer fuzz seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<rounds(60) {
            let screen = EmulatedScreen(columns: size.columns, rows: size.rows)
            screen.write("\u{1B}[?7l")
            var shown: Frame?
            for _ in 0..<20 {
                var frame = shown ?? Frame(size)
                for _ in 0..<Int.random(in: 1...3, using: &random) { frame.writeRandomly(&random) }
                frame.caret =
                    Bool.random(using: &random)
                    ? ScreenPosition(
                        row: Int.random(in: 0..<4, using: &random), column: Int.random(in: 0..<12, using: &random))
                    : nil
                screen.write(ScreenRenderer.bytes(from: shown, to: frame, usesColor: true))
                shown = frame
                let fresh = EmulatedScreen(columns: size.columns, rows: size.rows)
                fresh.write("\u{1B}[?7l")
                fresh.write(ScreenRenderer.bytes(from: nil, to: frame, usesColor: true))
                if let index = zip(screen.cells, fresh.cells).enumerated().first(where: { $1.0 != $1.1 })?.offset {
                    Issue.record(
                        "seed \(seed), cell \(index): \(screen.cells[index]), not \(fresh.cells[index])\n\(frame.text)")
                    return
                }
                #expect(screen.isCursorVisible == (frame.caret != nil), "seed \(seed)")
                if let caret = frame.caret { #expect(screen.cursor == (caret.row, caret.column), "seed \(seed)") }
                if frame.cells.allSatisfy({ $0.character?.hasCertainWidth ?? true }) {
                    expect(screen, shows: frame, seed)
                }
            }
        }
    }

    @Test func `the emulator shows the frame's cells`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("ScreenRenderer cells seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        var shown: Frame?
        let screen = EmulatedScreen(columns: size.columns, rows: size.rows)
        for _ in 0..<rounds(300) {
            var frame = shown ?? Frame(size)
            frame.writeRandomly(&random, characters: ["a", "b", " ", "é", "漢", "字", "한", "─", "•", "\t"])
            screen.write(ScreenRenderer.bytes(from: shown, to: frame, usesColor: true))
            shown = frame
            expect(screen, shows: frame, seed)
        }
    }

    private func expect(_ screen: EmulatedScreen, shows frame: Frame, _ seed: UInt64) {
        for row in 0..<size.rows {
            for (column, cell) in frame[row: row].enumerated() {
                guard let character = cell.character else { continue }
                let shown = screen.cell(row: row, column: column)
                let color = [(Style.accent, 6), (.success, 2), (.error, 1)].first { cell.style.contains($0.0) }?.1
                #expect(
                    shown
                        == EmulatedScreen.Cell(
                            text: String(character), width: character.displayWidth, isBold: cell.style.contains(.bold),
                            isUnderlined: cell.style.contains(.underline), isReverse: cell.style.contains(.reverse),
                            color: color),
                    "seed \(seed), row \(row), column \(column)\n\(frame.text)")
            }
        }
    }

    private func text(from before: Frame?, to after: Frame) -> String {
        String(decoding: ScreenRenderer.bytes(from: before, to: after, usesColor: true), as: UTF8.self)
    }
}
