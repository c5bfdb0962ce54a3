internal import Platform
internal import ProfileCore
internal import Synchronization

/// Asks for secrets on the terminal, without echo.
enum SecretPrompt {
    /// Whether there is somebody to ask.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks for one secret by a label such as "New pass code".
    static func ask(_ label: String) throws(CommandFailure) -> Secret {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw .cannotRead("The terminal", errno) }
        let signals = SignalWatch()
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ICANON | ISIG)
        // Ctrl-S would stop what is written here, and a process that waits for it does not hear of a signal.
        silent.c_iflag &= ~tcflag_t(IXON)
        change(to: &silent)
        Output.error.draw(label + ": ")
        let outcome: Result<Secret, CommandFailure>
        do throws(CommandFailure) {
            outcome = .success(try readLine(besides: flowControl(settings), watching: signals))
        } catch {
            outcome = .failure(error)
        }
        change(to: &settings)
        signals.end()
        Output.error.draw("\n")
        signals.raise()
        return try outcome.get()
    }

    /// Drops what was typed before; TCSAFLUSH would besides wait for what is written, which Ctrl-S may have stopped.
    private static func change(to settings: inout termios) {
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        tcflush(STDIN_FILENO, TCIFLUSH)
    }

    /// The keys that stop the output and let it go on, usually Ctrl-S and Ctrl-Q, which the terminal keeps to itself.
    private static func flowControl(_ settings: termios) -> [UInt8] {
        guard settings.c_iflag & tcflag_t(IXON) != 0 else { return [] }
        return withUnsafeBytes(of: settings.c_cc) { keys in [keys[Int(VSTOP)], keys[Int(VSTART)]] }
    }

    private static func readLine(
        besides ignored: [UInt8], watching signals: SignalWatch
    ) throws(CommandFailure) -> Secret {
        try Secret(capacity: SecretInput.longestSecret) { output throws(CommandFailure) in
            while true {
                // A signal may reach any thread, so that it does not end `read`; `poll` looks up ten times a second.
                var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                let ready = poll(&waiting, 1, 100)
                guard !signals.hasCaught else { throw CommandFailure(.interrupted, "Interrupted") }
                guard ready > 0 else { continue }
                var byte: UInt8 = 0
                let count = read(STDIN_FILENO, &byte, 1)
                if count < 0, errno == EINTR { continue }
                if count < 0 { throw .cannotRead("The terminal", errno) }
                if count == 0 {
                    guard output.isEmpty else { return }
                    throw CommandFailure(.badInput, "No secret was entered")
                }
                if byte == UInt8(ascii: "\n") { return }
                if ignored.contains(byte) { continue }
                guard output.freeCapacity > 0 else { throw SecretInput.tooLong("The terminal") }
                output.append(byte)
            }
        }
    }
}

/// Catches the signals that would end the process while the terminal does not echo.
private struct SignalWatch {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    private var before: [(signal: Int32, action: sigaction)] = []

    init() {
        caughtSignal.store(0, ordering: .relaxed)
        for signal in Self.signals + [SIGTSTP] {
            var action = sigaction()
            // A stopped process would leave the terminal silent.
            action.__sigaction_handler.sa_handler =
                signal == SIGTSTP
                ? SIG_IGN
                : { signal in
                    caughtSignal.store(signal, ordering: .relaxed)
                }
            var old = sigaction()
            sigaction(signal, &action, &old)
            before.append((signal, old))
        }
    }

    var hasCaught: Bool { caughtSignal.load(ordering: .relaxed) != 0 }

    /// Puts the former actions back.
    func end() {
        for (signal, action) in before {
            var action = action
            sigaction(signal, &action, nil)
        }
    }

    /// Lets a signal that was caught end the process; Ctrl-C is left to the exit code.
    func raise() {
        let caught = caughtSignal.load(ordering: .relaxed)
        if caught != 0, caught != SIGINT { ProcessSettings.die(of: caught) }
    }
}

private let caughtSignal = Atomic<Int32>(0)
