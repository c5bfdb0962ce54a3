internal import Platform
internal import Synchronization
internal import TextLayout

/// Shows a text a screenful at a time: with `$PAGER`, else with `less`, in a process of its own.
enum Pager {
    /// Writes a text to standard output, by way of a pager where a person would lose its beginning otherwise: the output is
    /// a terminal, and the text takes more rows than that has.
    ///
    /// Where there is no pager to be started, the text is written as it is. One that is left before the end of the text is
    /// no error.
    ///
    /// - Throws: A failure where the text cannot be written; ``SignalEnding`` for a signal that came meanwhile.
    static func show(_ text: String, isWanted: Bool) throws {
        guard isWanted, let command, isTooLong(text), try page(text, with: command) else {
            return try Output.standard.write(text)
        }
    }

    /// The words of the pager's command; nil where there should be none.
    private static var command: [String]? {
        guard !Environment.isTerminalDumb, !Environment.isEmpty("PAGER") else { return nil }
        switch Environment["PAGER"] {
        case nil: return ["less", "-FRX"]
        case "cat": return nil
        case let pager? where pager.allSatisfy(\.isWhitespace): return nil
        // It may have options, or be a line of shell.
        case let pager?: return ["/bin/sh", "-c", pager]
        }
    }

    private static func isTooLong(_ text: String) -> Bool {
        guard Output.standard.isTerminal, let window = Output.standard.windowSize else { return false }
        var rows = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            rows += max(1, (line.displayWidth + window.columns - 1) / window.columns)
            // The last row is for what the shell says next.
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
        // The pager has the end that it reads from as its standard input, and would wait for its own other end.
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
        // It may be left before it has read all.
        _ = text.withUTF8 { FileDescriptor.writeAll(UnsafeRawBufferPointer($0), to: ends[1]) }
        close(ends[1])
        let status = end(of: pager)
        signals.pass(to: 0)
        // A pager that was killed has had no time to put the terminal in order.
        if isKnown { tcsetattr(STDOUT_FILENO, TCSADRAIN, &settings) }
        try signals.requireNone()
        // A shell's answer where there is no such command, or it cannot be run.
        return status != 126 && status != 127
    }

    /// - Returns: Its process id; nil where it cannot be started.
    private static func spawn(_ command: [String], reading input: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        // Signals as a shell would give them to it: we ignore some.
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
        // What is marked is marked by control codes, which `less` shows by their names unless it is told otherwise.
        let added: [UnsafeMutablePointer<CChar>?] = Environment["LESS"] == nil ? [strdup("LESS=FRX")] : []
        var variables = Environment.pointers + added + [nil]
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for pointer in arguments + added { free(pointer) } }
        var pager: pid_t = 0
        return posix_spawnp(&pager, command[0], &actions, &attributes, &arguments, &variables) == 0 ? pager : nil
    }

    /// - Returns: Its exit code; nil where a signal ended it.
    private static func end(of pager: pid_t) -> Int32? {
        var status: Int32 = 0
        while waitpid(pager, &status, 0) < 0 { if errno != EINTR { return nil } }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }
}

/// What happens to signals while a pager has the terminal: Ctrl-C is the pager's own affair, and what would end this process
/// ends the pager first, so that it gives the terminal back.
private struct PagerSignals {
    private var before: [(signal: Int32, action: sigaction)] = []

    init() {
        endingSignal.store(0, ordering: .relaxed)
        for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler =
                signal == SIGINT || signal == SIGQUIT
                ? SIG_IGN
                : { signal in
                    endingSignal.store(signal, ordering: .relaxed)
                    let pager = runningPager.load(ordering: .relaxed)
                    if pager > 0 { kill(pager, signal) }
                }
            var old = sigaction()
            sigaction(signal, &action, &old)
            before.append((signal, old))
        }
    }

    /// Names the process that gets what would end this one; 0 for none.
    func pass(to pager: pid_t) {
        runningPager.store(pager, ordering: .relaxed)
        let signal = endingSignal.load(ordering: .relaxed)
        if pager > 0, signal != 0 { kill(pager, signal) }
    }

    /// - Throws: ``SignalEnding`` where one came that ends this process.
    func requireNone() throws {
        let signal = endingSignal.load(ordering: .relaxed)
        if signal != 0 { throw SignalEnding(signal: signal) }
    }

    /// Puts the former actions back.
    func end() {
        for (signal, action) in before {
            var action = action
            sigaction(signal, &action, nil)
        }
    }
}

private let endingSignal = Atomic<Int32>(0)
private let runningPager = Atomic<Int32>(0)
