import Platform
import ProfileTesting
import Testing
import Watchdog

/// T6, with shells as the programs that are driven.
@Suite(.watched) struct TerminalDriverTests {
    private func shell(
        _ script: String, size: TerminalSize = .standard, limit: Duration = .seconds(30)
    ) throws -> TerminalDriver {
        try TerminalDriver(
            ["/bin/bash", "-c", script], environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"], size: size,
            limit: limit)
    }

    @Test func `T6: a program sees a terminal of the size that was asked for`() throws {
        let driver = try shell("test -t 0 -a -t 1 -a -t 2 && stty size < /dev/tty", size: .small)
        #expect(try driver.end() == 0)
        #expect(driver.screen.text == "15 40")
    }

    @Test func `T6: what is typed is there once the screen is still`() throws {
        let driver = try shell("read -r line; echo \"You said: $line\"; read -r line; exit 7")
        // The program has nothing to say at first: a still screen is an empty one.
        try driver.waitUntilStill()
        #expect(driver.screen.text == "")
        try driver.type("héllo\n")
        try driver.waitUntilStill()
        #expect(driver.screen.text == "héllo\nYou said: héllo")
        try driver.type("bye\n")
        #expect(try driver.end() == 7)
    }

    @Test func `T6: a screen is not still while a program computes, nor while one that it has started does`() throws {
        for work in [
            "for ((i = 0; i < 200000; i++)); do :; done", "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'",
        ] {
            let driver = try shell("read -r line; \(work); echo done; read -r line")
            try driver.waitUntilStill()
            try driver.type("go\n")
            try driver.waitUntilStill()
            #expect(driver.screen.text == "go\ndone")
        }
    }

    @Test func `T6: a text is waited for until it is new, not until it is there`() throws {
        let driver = try shell(
            "echo Name; read -r a; echo Name; read -r b; printf '\\033[2J\\033[HName: %s' \"$b\"; read -r c")
        try driver.wait(for: "Name")
        #expect(driver.screen.text == "Name")
        try driver.type("anna\n")
        try driver.wait(for: "Name")
        #expect(driver.screen.text == "Name\nanna\nName")
        try driver.type("bert\n")
        try driver.wait(for: "Name: bert")
        #expect(driver.screen.text == "Name: bert")
    }

    @Test func `T6: a text that has scrolled is not new`() throws {
        let driver = try shell(
            "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done; read -r a; echo more; read -r a; echo line 9; read -r a",
            size: TerminalSize(columns: 20, rows: 5))
        try driver.wait(for: "line 9")
        try driver.type("\n")
        try driver.wait(for: "more")
        try driver.type("\n")
        try driver.wait(for: "line 9")
        #expect(driver.screen.rows.filter { $0 == "line 9" }.count == 1)
        #expect(driver.screen.rows[1] == "more")
    }

    @Test func `T6: a failed wait shows the screen, at its time limit and at the program's end`() throws {
        let waiting = try shell("echo here I am; read -r line", limit: .milliseconds(200))
        let late = #expect(throws: TerminalWaitError.self) { try waiting.wait(for: "there") }
        #expect(late?.exitCode == nil)
        #expect(late?.description.contains("│here I am") == true)
        let ended = try shell("echo so long; exit 3")
        let over = #expect(throws: TerminalWaitError.self) { try ended.wait(for: "there") }
        #expect(over?.exitCode == 3)
        #expect(over?.description.contains("│so long") == true)
    }

    @Test func `T6: keys send what terminals send, in the modes that a program has set`() throws {
        let driver = try shell("stty raw -echo; printf '\\033[?1h\\033[?2004h'; head -c 35 | od -An -c -w64; stty sane")
        try driver.waitUntilStill()
        for key: TerminalKey in [.up, .home, .delete, .backTab, .tab, .enter, .backspace, .control("c"), .escape] {
            try driver.press(key)
        }
        try driver.paste("a\nb")
        try driver.type("é")
        #expect(try driver.end() == 0)
        let text = driver.screen.rows.joined().split(separator: " ").joined(separator: " ")
        #expect(
            text == #"033 O A 033 O H 033 [ 3 ~ 033 [ Z \t \r 177 003 033 033 [ 2 0 0 ~ a \r b 033 [ 2 0 1 ~ 303 251"#)
    }

    @Test func `T6: a changed size reaches the program, and what it draws then is new`() throws {
        let driver = try shell("trap 'stty size' WINCH; echo 24 80; sleep 1000 & while true; do wait; done")
        try driver.wait(for: "24 80")
        driver.resize(.small)
        try driver.wait(for: "15 40")
        #expect(driver.screen.size == .small)
    }

    @Test func `T6: a signal, the echo and the modes left behind are seen`() throws {
        let driver = try shell("stty -echo; printf '\\033[?1049h\\033[?25l'; read -r line")
        try driver.wait { $0.isAlternate }
        #expect(!driver.echoes && !driver.isRestored)
        #expect(driver.screen.caret == nil)
        driver.send(SIGKILL)
        #expect(try driver.end() == 128 + SIGKILL)
        #expect(!driver.isRestored)
        let tidy = try shell("stty -echo; printf '\\033[?1049h\\033[?25l'; stty sane; printf '\\033[?25h\\033[?1049l'")
        #expect(try tidy.end() == 0)
        #expect(tidy.isRestored)
    }

    @Test func `T6: a program that is stopped counts as still, and goes on in the foreground`() throws {
        let driver = try shell("set -m; sh -c 'echo started; kill -TSTP $$; echo again'; echo stopped; read -r a; fg")
        try driver.wait(for: "stopped")
        try driver.type("\n")
        try driver.wait(for: "again")
        #expect(try driver.end() == 0)
    }

    @Test func `T6: output is waited for while a program is busy, and only the last of much is kept`() throws {
        let driver = try shell("echo busy; while true; do :; done")
        try driver.waitForOutput("busy")
        try driver.press(.control("c"))
        #expect(try driver.end() == 130)
        let much = try shell("yes 'all work and no play' | head -c 4000000; echo; echo end")
        #expect(try much.end() == 0)
        #expect(much.transcript.utf8.count <= TerminalDriver.transcriptLimit * 2)
        #expect(much.transcript.hasSuffix("end\r\n"))
    }

    @Test func `T6: more can be typed than a terminal holds at once, to a program that writes as much`() throws {
        let driver = try shell("stty raw -echo; head -c 100000 | tr a b; stty sane; exit 5")
        try driver.waitUntilStill()
        try driver.type(String(repeating: "a", count: 100_000))
        #expect(try driver.end() == 5)
        #expect(driver.transcript.utf8.filter { $0 == UInt8(ascii: "b") }.count == 100_000)
    }
}
