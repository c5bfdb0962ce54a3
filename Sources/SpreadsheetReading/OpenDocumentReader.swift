internal import CSVStream
internal import Platform

/// Reads the sheets of an OpenDocument spreadsheet (`content.xml`), and writes the rows of one of them.
final class OpenDocumentReader: XMLHandler {
    static let part = "content.xml"

    private let rows: RowWriter
    /// The name of the sheet to read; nil for the first that is visible.
    private let chosen: String?
    private(set) var findings = SheetFindings()
    /// The names of all sheets.
    private(set) var sheets: [String] = []
    private(set) var hasFound = false

    /// The styles of hidden sheets.
    private var hiddenStyles: Set<String> = []
    private var style: String?
    /// The number of open `table` elements. A table inside a cell is not a sheet.
    private var tableDepth = 0
    private var isReading = false
    /// The number of open elements whose text does not belong to a cell, such as comments.
    private var skipDepth = 0

    private var column = 0
    private var row = 0
    private var rowRepeats = 1
    private var isRowHidden = false
    /// The cells of the current row that are not empty.
    private var cells: [(column: Int, repeats: Int, text: [UInt8])] = []
    private var rowBytes = 0
    private var cell = Cell()

    private struct Cell {
        var isOpen = false
        var repeats = 1
        /// The value of the cell from an XML attribute. Nil if the text of the cell is its value.
        var value: [UInt8]?
        var isError = false
        var text: [UInt8] = []
        var paragraphs = 0
        var isInParagraph = false
    }

    init(to rows: RowWriter, sheet: String?) {
        self.rows = rows
        chosen = sheet
    }

    func start(_ name: XMLName, _ attributes: XMLAttributes) throws(ByteStreamError) {
        if skipDepth > 0 || isSkipped(name) {
            skipDepth += 1
            return
        }
        switch name {
        case "table":
            tableDepth += 1
            if tableDepth == 1 { startSheet(attributes) }
        case "style": style = attributes.string("name")
        case "table-properties":
            if let style, attributes.isEqual("display", to: "false") { hiddenStyles.insert(style) }
        default:
            guard isReading, tableDepth == 1 else { return }
            try startInSheet(name, attributes)
        }
    }

    private func isSkipped(_ name: XMLName) -> Bool {
        switch name {
        case "annotation", "shapes", "frame", "custom-shape", "tracked-changes", "forms": true
        default: false
        }
    }

    private func startSheet(_ attributes: XMLAttributes) {
        let name = attributes.string("name") ?? ""
        sheets.append(name)
        let isHidden = attributes.string("style-name").map(hiddenStyles.contains) ?? false
        isReading = !hasFound && (chosen.map { $0 == name } ?? !isHidden)
        if isReading { hasFound = true } else if chosen == nil, !isHidden { findings.otherSheets.append(name) }
        (column, row) = (0, 0)
    }

    private func startInSheet(_ name: XMLName, _ attributes: XMLAttributes) throws(ByteStreamError) {
        switch name {
        case "table-row":
            rowRepeats = try repeats(attributes["number-rows-repeated"])
            isRowHidden = isHidden(attributes)
            column = 0
            rowBytes = 0
            cells.removeAll(keepingCapacity: true)
        case "table-cell", "covered-table-cell": try startCell(attributes)
        case "table-column":
            let repeats = min(try repeats(attributes["number-columns-repeated"]), RowWriter.mostColumns)
            if isHidden(attributes), findings.hiddenColumns.count < RowWriter.mostColumns {
                findings.hiddenColumns.append(column + 1...column + repeats)
            }
            column = min(column + repeats, RowWriter.mostColumns)
        case "p", "h":
            guard cell.isOpen else { return }
            if cell.paragraphs > 0 { cell.text.append(UInt8(ascii: "\n")) }
            cell.paragraphs += 1
            cell.isInParagraph = true
        case "s":
            let count = min(attributes.number("c") ?? 1, RowWriter.mostBytes - cell.text.count)
            if cell.isInParagraph { cell.text += repeatElement(UInt8(ascii: " "), count: max(0, count)) }
        case "tab": if cell.isInParagraph { cell.text.append(UInt8(ascii: "\t")) }
        case "line-break": if cell.isInParagraph { cell.text.append(UInt8(ascii: "\n")) }
        default: break
        }
    }

    private func isHidden(_ attributes: XMLAttributes) -> Bool {
        attributes["visibility"] != nil && !attributes.isEqual("visibility", to: "visible")
    }

    /// Reads an attribute that says how often a row or a column is repeated; 1 if the attribute is missing. Throws if the
    /// value is not a whole number from 1 to `Int.max`.
    private func repeats(_ value: UnsafePointer<CChar>?) throws(ByteStreamError) -> Int {
        guard let value else { return 1 }
        let number = Int(decimal: UnsafeBufferPointer(start: value, count: strlen(value)))
        guard let number, number > 0 else { throw .part(Self.part, .unexpected) }
        return number
    }

