extension String {
    /// Returns the end of a message about this unknown name: a full stop, and a question with the name that the user
    /// probably meant. Empty if there is no such name.
    package func suggestion(in names: some Sequence<String>) -> String {
        nearest(in: names).map { ". Did you mean \"\($0)\"?" } ?? ""
    }

    /// Returns the name that the user probably meant by this text. A name that begins with this text is preferred.
    /// Otherwise the result is the name that differs from this text by the fewest changes. Nil if every name differs by
    /// too many changes.
    ///
    /// A change inserts, deletes or replaces one letter, or swaps two adjacent letters (optimal string alignment
    /// distance). The maximum number of changes depends on the length of the text: one change for up to three letters,
    /// two changes for four to seven letters, and three changes for more letters.
    package func nearest(in names: some Sequence<String>) -> String? {
        let typed = Array(lowercased().unicodeScalars.prefix(Self.longestName))
        guard !typed.isEmpty else { return nil }
        var nearest: (name: String, changes: Int)?
        for name in names {
            let letters = Array(name.lowercased().unicodeScalars.prefix(Self.longestName))
            let isBeginning = typed.count > 1 && letters.starts(with: typed)
            let changes = isBeginning ? 0 : Self.changes(from: typed, to: letters)
            guard changes <= (typed.count < 4 ? 1 : typed.count < 8 ? 2 : 3), changes < letters.count else { continue }
            if nearest.map({ changes < $0.changes }) ?? true { nearest = (name, changes) }
        }
        return nearest?.name
    }

    /// The maximum number of scalars that are compared. All real names are much shorter.
    private static let longestName = 64

    private static func changes(from typed: [Unicode.Scalar], to name: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...name.count)
        for (row, letter) in typed.enumerated() {
            var current = [row + 1]
            for (column, other) in name.enumerated() {
                var least = Swift.min(
                    last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == name[column - 1], typed[row - 1] == other {
                    least = Swift.min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[name.count]
    }
}
