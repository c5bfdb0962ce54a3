import ProfileTesting
import Testing
import Watchdog

/// T6: the screen that results from the output of a program.
@Suite(.watched) struct TerminalScreenTests {
    private func screen(of output: String, size: TerminalSize = TerminalSize(columns: 20, rows: 3)) throws
        -> TerminalScreen
    {
        let driver = try TerminalDriver(["/usr/bin/printf", "%b", output], size: size)
        #expect(try driver.end() == 0)
        return driver.screen
    }

    @Test func `T6: wide characters take two cells, and combining marks none`() throws {
        let screen = try screen(of: "日本|e\u{301}|x")
        #expect(screen.rows[0] == "日本|e\u{301}|x")
        #expect(screen.cells[0][0].text == "日")
        #expect(screen.cells[0][1].text == "")
        #expect(screen.cells[0][5].text == "e\u{301}")
        #expect(screen.position(of: "x") == TerminalScreen.Position(row: 0, column: 7))
        #expect(screen.caret == TerminalScreen.Position(row: 0, column: 8))
    }

    @Test func `T6: attributes and colours are told apart`() throws {
        let screen = try screen(of: #"\033[1;31mred\033[0m \033[7;4mrev\033[0m \033[48;2;1;2;3mrgb\033[0m plain"#)
        #expect(screen.style(of: "red") == TerminalStyle(.bold, foreground: .palette(1)))
        #expect(screen.style(of: "rev") == TerminalStyle([.reverse, .underline]))
        #expect(screen.style(of: "rgb") == TerminalStyle(background: .rgb(red: 1, green: 2, blue: 3)))
        #expect(screen.style(of: "plain") == TerminalStyle())
        #expect(screen.style(of: "absent") == nil)
    }

    @Test func `T6: a screen is described in a frame, with its caret`() throws {
        let screen = try screen(of: "one\\ntwo", size: TerminalSize(columns: 5, rows: 2))
        #expect(screen.description == "┌─────┐\n│one  │\n│two  │\n└─────┘\ncaret in row 2, column 4")
    }

    @Test func `T6: a reference screen is missing until it is recorded, and is compared from then on`() throws {
        let folder = try TemporaryFolder()
        let kept = ReferenceScreens(folder: folder.path + "/Screens", isRecording: false)
        let recorded = ReferenceScreens(folder: folder.path + "/Screens", isRecording: true)
        let one = try screen(of: #"Name: \033[1manna"#)
        let missing = #expect(throws: ReferenceScreenError.self) { try kept.verify(one, is: "one") }
        #expect(missing?.reason == .missing)
        #expect(missing?.description.contains("PROFILES_RECORD_SCREENS=1") == true)
        try recorded.verify(one, is: "one")
        try kept.verify(one, is: "one")
        let other = #expect(throws: ReferenceScreenError.self) {
            try kept.verify(try screen(of: #"Name: \033[1mbert"#), is: "one")
        }
        #expect(other?.description.contains("- Name: anna\n  + Name: bert") == true)

        try recorded.verify(one, is: "styled", includesStyles: true)
        let plain = try screen(of: "Name: anna")
        try kept.verify(plain, is: "one")
        let styled = #expect(throws: ReferenceScreenError.self) {
            try kept.verify(plain, is: "styled", includesStyles: true)
        }
        #expect(styled?.description.contains("- 1:7–10 bold") == true)
    }
}
