/// An event of a terminal.
package enum TerminalEvent: Hashable, Sendable {
    case key(Key)
    /// The window's size changed. The next frame is drawn in full.
    case resized(ScreenSize)
    /// The process was stopped and continued. The last frame is on the screen again.
    case resumed
    /// A signal requests the end of the process: HUP, INT, QUIT or TERM. The terminal is already restored, and no event
    /// follows. If such a signal arrives again, it has the same effect as before the terminal was opened.
    case ended(signal: Int32)
    /// The terminal no longer exists, and no event follows. The kernel also sends SIGHUP, and this signal has the same
    /// effect as before the terminal was opened.
    case closed
}
