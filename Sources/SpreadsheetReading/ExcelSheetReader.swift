internal import CSVStream
internal import Platform

/// Reads the XML of one sheet of an Excel workbook, and writes the rows of the sheet.
final class ExcelSheetReader: XMLHandler {
    private let part: String
    private let rows: RowWriter
    private let strings: SharedStringsReader?
    private let timeFormats: [TimeFormat?]
    private let dates: DateSystem
    private(set) var findings = SheetFindings()

    private var isInData = false
    private var isRowHidden = false
    private var isInValue = false
    private var hasFormula = false
    private var column = 0
    private var type = CellType.number
    private var format: TimeFormat?
    /// The content of the element `v`.
    private var value: [UInt8] = []
    /// The text of a cell with an inline string, which is not one of the shared strings.
    private var inline = RichText()
    private var text: [UInt8] = []

    private enum CellType {
        case number, shared, formulaText, inline, boolean, error, date

        init(_ name: UnsafePointer<CChar>) {
            self =
                switch (UInt8(bitPattern: name[0]), name[0] != 0 && name[1] == 0) {
                case (UInt8(ascii: "s"), true): .shared
                case (UInt8(ascii: "s"), false): .formulaText
                case (UInt8(ascii: "i"), _): .inline
                case (UInt8(ascii: "b"), _): .boolean
                case (UInt8(ascii: "e"), _): .error
                case (UInt8(ascii: "d"), _): .date
                default: .number
                }
        }
    }

    init(
        part: String, to rows: RowWriter, strings: SharedStringsReader?, timeFormats: [TimeFormat?], dates: DateSystem
    ) {
        self.part = part
        self.rows = rows
        self.strings = strings
        self.timeFormats = timeFormats
        self.dates = dates
    }

    func start(_ name: XMLName, _ attributes: XMLAttributes) throws(ByteStreamError) {
        guard isInData else { return startOutside(name, attributes) }
        switch name.letter {
        case UInt8(ascii: "c"): return try startCell(attributes)
        case UInt8(ascii: "v"):
            isInValue = true
            return value.removeAll(keepingCapacity: true)
        case UInt8(ascii: "f"): return hasFormula = true
        default: break
        }
        switch name {
        case "row":
            let number = attributes["r"] == nil ? rows.row + 1 : attributes.number("r")
            try rows.begin(row: number ?? 0)
            isRowHidden = attributes.isTrue("hidden")
            column = 0
        case "is": inline.begin()
        default: inline.start(name)
        }
    }

    private func startOutside(_ name: XMLName, _ attributes: XMLAttributes) {
        switch name {
        case "sheetData": isInData = true
        case "col":
            // A hostile sheet may have any number of these elements, so the number of kept ranges is limited.
            guard attributes.isTrue("hidden"), let first = attributes.number("min"),
                let last = attributes.number("max"), first <= last, findings.hiddenColumns.count < RowWriter.mostColumns
            else { return }
            findings.hiddenColumns.append(first...last)
        case "mergeCell":
            let row = attributes["ref"].map { Self.reference($0).row } ?? 0
            findings.mergedRanges.add(line: row)
        default: break
        }
    }

    private func startCell(_ attributes: XMLAttributes) throws(ByteStreamError) {
        column += 1
        type = .number
        var style = 0
        attributes.eachLetter { name, value in
            switch name {
            case UInt8(ascii: "r"): column = Self.reference(value).column
            case UInt8(ascii: "t"): type = CellType(value)
            case UInt8(ascii: "s"): style = Int(decimal: UnsafeBufferPointer(start: value, count: strlen(value))) ?? 0
            default: break
            }
        }
        guard 1...RowWriter.mostColumns ~= column else { throw .part(part, .unexpected) }
        format = style < timeFormats.count ? timeFormats[style] : nil
        hasFormula = false
        value.removeAll(keepingCapacity: true)
        inline.begin()
    }

