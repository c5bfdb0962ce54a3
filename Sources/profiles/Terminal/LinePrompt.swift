internal import TextLayout

/// Asks for text on the terminal, a line at a time.
enum LinePrompt {
    /// Asks for one line. Asks again if the line is not UTF-8, because replacing bytes would change the text that the
    /// user typed.
    ///
    /// - Throws: The errors of ``SignalWatch/nextByte()``, and a failure if the input ends.
    static func ask(_ label: String) throws -> String {
        while true {
            Output.error.draw(label.visible + ": ")
            guard let line = try readLine() else { throw CommandFailure(.badInput, "The input ended") }
            if let text = String(validating: line, as: UTF8.self) { return text }
            Output.error.note("That is not UTF-8 text.")
        }
    }

    /// Asks a yes-or-no question. Only "y" or "yes" means yes. Any other answer means no. The end of the input also
    /// means no.
    static func isConfirmed(_ question: String) throws -> Bool {
        Output.error.draw(question.visible + "? [y/N] ")
        return try readLine().map { isYes(String(decoding: $0, as: UTF8.self)) } ?? false
    }

    static func isYes(_ answer: String) -> Bool { ["y", "yes"].contains(answer.lowercased()) }

    /// Returns the bytes up to the end of the line. Nil if the input ends before the first byte.
    private static func readLine() throws -> [UInt8]? {
        let signals = SignalWatch(isSilent: false)
        var line: [UInt8] = []
        var isWhole = false
        defer {
            signals.end()
            // The next message must begin on a new line, and not behind the question.
            if !isWhole { Output.error.draw("\n") }
        }
        while let byte = try signals.nextByte() {
            isWhole = byte == UInt8(ascii: "\n")
            if isWhole { return line }
            line.append(byte)
        }
        return line.isEmpty ? nil : line
    }
}
