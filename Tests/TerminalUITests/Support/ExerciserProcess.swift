import Platform
import ProfileTesting

/// `TerminalExerciser`, or a shell that runs it, on its own pseudo-terminal. It is the leader of its session.
final class ExerciserProcess {
    let terminal: PseudoTerminal
    private let process: ChildProcess

    /// Starts the shell with a script in which `"$0"` is the exerciser.
    init(_ script: String = "exec \"$0\"") throws {
        terminal = try PseudoTerminal()
        let device = ChildProcess.Stream.file(terminal.path, flags: O_RDWR)
        process = try ChildProcess(
            ["/bin/sh", "-c", "ulimit -c 0; \(script)", BuiltProgram.path("TerminalExerciser")],
            environment: ["PATH": "/usr/bin:/bin", "TERM": "xterm", "SWIFT_BACKTRACE": "enable=no"],
            streams: [0: device, 1: device, 2: device], beginsSession: true)
    }

    var id: pid_t { process.id }

    /// Waits for the end of the process.
    ///
    /// - Returns: The exit code, or 128 and the signal's number.
    func end() -> Int32 {
        terminal.readToEnd()
        return process.wait()
    }

    /// Waits until the process is stopped.
    func waitUntilStopped() {
        var status: Int32 = 0
        while waitpid(id, &status, WUNTRACED) < 0, errno == EINTR {}
    }

    /// The parts of the terminal that are not restored: the settings, the previous screen, the cursor, and the modes
    /// for bracketed paste and the mouse.
    var unrestored: [String] {
        let screen = EmulatedScreen(columns: 40, rows: 10)
        screen.write(terminal.output)
        let text = String(decoding: terminal.output, as: UTF8.self)
        func lastMode(_ number: Int) -> Character? {
            text.split(separator: "\u{1B}[?\(number)", omittingEmptySubsequences: false).last?.first
        }
        let all = [
            ("settings", terminal.isCooked), ("screen", !screen.isAlternate), ("cursor", screen.isCursorVisible),
            ("paste", lastMode(2004) == "l"), ("mouse", lastMode(1002) == "l" && lastMode(1006) == "l"),
        ]
        return all.filter { !$0.1 }.map(\.0)
    }
}
