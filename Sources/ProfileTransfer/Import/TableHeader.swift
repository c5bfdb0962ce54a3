internal import ProfileCore

/// The names of the columns of a CSV input (I2).
package struct TableHeader: Sendable {
    /// The name of each column. If several columns have the same name in the header, the later ones get a number:
    /// `name`, `name_2`, `name_3`.
    /// Without a header, the names are `column_1`, `column_2`, ….
    package let names: [String]
    /// The cells of the header as read, or the names if the input has no header. A later record with the same cells
    /// repeats the header.
    package let cells: [String]
    /// Whether the input has a header.
    package let isInInput: Bool
    /// The header of each column that got a number. The key is the position of the column.
    let repeated: [Int: String]
    private let repeatedNames: Set<String>

    /// The length of the first cell in bytes; nil if the input has no header. It serves as a quick check whether a
    /// record may repeat the header.
    package var firstLength: Int? { isInInput ? cells.first?.utf8.count : nil }

    /// Creates the names from the cells of a header.
    init(cells: [String]) {
        var names = cells
        var repeated: [Int: String] = [:]
        var numbers: [String: Int] = [:]
        var taken = Set(cells.map { FoldedHeader($0.trimmed) })
        for (position, cell) in cells.enumerated() {
            let name = cell.trimmed
            if name.isEmpty || ImportColumns.rejectColumns.contains(name) { continue }
            guard var number = numbers[name] else {
                numbers[name] = 1
                continue
            }
            // The file may already have a column with the numbered name.
            repeat { number += 1 } while !taken.insert(FoldedHeader("\(name)_\(number)")).inserted
            numbers[name] = number
            names[position] = "\(name)_\(number)"
            repeated[position] = name
        }
        self.names = names
        self.cells = cells
        self.repeated = repeated
        repeatedNames = Set(repeated.values)
        isInInput = true
    }

    /// Creates the names of the columns of an input without a header.
    init(columns: Int) {
        names = (0..<columns).map { "column_\($0 + 1)" }
        cells = names
        repeated = [:]
        repeatedNames = []
        isInInput = false
    }

    /// Whether another column has the same header as this column.
    func isRepeated(_ position: Int) -> Bool {
        repeated[position] != nil || repeatedNames.contains(cells[position].trimmed)
    }

    /// The warning about repeated headers, if there are any.
    package var warnings: [InputWarning] {
        guard let first = repeated.keys.min() else { return [] }
        return [.repeatedHeaders(columns: repeated.count, name: names[first])]
    }
}
