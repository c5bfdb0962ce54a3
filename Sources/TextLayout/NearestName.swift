extension String {
    /// The name that somebody may have meant who wrote this: one that it is the beginning of, or else the one that takes
    /// the fewest changes, if these are few. Nil where no name is near.
    ///
    /// A change is a letter more, less or instead of another one, or two that have changed places (optimal string
    /// alignment); one change is few for a word of three letters, two for one of seven, three for any longer one.
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

    /// Far more than any name has that somebody gave.
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
