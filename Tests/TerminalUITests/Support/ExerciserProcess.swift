import Glibc

/// `TerminalExerciser`, or a shell that runs it, on a pseudo-terminal of its own; the first process of its session.
final class ExerciserProcess {
    let terminal: PseudoTerminal
    let id: pid_t

    /// Starts the shell with a script in which `"$0"` is the exerciser.
    init(_ script: String = "exec \"$0\"") throws {
        terminal = try PseudoTerminal()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A session's first process that opens a terminal has it as its controlling one.
        for descriptor in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, terminal.path, O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Tests run on threads that block signals, which a child would inherit.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // POSIX_SPAWN_SETSID, which Glibc's header hides without _GNU_SOURCE, is 0x80.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | 0x80)
        let command = ["/bin/sh", "-c", "ulimit -c 0; \(script)", Self.path]
        let environment = ["PATH=/usr/bin:/bin", "TERM=xterm", "SWIFT_BACKTRACE=enable=no"]
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, "/bin/sh", &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw PseudoTerminal.Failure(text: "the exerciser cannot be started: \(code)") }
        self.id = id
    }

    /// Waits for its end.
    ///
    /// - Returns: The exit code, or 128 and the signal's number.
    func end() -> Int32 {
        terminal.readToEnd()
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
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
        for line in try Self.lines(of: "/proc/\(id)/maps") {
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

    private static func lines(of path: String) throws -> [Substring] {
        guard let file = fopen(path, "r") else { throw PseudoTerminal.Failure(text: "\(path): \(errno)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    /// Beside the test bundle, which is the executable of this process.
    private static let path: String = {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/TerminalExerciser"
    }()
}
