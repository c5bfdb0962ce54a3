internal import ArgumentParser
internal import TerminalUI

/// The way in which a command asks the user for input.
enum Asking {
    /// On a screen.
    case onScreen
    /// Line by line, without control codes: suitable for screen readers and for terminals that do not support control
    /// codes.
    case byLine
}

/// The option that chooses between asking on a screen and asking line by line.
struct AskingOptions: ParsableArguments {
    @Flag(
        name: .customLong("plain"),
        help: "Ask line by line, as with TERM=dumb: no screen and no control codes, suitable for a screen reader.")
    var isPlain = false
}

extension StoreUsing {
    /// The way in which the command can ask the user. Nil if standard input is not a terminal, or if `--no-input` is
    /// given.
    func asking(_ options: AskingOptions) -> Asking? {
        guard canAsk else { return nil }
        return options.isPlain || !canShowScreen ? .byLine : .onScreen
    }

    /// Whether the user can be asked on a terminal that can show a screen.
    var canShowScreen: Bool { canAsk && !Environment.isTerminalDumb }
}
