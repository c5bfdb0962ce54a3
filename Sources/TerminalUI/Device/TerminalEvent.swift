/// What a terminal reports.
package enum TerminalEvent: Hashable, Sendable {
    case key(Key)
    /// The window has another size; the next frame is drawn in full.
    case resized(ScreenSize)
    /// The process was stopped and goes on; the last frame is on the screen again.
    case resumed
    /// Another process ended this one by a signal: HUP, INT, QUIT or TERM. The terminal is restored already, no event
    /// follows, and a second such signal does what it would without a terminal.
    case ended(signal: Int32)
    /// The terminal is gone, and no event follows; the kernel's SIGHUP does what it would without a terminal.
    case closed
}
