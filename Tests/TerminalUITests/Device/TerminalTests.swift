import Platform
import Testing
import Watchdog

@testable import TerminalUI

/// Terminals on pseudo-terminals. The tests run one at a time, because a process can have only one screen.
@Suite(.serialized, .watched) struct TerminalTests {
    private let outside: PseudoTerminal

    init() throws { outside = try PseudoTerminal() }

    private func open(usesColor: Bool = true) throws -> Terminal {
        try Terminal.open(path: outside.path, usesColor: usesColor)
    }

    private func frame(_ text: String, _ size: ScreenSize) -> Frame {
        var frame = Frame(size)
        frame.write(text, row: 0, column: 0)
        return frame
    }

    @Test func `a terminal is given back as it was`() throws {
        let terminal = try open()
        #expect(outside.isRaw)
        terminal.draw(frame("hello", terminal.size))
        try outside.wait(for: "\u{1B}[?1049h")
        try outside.wait(for: "\u{1B}[?2004h")
        try outside.wait(for: "hello")
        let screen = EmulatedScreen(columns: 40, rows: 10)
        screen.write("before")
        screen.write(outside.output)
        #expect(screen.isAlternate)
        #expect(screen.cell(row: 0, column: 1).text == "e")
        terminal.close()
        #expect(outside.isCooked)
        try outside.wait(for: "\u{1B}[?2004l")
        try outside.wait(for: "\u{1B}[?1049l")
        screen.write(outside.output)
        #expect(!screen.isAlternate)
        #expect(screen.isCursorVisible)
        #expect(screen.cell(row: 0, column: 0).text == "b")
    }

    @Test func `the mouse is reported only on request, and its reports end when the terminal is closed`() throws {
        var terminal = try open()
        outside.readWhatIsThere()
        #expect(!String(decoding: outside.output, as: UTF8.self).contains("[?1002h"))
        terminal.close()
        terminal = try Terminal.open(path: outside.path, usesColor: true, usesMouse: true)
        try outside.wait(for: "\u{1B}[?1002h\u{1B}[?1006h")
        terminal.close()
        try outside.wait(for: "\u{1B}[?1006l\u{1B}[?1002l")
    }

    @Test(arguments: [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("Łódź\u{1B}\t1", "xYHDs2TFuhsJMQ==")])
    func `a text for the clipboard is written as base64, and draws nothing`(text: String, base64: String) throws {
        let terminal = try open()
        terminal.copy(text)
        try outside.wait(for: "\u{1B}]52;c;\(base64)\u{7}")
        terminal.close()
        terminal.copy("later")
        outside.readWhatIsThere()
        #expect(!String(decoding: outside.output, as: UTF8.self).contains("bGF0ZXI"))
    }

    @Test func `a terminal without references is restored`() throws {
        var terminal: Terminal? = try open()
        #expect(terminal != nil && outside.isRaw)
        terminal = nil
        #expect(outside.isCooked)
    }

