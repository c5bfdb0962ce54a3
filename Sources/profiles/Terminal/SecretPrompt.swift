internal import Platform
internal import ProfileCore

/// Asks for secrets on the terminal, without echo.
enum SecretPrompt {
    /// Whether standard input is a terminal, so the user can be asked.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks for one secret by a label such as "New passcode".
    ///
    /// - Throws: The errors of ``SignalWatch/nextByte()``, and a failure if the input ends.
    static func ask(_ label: String) throws -> Secret {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw CommandFailure.cannotRead("The terminal", errno) }
        let signals = SignalWatch(isSilent: true)
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        silent.c_lflag |= tcflag_t(ICANON | ISIG)
        // Ctrl-S would stop the output. While the process waits to write its output, it would not react to a signal.
        silent.c_iflag &= ~tcflag_t(IXON)
        change(to: &silent)
        Output.error.draw(label + ": ")
        defer {
            change(to: &settings)
            signals.end()
            Output.error.draw("\n")
        }
        return try readLine(besides: flowControl(settings), watching: signals)
    }

    /// Changes the settings of the terminal, and drops earlier input. TCSAFLUSH is not used: it would also wait for
    /// pending output, and Ctrl-S may have stopped this output.
    private static func change(to settings: inout termios) {
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        tcflush(STDIN_FILENO, TCIFLUSH)
    }

    /// The keys that stop and resume the output, usually Ctrl-S and Ctrl-Q. The terminal normally acts on these keys
    /// and does not pass them to the program.
    private static func flowControl(_ settings: termios) -> [UInt8] {
        guard settings.c_iflag & tcflag_t(IXON) != 0 else { return [] }
        return withUnsafeBytes(of: settings.c_cc) { keys in [keys[Int(VSTOP)], keys[Int(VSTART)]] }
    }

    private static func readLine(besides ignored: [UInt8], watching signals: SignalWatch) throws -> Secret {
        try Secret(capacity: SecretInput.longestSecret) { output in
            while true {
                guard let byte = try signals.nextByte() else {
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
