internal import Platform
internal import Threads

/// A terminal that shows frames and reports keys. The terminal is in raw mode, on its alternate screen, with bracketed
/// paste, and reports the mouse if this was asked for.
///
/// The terminal is restored in all these cases: `close` is called, the last reference is released, or the process ends
/// by `exit`, a signal or a crash. The terminal cannot be restored after SIGKILL or a stack overflow. A process can
/// have only one open terminal at a time.
package final class Terminal: Sendable {
    /// The events of the terminal, for one reader. The stream ends when the terminal is closed.
    package var events: AsyncStream<TerminalEvent> { session.events }

    private let session: TerminalSession
    private let thread: SystemThread

    /// Opens the controlling terminal of the process. If there is none, opens the terminal of its standard input.
    /// Standard input and output may therefore be redirected. Without colour, frames still use bold, dim, underlined
    /// and reversed text. With the mouse, the terminal reports presses and the wheel instead of selecting text.
    package static func open(usesColor: Bool, usesMouse: Bool = false) throws(TerminalError) -> Terminal {
        do {
            return try open(path: "/dev/tty", usesColor: usesColor, usesMouse: usesMouse)
        } catch TerminalError.cannotOpen {
            guard isatty(STDIN_FILENO) == 1 else { throw .noTerminal }
            return try open(path: "/proc/self/fd/0", usesColor: usesColor, usesMouse: usesMouse)
        }
    }

    /// Opens a terminal by its path.
    static func open(path: String, usesColor: Bool, usesMouse: Bool = false) throws(TerminalError) -> Terminal {
        // `open` makes a new open file description. So O_NONBLOCK does not affect other processes that share standard
        // input.
        let descriptor = Platform.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotOpen(code: errno) }
        let session = try TerminalSession(descriptor, usesColor: usesColor, usesMouse: usesMouse)
        do throws(ThreadError) {
            return Terminal(session, try SystemThread(blockingSignals: false) { session.run() })
        } catch {
            session.end()
            throw .cannotStartThread(code: error.code)
        }
    }

    private init(_ session: TerminalSession, _ thread: SystemThread) {
        self.session = session
        self.thread = thread
    }

    deinit { close() }

    /// The window's size; 80 × 24 if the terminal does not know it.
    package var size: ScreenSize { session.size }

    /// Shows a frame: writes only the differences from the previous one.
    ///
    /// While the process is stopped, the frame is kept, and drawn when the process continues. After the terminal was
    /// closed, nothing is written.
    package func draw(_ frame: Frame) { session.draw(frame) }

    /// Asks the terminal to put a text into its clipboard, with xterm's control sequence OSC 52. A terminal that does not
    /// know the sequence, or does not allow it, ignores it and gives no answer.
    package func copy(_ text: String) { session.copy(text) }

    /// Makes the next `draw` write the whole frame, because the terminal may show other content.
    package func forgetDrawn() { session.forgetDrawn() }

    /// Restores the terminal and stops the process's job, as Ctrl-Z does in other programs. After the process is
    /// continued, the last frame is shown again and `.resumed` is reported.
    ///
    /// The call returns immediately. If no shell controls the job, no process is stopped.
    package func suspend() { session.requestSuspension() }

    /// Restores the terminal. After this call has returned, no key is read from it.
    package func close() {
        session.requestEnd()
        session.end()
        thread.join()
    }
}
