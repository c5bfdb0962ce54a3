/// Rows of cells in aligned columns, two spaces apart.
struct TextTable {
    enum Alignment { case left, right }

    private let alignments: [Alignment]
    private var widths: [Int]
    private var rows: [[String]] = []

    init(_ alignments: [Alignment]) {
        self.alignments = alignments
        widths = alignments.map { _ in 0 }
    }

    /// - Parameter cells: One a column.
    mutating func add(_ cells: [String]) {
        rows.append(cells)
        widths = zip(widths, cells).map { max($0, $1.count) }
    }

    /// The table without a line end at its end, and without spaces at the ends of its lines.
    func text(indentation: Int = 0) -> String {
        rows.map { cells in
            var line = ""
            // Spaces are written only when something follows them.
            var gap = indentation
            for ((cell, width), alignment) in zip(zip(cells, widths), alignments) {
                let padding = width - cell.count
                if alignment == .right { gap += padding }
                if !cell.isEmpty {
                    line += String(repeating: " ", count: gap) + cell
                    gap = 0
                }
                gap += alignment == .left ? padding + 2 : 2
            }
            return line
        }.joined(separator: "\n")
    }
}

extension Int {
    /// With a comma between thousands: `1,000,000`.
    var grouped: String {
        let digits = String(magnitude)
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }
}
