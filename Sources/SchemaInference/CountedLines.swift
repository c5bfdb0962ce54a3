/// A count of occurrences, with the lines of the first ones.
public struct CountedLines: Hashable, Sendable {
    /// The number of all occurrences.
    public private(set) var count = 0
    /// The lines of the first occurrences in ascending order, at most ``mostLines``.
    public private(set) var lines: [Int] = []

    /// The maximum number of lines that are kept.
    public static let mostLines = 10

    mutating func add(line: Int) {
        count += 1
        insert(line)
    }

    /// Counts occurrences whose lines are not known.
    mutating func add(count: Int) { self.count += count }

    mutating func merge(_ other: CountedLines) {
        count += other.count
        for line in other.lines { insert(line) }
    }

    func merged(with other: CountedLines) -> CountedLines {
        var both = self
        both.merge(other)
        return both
    }

    private mutating func insert(_ line: Int) {
        if lines.count == Self.mostLines, let last = lines.last, line >= last { return }
        lines.insert(line, at: lines.firstIndex { $0 > line } ?? lines.endIndex)
        if lines.count > Self.mostLines { lines.removeLast() }
    }
}
