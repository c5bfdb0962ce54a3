internal import SpreadsheetReading
internal import TextLayout

// Errors of reading a workbook.
extension CommandFailure {
    /// Makes the failure for a workbook that cannot be read.
    init(_ error: SpreadsheetError, _ attempt: ImportAttempt) {
        let save = "Open it in a spreadsheet program, and save it as .xlsx"
        switch error {
        case .encrypted:
            self.init(
                .badInput, "The workbook is encrypted with a password\(attempt.nothingDone)",
                "Save a copy without a password, and import that")
        case .unsupported(.binaryWorkbook):
            self.init(.badInput, "The input is a binary workbook (.xlsb)\(attempt.nothingDone)", save)
        case .unsupported(.numbers):
            self.init(
                .badInput, "The input is a spreadsheet of Numbers\(attempt.nothingDone)",
                "Export it as Excel (.xlsx) or CSV, and import that")
        case .damagedArchive:
            self.init(
                .badInput, "The input is damaged or cut off\(attempt.nothingDone)",
                "It begins like a workbook or another archive", Self.fetchAgain)
        case .unreadablePart(let part, let fault): self.init(fault, of: part.quoted(longest: 200))
        case .noSheet:
            self.init(
                .badInput, "The workbook has no visible sheet with cells\(attempt.nothingDone)",
                "If a hidden sheet has the rows, name it with --sheet")
        case .unknownSheet(let name, let sheets):
            self.init(
                .usage, "The workbook has no sheet \(name.quoted(longest: 64))\(attempt.nothingDone)",
                Self.names(of: sheets))
        case .unknownUsualSheet(let name, let sheets):
            self.init(
                .badInput,
                "The workbook has no sheet \(name.quoted(longest: 64)), which the store's rules name (profiles.sheet)"
                    + attempt.nothingDone, Self.names(of: sheets), "Choose one of them with --sheet")
        case .notSpreadsheet:
            self.init(.usage, "--sheet names a sheet, but the input is not a workbook\(attempt.nothingDone)")
        }
    }

    private static let fetchAgain = "Fetch the file again, or ask for a new copy"

    private static func names(of sheets: [String]) -> String {
        "Its sheets are: " + list(sheets.map { $0.quoted(longest: 64) }, most: 20)
    }

    /// Makes the failure for a part of a workbook. `part` is its name in quotes.
    private init(_ fault: SpreadsheetError.PartFault, of part: String) {
        let save = "Open it in a spreadsheet program, and save it as .xlsx"
        switch fault {
        case .missing: self.init(.badInput, "The workbook is damaged: its part \(part) is missing", Self.fetchAgain)
        case .damaged:
            self.init(
                .badInput, "The workbook is damaged or cut off: its part \(part) does not match its checksum",
                Self.fetchAgain)
        case .unknownCompression:
            self.init(
                .badInput, "The part \(part) of the workbook is damaged, or compressed with an unknown method", save)
        case .malformed(let line):
            self.init(
                .badInput, "The part \(part) of the workbook is not well-formed XML, in line \(line) of the part", save)
        case .unexpected:
            self.init(
                .badInput,
                "The part \(part) of the workbook has a cell, a row or a reference that no spreadsheet program writes",
                save)
        case .tooLarge:
            self.init(
                .badInput,
                "The part \(part) of the workbook is far larger than its compressed data, "
                    + "as if it was made to exhaust the memory", save)
        }
    }
}