    private func startCell(_ attributes: XMLAttributes) throws(ByteStreamError) {
        cell = Cell()
        cell.isOpen = true
        cell.repeats = try repeats(attributes["number-columns-repeated"])
        if (attributes.number("number-columns-spanned") ?? 1) > 1 || (attributes.number("number-rows-spanned") ?? 1) > 1
        {
            findings.mergedRanges.add(line: row + 1)
        }
        cell.isError = attributes[exactly: "calcext:value-type"].map { strcmp($0, "error") == 0 } ?? false
        guard let type = attributes.string("value-type") else {
            if attributes["formula"] != nil { findings.formulasWithoutValue.add(line: row + 1) }
            return
        }
        var text: [UInt8] = []
        switch type {
        case "float", "percentage", "currency":
            guard let value = attributes["value"] else { return }
            CellNumber.append(value.bytes.span, to: &text)
        case "date":
            guard let value = attributes["date-value"] else { return }
            ISODate.append(value.bytes, hasTime: true, to: &text)
        case "time":
            guard let value = attributes["time-value"]?.bytes else { return }
            if !Self.append(duration: value, to: &text) { text = value }
        case "boolean": text = attributes["boolean-value"]?.bytes ?? []
        default:
            guard !cell.isError, let value = attributes["string-value"] else { return }
            text = value.bytes
        }
        cell.value = text
    }

    func text(_ text: UnsafeBufferPointer<UInt8>) {
        guard cell.isInParagraph, skipDepth == 0, cell.text.count < RowWriter.mostBytes else { return }
        for byte in text {
            // Several white-space characters in a row become one space (OpenDocument 1.3 part 3, 6.1.2).
            let isSpace = byte == 0x20 || 0x09...0x0D ~= byte
            if !isSpace {
                cell.text.append(byte)
            } else if let last = cell.text.last, last != UInt8(ascii: " "), last != UInt8(ascii: "\n") {
                cell.text.append(UInt8(ascii: " "))
            }
        }
    }

    func end(_ name: XMLName) throws(ByteStreamError) -> Bool {
        if skipDepth > 0 {
            skipDepth -= 1
            return false
        }
        switch name {
        case "table":
            tableDepth -= 1
            if tableDepth == 0 { isReading = false }
        case "style": style = nil
        case "table-row":
            if isReading, tableDepth == 1 {
                try endRow()
                return rows.isFull
            }
        case "table-cell", "covered-table-cell": if isReading, tableDepth == 1 { try endCell() }
        case "p", "h": cell.isInParagraph = false
        default: break
        }
        return false
    }

    private func endCell() throws(ByteStreamError) {
        let text = cell.value ?? cell.text
        if cell.isError { findings.errors.add(line: row + 1) }
        if !text.isEmpty {
            guard cell.repeats <= RowWriter.mostColumns - column else { throw .part(Self.part, .unexpected) }
            cells.append((column + 1, cell.repeats, Array(text.prefix(max(0, RowWriter.mostBytes - rowBytes)))))
            rowBytes += text.count * cell.repeats
        }
        column += min(cell.repeats, RowWriter.mostColumns - column)
        cell.isOpen = false
    }

    private func endRow() throws(ByteStreamError) {
        defer { row += min(rowRepeats, RowWriter.mostRows - row) }
        guard let last = cells.last else { return }
        guard rowRepeats <= RowWriter.mostRows - row else { throw .part(Self.part, .unexpected) }
        // In the output, each column takes at least one byte. A row has at least as many columns as the header.
        let columns = max(last.column + last.repeats, rows.headerWidth)
        guard rowRepeats == 1 || rowRepeats * (min(rowBytes, RowWriter.mostBytes) + columns) <= Self.mostRepeatedBytes
        else { throw .part(Self.part, .tooLarge) }
        for number in row + 1...row + rowRepeats {
            try rows.begin(row: number)
            for cell in cells {
                for column in cell.column..<cell.column + cell.repeats { try rows.cell(column, cell.text) }
            }
            if try rows.endRow(), isRowHidden { findings.hiddenRows.add(line: number) }
        }
    }

    /// The maximum size in bytes of all copies of a repeated row that is not empty. The copies are kept in memory until
    /// they are read.
    private static let mostRepeatedBytes = 64 << 20

    /// Appends a duration such as `PT10H30M00.5S` as `10:30:00.5`. Returns false if it has another form.
    private static func append(duration: [UInt8], to text: inout [UInt8]) -> Bool {
        guard duration.starts(with: Array("PT".utf8)), duration.count <= 64 else { return false }
        var milliseconds = 0.0
        var digits: [UInt8] = []
        for byte in duration.dropFirst(2) {
            let unit: Double
            switch byte {
            case UInt8(ascii: "H"): unit = 3_600_000
            case UInt8(ascii: "M"): unit = 60_000
            case UInt8(ascii: "S"): unit = 1_000
            default:
                digits.append(byte == UInt8(ascii: ",") ? UInt8(ascii: ".") : byte)
                continue
            }
            guard let number = Double(String(decoding: digits, as: UTF8.self)), number >= 0 else { return false }
            milliseconds += number * unit
            digits = []
        }
        guard digits.isEmpty, milliseconds < 1e15 else { return false }
        DateSystem.append(time: Int(milliseconds.rounded()), to: &text)
        return true
    }
}

extension UnsafePointer<CChar> {
    /// A copy of the bytes before the NUL.
    fileprivate var bytes: [UInt8] {
        Array(UnsafeRawBufferPointer(start: self, count: strlen(self)))
    }
}

/// Finds out whether the parts of an OpenDocument file are encrypted.
final class ManifestReader: XMLHandler {
    static let part = "META-INF/manifest.xml"

    private(set) var isEncrypted = false

    func start(_ name: XMLName, _ attributes: XMLAttributes) {
        if "encryption-data" ~= name { isEncrypted = true }
    }
}
