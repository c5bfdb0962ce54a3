internal import TerminalUI
internal import ProfileStore

/// Rows of text in aligned columns, under headings.
struct TextTable {
    let headings: [String]
    private(set) var rows: [[String]] = []

    init(_ headings: [String]) { self.headings = headings }

    /// Adds a row; a missing value is shown as a dash.
    mutating func add(_ cells: [String?]) { rows.append(cells.map { $0?.visible ?? "–" }) }

    /// The lines, each ending in a line end and none in spaces.
    var text: String {
        let lines = [headings] + rows
        let widths = headings.indices.map { column in
            lines.lazy.map { column < $0.count ? $0[column].displayWidth : 0 }.max() ?? 0
        }
        return lines.map { cells in
            zip(cells, widths).map { $0.padded(to: $1) }.joined(separator: "  ").withoutTrailingSpaces + "\n"
        }.joined()
    }
}

/// Names and values, aligned, one a line: what there is to know of one thing.
struct TextBlock {
    private var lines: [(name: String, value: String)?] = []

    /// Adds a line; a missing value is shown as a dash.
    mutating func add(_ name: String, _ value: String?) { lines.append((name, value?.visible ?? "–")) }

    /// Sets what follows apart by an empty line.
    mutating func addGap() { lines.append(nil) }

    /// The lines, each ending in a line end and none in spaces.
    var text: String {
        let width = lines.compactMap { $0?.name.displayWidth }.max() ?? 0
        return lines.map { line in
            guard let line else { return "\n" }
            return (line.name.padded(to: width) + "  " + line.value).withoutTrailingSpaces + "\n"
        }.joined()
    }
}

extension String {
    fileprivate var withoutTrailingSpaces: String {
        guard let end = lastIndex(where: { $0 != " " }) else { return "" }
        return String(self[...end])
    }
}
