import Platform
import ProfileTesting
import Testing
import Watchdog

/// The terminal after a process of our own has ended or stopped in some way.
@Suite(.watched) struct TerminalRestorationTests {
    @Test func `closing restores the terminal`() throws {
        let process = try ExerciserProcess()
        try process.terminal.wait(for: "ready")
        process.terminal.type("\u{3}")
        try process.terminal.wait(for: "closed")
        #expect(process.end() == 0)
        #expect(process.unrestored.isEmpty)
    }

    @Test func `leaving by exit restores the terminal`() throws {
        let process = try ExerciserProcess()
        try process.terminal.wait(for: "ready")
        process.terminal.type("x")
        #expect(process.end() == 3)
        #expect(process.unrestored.isEmpty)
    }

    @Test(arguments: [SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE])
    func `a signal that means a crash restores the terminal and kills`(signal: Int32) throws {
        let process = try ExerciserProcess()
        try process.terminal.wait(for: "ready")
        kill(process.id, signal)
        #expect(process.end() == 128 + signal)
        #expect(process.unrestored.isEmpty)
    }

    @Test(arguments: [("n", [SIGSEGV]), ("t", [SIGILL, SIGTRAP]), ("a", [SIGABRT])])
    func `a crash restores the terminal and kills`(key: String, signals: [Int32]) throws {
        let process = try ExerciserProcess()
        try process.terminal.wait(for: "ready")
        process.terminal.type(key)
        let code = process.end()
        #expect(signals.contains(code - 128))
        #expect(process.unrestored.isEmpty)
    }

    @Test(arguments: [SIGHUP, SIGINT, SIGQUIT, SIGTERM])
    func `a signal from outside is reported after the terminal was restored`(signal: Int32) throws {
        let process = try ExerciserProcess()
        try process.terminal.wait(for: "ready")
        kill(process.id, signal)
        try process.terminal.wait(for: "\u{1B}[?1049l")
        try process.terminal.wait(for: "ended by \(signal)")
        #expect(process.end() == 0)
        #expect(process.unrestored.isEmpty)
    }

    @Test func `without a reader of events, a signal restores the terminal, and another signal kills`() throws {
        let process = try ExerciserProcess("exec \"$0\" --deaf")
        try process.terminal.wait(for: "ready")
        kill(process.id, SIGTERM)
        try process.terminal.wait(for: "\u{1B}[?1049l")
        // The process still has to restore the settings and the handlers, so the signal is repeated until it kills.
        var status: Int32 = 0
        while waitpid(process.id, &status, WNOHANG) == 0 {
            kill(process.id, SIGTERM)
            sched_yield()
        }
        #expect(status & 0x7F == SIGTERM)
        #expect(process.unrestored.isEmpty)
    }

    @Test func `a signal that is to be ignored stays ignored`() throws {
        let process = try ExerciserProcess("trap '' HUP TSTP; exec \"$0\"")
        try process.terminal.wait(for: "ready")
        kill(process.id, SIGHUP)
        kill(process.id, SIGTSTP)
        process.terminal.type("k")
        try process.terminal.wait(for: "key character(\"k\")")
        process.terminal.type("\u{3}")
        #expect(process.end() == 0)
    }

    @Test func `a window that is closed ends the process`() throws {
        let process = try ExerciserProcess()
        try process.terminal.wait(for: "ready")
        process.terminal.hangUp()
        // Either the process reads the end of its input first, or SIGHUP from the kernel kills it.
        #expect([0, 128 + SIGHUP].contains(process.end()))
    }

    @Test func `Ctrl-Z gives the shell a restored terminal, and fg the screen`() throws {
        let process = try ExerciserProcess("set -m; \"$0\"; echo stopped; read answer; fg; echo ended; read answer")
        try process.terminal.wait(for: "ready")
        #expect(process.terminal.isRaw)
        process.terminal.type("\u{1A}")
        try process.terminal.wait(for: "stopped")
        #expect(process.unrestored.isEmpty)
        process.terminal.resize(columns: 30, rows: 9)
        process.terminal.type("\n")
        try process.terminal.wait(for: "\u{1B}[?1049h")
        try process.terminal.wait(for: "\u{1B}[?1002h")
        // The last frame is drawn again before the program gets the event.
        try process.terminal.wait(for: "ready")
        try process.terminal.wait(for: "resumed")
        try process.terminal.wait(for: "size 30 9")
        #expect(process.terminal.isRaw)
        process.terminal.type("k")
        try process.terminal.wait(for: "character(\"k\")")
        process.terminal.type("\u{1A}")
        try process.terminal.wait(for: "ended")
        #expect(process.unrestored.isEmpty)
        kill(process.id, SIGKILL)
    }

    @Test func `SIGTSTP from outside stops the process with the terminal restored`() throws {
        let process = try ExerciserProcess(
            "set -m; \"$0\" & child=$!; echo $child; fg >&-; echo stopped; read answer; fg")
        let id = try childID(process)
        try process.terminal.wait(for: "ready")
        kill(id, SIGTSTP)
        try process.terminal.wait(for: "stopped")
        #expect(process.unrestored.isEmpty)
        process.terminal.type("\n")
        try process.terminal.wait(for: "resumed")
        #expect(process.terminal.isRaw)
        process.terminal.type("\u{3}")
        try process.terminal.wait(for: "closed")
        _ = process.end()
    }

    @Test func `SIGSTOP and SIGCONT bring the screen back`() throws {
        let process = try ExerciserProcess()
        try process.terminal.wait(for: "ready")
        kill(process.id, SIGSTOP)
        process.waitUntilStopped()
        kill(process.id, SIGCONT)
        try process.terminal.wait(for: "\u{1B}[2J")
        try process.terminal.wait(for: "resumed")
        #expect(process.terminal.isRaw)
        process.terminal.type("\u{3}")
        #expect(process.end() == 0)
        #expect(process.unrestored.isEmpty)
    }

    @Test(.unsanitized) func `P12: what was typed does not stay in the memory of the process`() throws {
        let process = try ExerciserProcess()
        try process.terminal.wait(for: "ready")
        process.terminal.type("ZqYw7kJv")
        try process.terminal.wait(for: "(\"v\")")
        #expect(try MemoryMarker("key character").occurrences(in: process.id) > 0)
        #expect(try MemoryMarker("ZqYw7kJv").occurrences(in: process.id) == 0)
        process.terminal.type("\u{3}")
        #expect(process.end() == 0)
    }

    /// The process id of the job, which the shell prints.
    private func childID(_ process: ExerciserProcess) throws -> pid_t {
        try process.terminal.wait(for: "\n")
        let text = String(decoding: process.terminal.output, as: UTF8.self)
        let digits = text.drop { !$0.isNumber }.prefix { $0.isNumber }
        guard let id = pid_t(String(digits)) else { throw PseudoTerminal.Failure(text: "no process id: \(text)") }
        return id
    }
}
