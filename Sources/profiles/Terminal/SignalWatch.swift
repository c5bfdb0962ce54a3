internal import Platform
internal import Synchronization

/// Catches the signals that would end the process while it asks for input. So the process can clean up before it ends.
///
/// Only one watch may exist at a time.
struct SignalWatch {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private var replaced = ReplacedSignals()

    /// - Parameter isSilent: Whether the echo of the terminal is off. If the echo is off, Ctrl-Z is ignored, because a
    ///   stopped process would leave the terminal without echo.
    init(isSilent: Bool) {
        caughtSignal.store(0, ordering: .relaxed)
        for signal in Self.signals { replaced.replace(signal) { caughtSignal.store($0, ordering: .relaxed) } }
        if isSilent { replaced.replace(SIGTSTP, by: SIG_IGN) }
    }

    /// Restores the former actions.
    func end() { replaced.end() }

    /// Returns the next byte of standard input. Nil at its end.
    ///
    /// - Throws: A failure for Ctrl-C and for input that cannot be read; ``SignalEnding`` for another signal.
    func nextByte() throws -> UInt8? {
        while true {
            // A signal may arrive on another thread. In this case, the signal does not interrupt `read` on this thread.
            // So `poll` returns ten times a second, and the signal is noticed.
            var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waiting, 1, 100)
            try requireNoSignal()
            guard ready > 0 else { continue }
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw CommandFailure.cannotRead("The terminal", errno) }
            return count == 0 ? nil : byte
        }
    }

    private func requireNoSignal() throws {
        switch caughtSignal.load(ordering: .relaxed) {
        case 0: return
        case SIGINT: throw CommandFailure(.interrupted, "Interrupted")
        case let signal: throw SignalEnding(signal: signal)
        }
    }
}

/// A signal that must end the process after the cleanup.
struct SignalEnding: Error {
    let signal: Int32
}

private let caughtSignal = Atomic<Int32>(0)