    func text(_ text: UnsafeBufferPointer<UInt8>) {
        if isInValue {
            if value.count < RowWriter.mostBytes { value.append(contentsOf: text) }
        } else {
            inline.append(text)
        }
    }

    func end(_ name: XMLName) throws(ByteStreamError) -> Bool {
        guard isInData else { return false }
        switch name.letter {
        case UInt8(ascii: "c"):
            try endCell()
            return false
        case UInt8(ascii: "v"):
            isInValue = false
            return false
        default: break
        }
        switch name {
        case "row":
            if try rows.endRow(), isRowHidden { findings.hiddenRows.add(line: rows.row) }
            return rows.isFull
        case "sheetData": isInData = false
        default: inline.end(name)
        }
        return false
    }

    private func endCell() throws(ByteStreamError) {
        text.removeAll(keepingCapacity: true)
        // A program may indent the XML. The white space belongs to the value only if the value is a text.
        if type != .formulaText, let first = value.first, let last = value.last, first <= 0x20 || last <= 0x20 {
            value = Array(value.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed())
        }
        if value.isEmpty, type != .inline {
            // Programs that do not evaluate formulas, such as libraries that write workbooks, store no value.
            if hasFormula, type != .formulaText { findings.formulasWithoutValue.add(line: rows.row) }
            return
        }
        switch type {
        case .number:
            if let format, let number = Double(String(decoding: value, as: UTF8.self)),
                dates.append(number, format, to: &text)
            {
                break
            }
            CellNumber.append(value.span, to: &text)
        case .shared:
            guard let number = Int(String(decoding: value, as: UTF8.self)), let strings,
                try strings.appendString(number, to: &text)
            else { throw .part(part, .unexpected) }
        case .formulaText:
            RichText.unescape(&value)
            text.append(value.span)
        case .inline:
            inline.end()
            text.append(inline.bytes.span)
        case .boolean:
            text +=
                value == [UInt8(ascii: "1")]
                ? "true".utf8
                : value == [UInt8(ascii: "0")]
                    ? "false".utf8
                    : ""
                        .utf8
            if text.isEmpty { text.append(value.span) }
        case .error:
            // The value is the text of the error, such as `#DIV/0!`. Excel also writes this text into a CSV file.
            text.append(value.span)
            findings.errors.add(line: rows.row)
        case .date: ISODate.append(value, hasTime: format?.hasTime, to: &text)
        }
        try rows.cell(column, text)
    }

    /// Returns the column and the row of the first cell of a reference such as `AB12` or `AB12:AC13`. Both are 0 if the
    /// text is not a reference.
    private static func reference(_ text: UnsafePointer<CChar>) -> (column: Int, row: Int) {
        var next = text
        var column = 0
        while isalpha(CInt(next.pointee)) != 0, column <= RowWriter.mostColumns {
            column = column * 26 + Int(next.pointee | 0x20) - 96
            next += 1
        }
        var row = 0
        while 48...57 ~= next.pointee, row <= RowWriter.mostRows {
            row = row * 10 + Int(next.pointee) - 48
            next += 1
        }
        guard next.pointee == 0 || next.pointee == CChar(UInt8(ascii: ":")) else { return (0, 0) }
        return (column, row)
    }
}

/// A date that a workbook stores as text in the form of ISO 8601.
enum ISODate {
    /// Appends the date. Leaves out a fraction of zero, and a time of midnight unless the cell shows times.
    static func append(_ date: [UInt8], hasTime: Bool?, to text: inout [UInt8]) {
        var date = date[...]
        if let point = date.firstIndex(of: UInt8(ascii: ".")),
            date[(point + 1)...].allSatisfy({ $0 == UInt8(ascii: "0") })
        {
            date = date[..<point]
        }
        let midnight = Array("T\("00:00:00")".utf8)
        if hasTime != true, date.count == 10 + midnight.count, date.suffix(midnight.count).elementsEqual(midnight) {
            date = date.prefix(10)
        }
        text += date
    }
}
