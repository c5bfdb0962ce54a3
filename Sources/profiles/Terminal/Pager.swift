internal import Platform
internal import Synchronization
internal import TextLayout

/// Shows a text page by page in a separate process: `$PAGER`, or else `less`.
enum Pager {
    /// Writes a text to standard output. If the output is a terminal and the text has more rows than the terminal, a
    /// pager shows the text. Otherwise the user would not see the beginning of the text.
    ///
    /// If no pager can be started, the text is written directly. It is not an error if the user leaves the pager before
    /// the end of the text.
    ///
    /// - Throws: A failure if the text cannot be written; ``SignalEnding`` if a signal arrived while the pager ran, and
    ///   the signal ends this process.
    static func show(_ text: String, isWanted: Bool) throws {
        guard isWanted, let command, isTooLong(text), try page(text, with: command) else {
            return try Output.standard.write(text)
        }
    }

    /// The words of the pager's command. Nil if no pager should be used.
    private static var command: [String]? {
        guard !Environment.isTerminalDumb, !Environment.isEmpty("PAGER") else { return nil }
        switch Environment["PAGER"] {
        case nil: return ["less", "-FRX"]
        case "cat": return nil
        case let pager? where pager.allSatisfy(\.isWhitespace): return nil
        // The value may contain options, or may be a shell command.
        case let pager?: return ["/bin/sh", "-c", pager]
        }
    }

    private static func isTooLong(_ text: String) -> Bool {
        guard Output.standard.isTerminal, let window = Output.standard.windowSize else { return false }
        var rows = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            rows += max(1, (line.displayWidth + window.columns - 1) / window.columns)
            // The last row is for the shell's prompt.
            if rows >= window.rows { return true }
        }
        return false
    }

    /// - Returns: Whether a pager has shown the text.
    private static func page(_ text: String, with command: [String]) throws -> Bool {
        var settings = termios()
        let isKnown = tcgetattr(STDOUT_FILENO, &settings) == 0
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        // The pager reads its standard input from the pipe. If the pager also inherited the write end, it would never
        // reach the end of its input.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let signals = PagerSignals()
        defer { signals.end() }
        guard let pager = spawn(command, reading: ends[0]) else {
            close(ends[0])
            close(ends[1])
            return false
        }
        signals.pass(to: pager)
        close(ends[0])
        var text = text
        // An error is ignored, because the user may leave the pager before it has read everything.
        _ = text.withUTF8 { FileDescriptor.writeAll(UnsafeRawBufferPointer($0), to: ends[1]) }
        close(ends[1])
        let status = end(of: pager)
        signals.pass(to: 0)
        // If the pager was killed, it has not restored the terminal.
        if isKnown { tcsetattr(STDOUT_FILENO, TCSADRAIN, &settings) }
        try signals.requireNone()
        // A shell exits with 127 if a command does not exist, and with 126 if it cannot be run.
        return status != 126 && status != 127
    }

    /// - Returns: The process id. Nil if the process cannot be started.
    private static func spawn(_ command: [String], reading input: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        // The pager starts with the default signal actions, as if a shell had started it. Otherwise it would inherit
        // the ignored signals of this process.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        // Matches are marked by control codes. Without the option -R, `less` shows control codes as text.
        let added: [UnsafeMutablePointer<CChar>?] = Environment["LESS"] == nil ? [strdup("LESS=FRX")] : []
        var variables = Environment.pointers + added + [nil]
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for pointer in arguments + added { free(pointer) } }
        var pager: pid_t = 0
        return posix_spawnp(&pager, command[0], &actions, &attributes, &arguments, &variables) == 0 ? pager : nil
    }

    /// - Returns: The exit code. Nil if a signal ended the process.
    private static func end(of pager: pid_t) -> Int32? {
        var status: Int32 = 0
        while waitpid(pager, &status, 0) < 0 { if errno != EINTR { return nil } }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }
}

/// The signal actions while a pager uses the terminal. This process ignores Ctrl-C, because the pager handles it. If
/// another signal would end this process, the signal is passed to the pager first. The pager then restores the terminal
/// and ends.
private struct PagerSignals {
    private var replaced = ReplacedSignals()

    init() {
        endingSignal.store(0, ordering: .relaxed)
        for signal in [SIGINT, SIGQUIT] { replaced.replace(signal, by: SIG_IGN) }
        for signal in [SIGTERM, SIGHUP] {
            replaced.replace(signal) { signal in
                endingSignal.store(signal, ordering: .relaxed)
                let pager = runningPager.load(ordering: .relaxed)
                if pager > 0 { kill(pager, signal) }
            }
        }
    }

    /// Sets the process id of the pager, or 0 for no pager. If SIGTERM or SIGHUP has arrived before this call, sends
    /// the signal to the pager.
    func pass(to pager: pid_t) {
        runningPager.store(pager, ordering: .relaxed)
        let signal = endingSignal.load(ordering: .relaxed)
        if pager > 0, signal != 0 { kill(pager, signal) }
    }

    /// - Throws: ``SignalEnding`` if a signal that ends this process has arrived.
    func requireNone() throws {
        let signal = endingSignal.load(ordering: .relaxed)
        if signal != 0 { throw SignalEnding(signal: signal) }
    }

    /// Restores the former actions.
    func end() { replaced.end() }
}

private let endingSignal = Atomic<Int32>(0)
private let runningPager = Atomic<Int32>(0)
