internal import ArgumentParser
internal import TerminalUI

/// How a person is asked.
enum Asking {
    /// On a screen.
    case onScreen
    /// Line by line, without any control code: fit for screen readers and for terminals that know none.
    case byLine
}

/// Chooses between the two ways.
struct AskingOptions: ParsableArguments {
    @Flag(
        name: .customLong("plain"),
        help: "Ask line by line, as with TERM=dumb: no screen and no control codes, fit for a screen reader.")
    var isPlain = false
}

extension StoreUsing {
    /// How somebody can be asked; nil where nobody can.
    func asking(_ options: AskingOptions) -> Asking? {
        guard canAsk else { return nil }
        return options.isPlain || !canShowScreen ? .byLine : .onScreen
    }

    /// Whether there is a terminal on which a screen can be drawn.
    var canShowScreen: Bool { canAsk && !Environment.isTerminalDumb }
}
