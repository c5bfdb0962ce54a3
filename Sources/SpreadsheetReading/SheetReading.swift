internal import CSVStream
internal import ProfileTransfer

/// Reads a sheet once, and returns its rows as CSV in small steps.
final class SheetReading {
    private let bytes: SeekableBytes
    private let choice: SheetChoice
    private let kind: SpreadsheetKind
    private let folder: String
    private var open: OpenSheet?

    /// The sheet that is being read.
    private struct OpenSheet {
        let rows: RowWriter
        let xml: XMLReader
        let content: Content
        var isAtEnd = false
    }

    private enum Content {
        case excel(ExcelSheetReader, otherSheets: [String])
        case openDocument(OpenDocumentReader)
    }

    init(_ bytes: SeekableBytes, _ kind: SpreadsheetKind, _ choice: SheetChoice, keptIn folder: String) {
        self.bytes = bytes
        self.kind = kind
        self.choice = choice
        self.folder = folder
    }

    /// Reads the next bytes of the rows. The first call opens the archive and reads the shared strings.
    ///
    /// - Returns: The number of bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
        var sheet: OpenSheet
        if let open { sheet = open } else { sheet = try openSheet() }
        defer { open = sheet }
        while true {
            let count = sheet.rows.take(into: buffer)
            if count > 0 || sheet.isAtEnd { return count }
            if try sheet.xml.step() { continue }
            sheet.isAtEnd = true
            if case .openDocument(let reader) = sheet.content, !reader.hasFound { throw missing(reader.sheets) }
            try sheet.rows.finish()
        }
    }

    /// The warnings about the rows that were read so far.
    var warnings: [InputWarning] {
        guard let open else { return [] }
        switch open.content {
        case .excel(let reader, let otherSheets):
            var findings = reader.findings
            findings.otherSheets = otherSheets
            return findings.warnings(width: open.rows.greatestWidth)
        case .openDocument(let reader): return reader.findings.warnings(width: open.rows.greatestWidth)
        }
    }

    private func openSheet() throws(ByteStreamError) -> OpenSheet {
        let archive = try ZipArchive(bytes)
        switch kind {
        case .excel(let part): return try openSheet(of: ExcelWorkbook(at: part, of: archive), in: archive)
        case .openDocument:
            if archive.has(ManifestReader.part) {
                let manifest = ManifestReader()
                try XMLReader.read(ManifestReader.part, of: archive, to: manifest)
                if manifest.isEncrypted { throw ByteStreamError(.encrypted) }
            }
            let rows = rows(of: OpenDocumentReader.part, archive)
            let reader = OpenDocumentReader(to: rows, sheet: choice.name)
            let xml = try XMLReader(OpenDocumentReader.part, of: archive, to: reader)
            return OpenSheet(rows: rows, xml: xml, content: .openDocument(reader))
        }
    }

    private func openSheet(of workbook: ExcelWorkbook, in archive: ZipArchive) throws(ByteStreamError) -> OpenSheet {
        let visible = workbook.sheets.filter { !$0.isHidden }
        let found = choice.name.map { name in workbook.sheets.first { $0.name == name } } ?? visible.first
        guard let sheet = found else { throw missing(workbook.sheets.map(\.name)) }
        var strings: SharedStringsReader?
        if let part = workbook.sharedStrings {
            let reader = SharedStringsReader(keptIn: folder)
            try XMLReader.read(part, of: archive, to: reader)
            strings = reader
        }
        let rows = rows(of: sheet.part, archive)
        let reader = ExcelSheetReader(
            part: sheet.part, to: rows, strings: strings, timeFormats: try workbook.timeFormats(in: archive),
            dates: workbook.dates)
        let others = choice.name == nil ? visible.dropFirst().map(\.name) : []
        return OpenSheet(
            rows: rows, xml: try XMLReader(sheet.part, of: archive, to: reader),
            content: .excel(reader, otherSheets: others))
    }

    private func rows(of part: String, _ archive: ZipArchive) -> RowWriter {
        RowWriter(part: part, byteCount: archive.byteCount, headerRow: choice.headerRow)
    }

    private func missing(_ sheets: [String]) -> ByteStreamError {
        guard let name = choice.name, !sheets.isEmpty else { return ByteStreamError(.noSheet) }
        return ByteStreamError(
            choice.isUsual ? .unknownUsualSheet(name, sheets: sheets) : .unknownSheet(name, sheets: sheets))
    }
}

/// The sheet of a workbook to read, and the row that is its header.
struct SheetChoice: Sendable {
    /// The name of the sheet; nil for the first visible one.
    var name: String?
    /// Whether the caller named no sheet, so `name` is the usual name or nil. If true, an input that is not a workbook
    /// is accepted.
    var isUsual = false
    /// The row that determines the number of cells in a row; nil for the first row that is not blank.
    var headerRow: Int?
}
