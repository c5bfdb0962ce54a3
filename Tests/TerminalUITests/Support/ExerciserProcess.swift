import Glibc
import ProfileTesting

/// `TerminalExerciser`, or a shell that runs it, on a pseudo-terminal of its own; the first process of its session.
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

    /// Waits for its end.
    ///
    /// - Returns: The exit code, or 128 and the signal's number.
    func end() -> Int32 {
        terminal.readToEnd()
        return process.wait()
    }

    /// Waits until it is stopped.
    func waitUntilStopped() {
        var status: Int32 = 0
        while waitpid(id, &status, WUNTRACED) < 0, errno == EINTR {}
    }

    /// What is not as it was before the screen: line editing, the screen from before, its cursor, no bracketed paste.
    var unrestored: [String] {
        let screen = EmulatedScreen(columns: 40, rows: 10)
        screen.write(terminal.output)
        let text = String(decoding: terminal.output, as: UTF8.self)
        let lastPasteMode = text.split(separator: "\u{1B}[?2004", omittingEmptySubsequences: false).last?.first
        let all = [
            ("settings", terminal.isCooked), ("screen", !screen.isAlternate), ("cursor", screen.isCursorVisible),
            ("paste", lastPasteMode == "l"),
        ]
        return all.filter { !$0.1 }.map(\.0)
    }

    /// Whether a text's bytes are anywhere in the memory that the process can write to.
    func memory(contains text: String) throws -> Bool {
        let memory = open("/proc/\(id)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw PseudoTerminal.Failure(text: "no memory of \(id): \(errno)") }
        defer { close(memory) }
        for line in (SmallFile.text(of: "/proc/\(id)/maps") ?? "").split(separator: "\n") {
            let parts = line.split(separator: " ")
            let bounds = parts[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard bounds.count == 2, parts[1].hasPrefix("rw") else { continue }
            var bytes = [UInt8](repeating: 0, count: bounds[1] - bounds[0])
            let count = pread(memory, &bytes, bytes.count, bounds[0])
            guard count > 0 else { continue }
            if Self.isFound(text, in: bytes.prefix(count)) { return true }
        }
        return false
    }

    /// Megabytes are searched by the C library, since a debug build's loops take their time.
    private static func isFound(_ text: String, in bytes: ArraySlice<UInt8>) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                let found = memchr(start, Int32(wanted[0]), rest.count)
            {
                rest = rest.dropFirst(UnsafeRawPointer(found) - start)
                guard rest.count >= wanted.count else { return false }
                if memcmp(found, wanted, wanted.count) == 0 { return true }
                rest = rest.dropFirst()
            }
            return false
        }
    }
}