    @Test func `nothing is drawn twice, nor after closing`() throws {
        let terminal = try open()
        terminal.draw(frame("hello", terminal.size))
        try outside.wait(for: "\u{1B}[?2026l")
        outside.readWhatIsThere()
        let count = outside.output.count
        terminal.draw(frame("hello", terminal.size))
        terminal.draw(frame("hallo", terminal.size))
        try outside.wait(for: "\u{1B}[?2026l")
        #expect(
            String(decoding: outside.output[count...], as: UTF8.self)
                == "\u{1B}[?2026h\u{1B}[?25l\u{1B}[1;2Ha\u{1B}[?2026l")
        terminal.close()
        terminal.close()
        terminal.draw(frame("late", terminal.size))
        terminal.suspend()
        outside.readWhatIsThere()
        #expect(!String(decoding: outside.output, as: UTF8.self).contains("late"))
    }

    @Test func `keys arrive as they are typed`() async throws {
        let terminal = try open()
        defer { terminal.close() }
        var events = terminal.events.makeAsyncIterator()
        for (bytes, keys) in [
            ("a", [.character("a")]), ("\u{3}", [.control("c")]), ("\u{1A}", [.control("z")]), ("\r", [.enter]),
            ("\u{1B}[A", [.up]), ("\u{1B}", [.escape]), ("漢e\u{301}", [.character("漢"), .character("e\u{301}")]),
            ("\u{1B}[200~a\rb\u{1B}[201~", [.paste("a\nb")]), ("\u{13}\u{11}", [.control("s"), .control("q")]),
        ] as [(String, [Key])] {
            outside.type(bytes)
            for key in keys { #expect(await events.next() == .key(key)) }
        }
    }

    @Test func `a paste longer than any buffer arrives whole`() async throws {
        let terminal = try open()
        defer { terminal.close() }
        var events = terminal.events.makeAsyncIterator()
        let text = String((0..<40_000).map { "abcdefghij"["abcdefghij".index("a".startIndex, offsetBy: $0 % 10)] })
        outside.type("\u{1B}[200~\(text)\u{1B}[201~x")
        #expect(await events.next() == .key(.paste(text)))
        #expect(await events.next() == .key(.character("x")))
    }

    @Test func `a paste whose end never comes is given up after a while`() async throws {
        let terminal = try open()
        defer { terminal.close() }
        var events = terminal.events.makeAsyncIterator()
        outside.type("\u{1B}[200~abc")
        #expect(await events.next() == .key(.paste("abc")))
        outside.type("x\u{1B}[200~def\u{3}")
        for key in [.character("x"), .paste("def"), .control("c")] as [Key] {
            #expect(await events.next() == .key(key))
        }
    }

    @Test(.alone) func `another size is reported and the next frame drawn in full`() async throws {
        let terminal = try open()
        defer { terminal.close() }
        #expect(terminal.size == ScreenSize(columns: 40, rows: 10))
        terminal.draw(frame("hello", terminal.size))
        try outside.wait(for: "hello")
        var events = terminal.events.makeAsyncIterator()
        outside.resize(columns: 60, rows: 12)
        // The kernel signals only the foreground job of a controlling terminal, so the test sends the signal itself.
        kill(getpid(), SIGWINCH)
        #expect(await events.next() == .resized(ScreenSize(columns: 60, rows: 12)))
        terminal.draw(frame("hello", terminal.size))
        try outside.wait(for: "\u{1B}[2J")
        try outside.wait(for: "hello")
    }

    @Test func `a terminal without a size has 80 columns and 24 rows`() throws {
        outside.resize(columns: 0, rows: 0)
        let terminal = try open()
        defer { terminal.close() }
        #expect(terminal.size == ScreenSize(columns: 80, rows: 24))
    }

    @Test func `a window that is closed ends the events`() async throws {
        let terminal = try open()
        var events = terminal.events.makeAsyncIterator()
        outside.hangUp()
        #expect(await events.next() == .closed)
        #expect(await events.next() == nil)
        terminal.draw(frame("nobody", terminal.size))
        terminal.close()
    }

    @Test func `closing ends the events`() async throws {
        let terminal = try open()
        let events = terminal.events
        terminal.close()
        for await event in events { Issue.record("\(event)") }
    }

    @Test func `there is one screen at a time`() throws {
        let terminal = try open()
        #expect(throws: TerminalError.alreadyOpen) { try open() }
        #expect(outside.isRaw)
        terminal.close()
        let next = try open()
        #expect(outside.isRaw)
        next.close()
        #expect(outside.isCooked)
    }

    @Test func `a path that is not a terminal is refused`() {
        #expect(throws: TerminalError.cannotConfigure(code: ENOTTY)) {
            try Terminal.open(path: "/dev/null", usesColor: true)
        }
        #expect(throws: TerminalError.cannotOpen(code: ENOENT)) {
            try Terminal.open(path: "/nowhere", usesColor: true)
        }
    }

    @Test func `a slow terminal gets everything`() async throws {
        let terminal = try open()
        let size = terminal.size
        let drawing = Task.detached {
            for round in 0..<300 {
                var frame = Frame(size)
                for row in 0..<size.rows {
                    frame.write(String(repeating: round % 2 == 0 ? "x" : "漢", count: 40), row: row, column: 0)
                }
                terminal.draw(frame)
            }
            terminal.draw(Frame(size))
            var last = Frame(size)
            last.write("the-end", row: 9, column: 3)
            terminal.draw(last)
        }
        try outside.wait(for: "the-end")
        await drawing.value
        terminal.close()
        outside.readWhatIsThere()
        let screen = EmulatedScreen(columns: 40, rows: 10)
        screen.write(outside.output.split(separator: Array("\u{18}".utf8), maxSplits: 1).first.map(Array.init) ?? [])
        #expect((0..<40).map { screen.cell(row: 9, column: $0).text }.joined().hasPrefix("   the-end  "))
        #expect(screen.cell(row: 0, column: 0).text == " ")
    }

    @Test func `a blocked terminal does not prevent a screen from closing`() async throws {
        let terminal = try open()
        let size = terminal.size
        let drawing = Task.detached {
            for round in 0..<1_000 {
                var frame = Frame(size)
                for row in 0..<size.rows {
                    frame.write(String(repeating: round % 2 == 0 ? "x" : "y", count: 40), row: row, column: 0)
                }
                terminal.draw(frame)
            }
        }
        // The output is not read, so after some frames the terminal is full.
        terminal.close()
        await drawing.value
        #expect(outside.isCooked)
    }
}
