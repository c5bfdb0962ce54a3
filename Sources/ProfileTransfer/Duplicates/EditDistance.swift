/// The number of letters that must be added, removed, changed or exchanged with the next letter to turn one text into
/// another ("optimal string alignment").
struct EditDistance {
    // The three current rows of the distance table. All calls reuse these arrays, because there are very many calls.
    private var rows: [[Int]] = [[], [], []]

    /// Returns the distance of two texts; nil if it is more than `limit`.
    mutating func between(_ one: [UInt32], _ other: [UInt32], atMost limit: Int) -> Int? {
        guard abs(one.count - other.count) <= limit else { return nil }
        // The common start and the common end are skipped, because most pairs differ only in the middle.
        var start = 0
        while start < min(one.count, other.count), one[start] == other[start] { start += 1 }
        var (end, otherEnd) = (one.count, other.count)
        while end > start, otherEnd > start, one[end - 1] == other[otherEnd - 1] {
            end -= 1
            otherEnd -= 1
        }
        let width = otherEnd - start
        if end == start || width == 0 { return max(end - start, width) <= limit ? max(end - start, width) : nil }
        for index in rows.indices where rows[index].count <= width {
            rows[index] = Array(repeating: 0, count: width + 1)
        }
        for column in 0...width { rows[1][column] = column }
        for row in 1...(end - start) {
            rows[2][0] = row
            var least = row
            for column in 1...width {
                let (letter, otherLetter) = (one[start + row - 1], other[start + column - 1])
                var distance = min(
                    rows[1][column] + 1, rows[2][column - 1] + 1, rows[1][column - 1] + (letter == otherLetter ? 0 : 1))
                if row > 1, column > 1, letter == other[start + column - 2], one[start + row - 2] == otherLetter {
                    distance = min(distance, rows[0][column - 2] + 1)
                }
                rows[2][column] = distance
                least = min(least, distance)
            }
            // For an exchange of letters, the next row uses the row before this row. The least distance in that row may
            // be smaller by 1.
            if least > limit + 1 { return nil }
            rows.swapAt(0, 1)
            rows.swapAt(1, 2)
        }
        return rows[1][width] <= limit ? rows[1][width] : nil
    }
}
