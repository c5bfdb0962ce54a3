internal import Platform

/// The original actions of signals whose actions this process has replaced temporarily.
struct ReplacedSignals {
    private var before: [(signal: Int32, action: sigaction)] = []

    /// Replaces the action of a signal. `SIG_IGN` ignores the signal.
    mutating func replace(_ signal: Int32, by handler: @convention(c) (Int32) -> Void) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        var old = sigaction()
        sigaction(signal, &action, &old)
        before.append((signal, old))
    }

    /// Restores the original actions.
    func end() {
        for (signal, action) in before {
            var action = action
            sigaction(signal, &action, nil)
        }
    }
}
