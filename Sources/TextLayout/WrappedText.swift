package extension String {
    /// Returns the text in lines of at most `width` columns, broken between words where possible.
    func wrapped(to width: Int) -> [String] {
        let width = max(1, width)
        var lines: [String] = []
        for paragraph in split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            for word in paragraph.split(separator: " ") {
                if !line.isEmpty, line.displayWidth + 1 + word.displayWidth <= width {
                    line += " " + word
                    continue
                }
                if !line.isEmpty { lines.append(line) }
                line = String(word)
                // A word that is longer than a line is split.
                while line.displayWidth > width {
                    let start = line.start(upTo: width)
                    lines.append(start)
                    line.removeFirst(start.count)
                }
            }
            lines.append(line)
        }
        return lines
    }

    /// Returns the beginning of the text that fits into `width` columns. The result has at least one character.
    private func start(upTo width: Int) -> String {
        var taken = 0
        var start = ""
        for character in self {
            taken += String(character).displayWidth
            if taken > width, !start.isEmpty { break }
            start.append(character)
        }
        return start
    }
}
