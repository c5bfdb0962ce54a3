/// The reason why a terminal cannot be used. The codes are values of `errno`.
package enum TerminalError: Error, Hashable, Sendable {
    /// Neither the process nor its standard input has a terminal.
    case noTerminal
    /// A screen is open already.
    case alreadyOpen
    case cannotOpen(code: Int32)
    /// The terminal refuses raw mode.
    case cannotConfigure(code: Int32)
    case cannotStartThread(code: Int32)
}
