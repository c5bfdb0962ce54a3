internal import CSVStream
internal import ProfileTransfer

/// The unusual features of a sheet that were found so far.
struct SheetFindings {
    var mergedRanges = Occurrences()
    var hiddenRows = Occurrences()
    /// The ranges of the hidden columns, counted from 1.
    var hiddenColumns: [ClosedRange<Int>] = []
    var errors = Occurrences()
    var formulasWithoutValue = Occurrences()
    /// The names of the visible sheets that are not read. Empty if the user named the sheet.
    var otherSheets: [String] = []

    /// Returns the warnings for the report. `width` is the number of columns with cells. Hidden columns beyond it do not
    /// count.
    func warnings(width: Int) -> [InputWarning] {
        var warnings: [InputWarning] = []
        if !otherSheets.isEmpty { warnings.append(.otherSheets(otherSheets)) }
        if mergedRanges.count > 0 {
            warnings.append(.mergedCells(ranges: mergedRanges.count, line: mergedRanges.firstLine))
        }
        if hiddenRows.count > 0 { warnings.append(.hiddenRows(count: hiddenRows.count, line: hiddenRows.firstLine)) }
        let columns = hiddenColumns.reduce(0) { $0 + max(0, min($1.upperBound, width) - $1.lowerBound + 1) }
        if columns > 0 { warnings.append(.hiddenColumns(count: columns)) }
        if errors.count > 0 { warnings.append(.errorCells(count: errors.count, line: errors.firstLine)) }
        if formulasWithoutValue.count > 0 {
            warnings.append(
                .formulasWithoutValue(cells: formulasWithoutValue.count, line: formulasWithoutValue.firstLine))
        }
        return warnings
    }
}
