internal import TextLayout

/// Asks for text on the terminal, a line at a time.
enum LinePrompt {
    /// Asks for one line, and again where it is not UTF-8: a text with other characters than were typed is none.
    ///
    /// - Throws: As ``SignalWatch/nextByte()`` does, and a failure where the input ends instead.
    static func ask(_ label: String) throws -> String {
        while true {
            Output.error.draw(label.visible + ": ")
            guard let line = try readLine() else { throw CommandFailure(.badInput, "The input ended") }
            if let text = String(validating: line, as: UTF8.self) { return text }
            Output.error.note("That is not UTF-8 text.")
        }
    }

    /// Asks for a yes, and takes anything else for no, the end of input too.
    static func isConfirmed(_ question: String) throws -> Bool {
        Output.error.draw(question.visible + "? [y/N] ")
        return try readLine().map { isYes(String(decoding: $0, as: UTF8.self)) } ?? false
    }

    static func isYes(_ answer: String) -> Bool { ["y", "yes"].contains(answer.lowercased()) }

    /// The bytes up to the end of the line; nil where there are none before the input's.
    private static func readLine() throws -> [UInt8]? {
        let signals = SignalWatch(isSilent: false)
        var line: [UInt8] = []
        var isWhole = false
        defer {
            signals.end()
            // What is said next does not stand behind the question.
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
