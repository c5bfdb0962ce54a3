internal import Platform
internal import Threads

/// The terminal as a screen for frames and a source of keys: in raw mode, on its alternate screen, with bracketed paste.
///
/// It is given back as it was however the process ends: by `close`, by the last reference to it going, by `exit`, by a signal or
/// by a crash; only SIGKILL and a stack that overflows are beyond anybody's reach. A process has one at a time.
package final class Terminal: Sendable {
    /// What the terminal reports, for one reader. It ends with the terminal.
    package var events: AsyncStream<TerminalEvent> { session.events }

    private let session: TerminalSession
    private let thread: SystemThread

    /// Opens the process's controlling terminal, so that standard input and output may be redirected, or the one that is
    /// its standard input. Without colour frames are still bold, dim, underlined and reversed.
    package static func open(usesColor: Bool) throws(TerminalError) -> Terminal {
        do {
            return try open(path: "/dev/tty", usesColor: usesColor)
        } catch TerminalError.cannotOpen {
            guard isatty(STDIN_FILENO) == 1 else { throw .noTerminal }
            return try open(path: "/proc/self/fd/0", usesColor: usesColor)
        }
    }

    /// Opens a terminal by its path.
    static func open(path: String, usesColor: Bool) throws(TerminalError) -> Terminal {
        // Opened anew, so that nobody who shares standard input finds it non-blocking.
        let descriptor = Platform.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotOpen(code: errno) }
        let session = try TerminalSession(descriptor, usesColor: usesColor)
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

    /// The window's size; 80 × 24 where the terminal does not know it.
    package var size: ScreenSize { session.size }

    /// Shows a frame: writes what differs from the one before.
    ///
    /// While the process is stopped the frame waits; after the terminal was given back nothing is written.
    package func draw(_ frame: Frame) { session.draw(frame) }

    /// Draws all of the next frame, whatever the terminal seems to show.
    package func forgetDrawn() { session.forgetDrawn() }

    /// Gives the terminal back and stops the process's job, as Ctrl-Z does elsewhere; once it goes on, the last frame is
    /// shown again and `.resumed` is reported.
    ///
    /// The call returns at once; where the shell controls no jobs, nothing stops.
    package func suspend() { session.requestSuspension() }

    /// Gives the terminal back. No key is read from it after this has returned.
    package func close() {
        session.requestEnd()
        session.end()
        thread.join()
    }
}
