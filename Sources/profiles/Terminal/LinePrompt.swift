internal import TextLayout

/// Asks for text on the terminal, a line at a time.
enum LinePrompt {
    /// Asks for one line.
    ///
    /// - Throws: a failure where the input ends instead.
    static func ask(_ label: String) throws(CommandFailure) -> String {
        Output.error.draw(label.visible + ": ")
        guard let line = readLine() else { throw CommandFailure(.badInput, "The input ended; nothing was stored") }
        return line
    }

    /// Asks for a yes, and takes anything else for no, the end of input too.
    static func isConfirmed(_ question: String) -> Bool {
        Output.error.draw(question.visible + "? [y/N] ")
        return isYes(readLine() ?? "")
    }

    static func isYes(_ answer: String) -> Bool { ["y", "yes"].contains(answer.lowercased()) }
}
