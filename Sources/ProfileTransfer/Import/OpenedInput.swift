package import CSVStream
internal import Platform
package import ProfileCore

/// An opened input: decompressed, decoded, and detected as CSV or JSON. Every reader of an input uses this type.
package struct OpenedInput: ~Copyable, Sendable {
    enum Records: ~Copyable, Sendable {
        case csv(CSVReader)
        case json(JSONElementReader)
    }

    var records: Records
    /// The character encoding.
    package let encoding: TextEncoding
    /// Whether the encoding was guessed from the bytes.
    package let isEncodingGuessed: Bool
    /// Whether the input has a byte order mark.
    package let isMarked: Bool
    /// Whether the input is compressed with gzip.
    package let isCompressed: Bool
    /// The layout of a CSV input. In a file of rejected rows, the header is always in the first line. For such a file,
    /// the layout contains only `padsShortRows` and `sheet`.
    package let layout: TableLayout

    /// Reads the first bytes and detects the format. A workbook is always read as CSV with commas. Blocks the thread.
    ///
    /// - Parameters:
    ///   - reading: The reading of the input.
    ///   - format: The format, or `automatic` to detect it.
    ///   - encoding: The name of the character encoding, or nil to detect it. A byte order mark overrides this name.
    ///   - layout: The layout of a CSV input.
    ///   - usual: The settings of a store. They are the defaults for values that the other arguments do not specify.
    ///   - header: Recognizes a header that fits the store's schema; nil if there is no store.
    ///   - batchRecords: The maximum number of CSV records in a batch.
    /// - Throws: ``InputError`` if the input cannot be opened.
    package init(
        _ reading: InputReading, format: InputFormat, encoding: String? = nil, layout: TableLayout = TableLayout(),
        usual: ImportSettings = ImportSettings(), header: StoreHeader? = nil,
        batchRecords: Int = .max
    ) throws(InputError) {
        let isSheet: Bool
        do throws(ByteStreamError) { isSheet = try reading.sheet?.isSheet() ?? false } catch { throw .stream(error) }
        let format = isSheet ? .csv(delimiter: CSVDelimiter.comma.byte) : format
        let encodings = (
            given: try Self.encoding(named: isSheet ? "UTF-8" : encoding),
            usual: try Self.encoding(named: usual.encoding)
        )
        let head = try Self.head(of: reading.source)
        let isCompressed = head.isCompressed
        let text = try Self.text(of: head, encoding: encodings.given, usual: encodings.usual)
        let isJSON = try Self.isJSON(text, format: format)
        self.encoding = text.encoding
        isEncodingGuessed = text.isEncodingGuessed
        isMarked = text.isMarked
        self.isCompressed = isCompressed
        self.layout = isJSON ? layout : Self.layout(of: text, layout, usual, format, isSheet: isSheet, header)
        records = Self.records(
            of: text, isJSON: isJSON,
            format.options(
                self.layout, usual: usual.delimiter, batchRecords: batchRecords, isLinePerRecord: isSheet))
    }

    /// Passes the records to the closure for their format: CSV or JSON.
    ///
    /// Other modules need this method, because they cannot consume the property `records`.
    package consuming func read<Value: ~Copyable, Failure: Error>(
        csv: (consuming CSVReader) throws(Failure) -> Value,
        json: (consuming JSONElementReader) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        switch consume records {
        case .csv(let reader): return try csv(reader)
        case .json(let elements): return try json(elements)
        }
    }

    private static func head(of source: ByteSource) throws(InputError) -> InputHead {
        do throws(ByteStreamError) { return try InputHead(source) } catch { throw .stream(error) }
    }

    private static func encoding(named name: String?) throws(InputError) -> TextEncoding? {
        guard let name else { return nil }
        guard let encoding = TextEncoding(name: name) else { throw .unknownEncoding(name) }
        return encoding
    }

    private static func text(
        of head: consuming InputHead, encoding: TextEncoding?, usual: TextEncoding?
    ) throws(InputError) -> TextInput {
        try requireText(head, isEncodingKnown: encoding != nil || usual != nil)
        do throws(ByteStreamError) {
            return try TextInput(head, encoding: encoding, usual: usual)
        } catch {
            throw .stream(error)
        }
    }

    private static func requireText(_ head: borrowing InputHead, isEncodingKnown: Bool) throws(InputError) {
        if let kind = FileKind(ofBytes: head.bytes, isEncodingKnown: isEncodingKnown) { throw .looksLike(kind) }
    }

    private static func isJSON(_ text: borrowing TextInput, format: InputFormat) throws(InputError) -> Bool {
        if let kind = FileKind(ofText: text.beginning) { throw .looksLike(kind) }
        let isJSON =
            switch format {
            case .automatic: JSONBeginning.isJSON(text.beginning)
            case .csv: false
            case .json: true
            }
        if isJSON, JSONBeginning.isOneObjectOverLines(text.beginning) { throw .looksLike(.jsonObject) }
        return isJSON
    }

    /// Returns the layout of a CSV text. In a file of rejected rows, the header is always in the first line. If the
    /// options do not say where the table begins, this method searches the first lines for a header that fits the
    /// store's schema. A line in the store's settings is not enough: the number of lines above the header may differ
    /// from file to file.
    private static func layout(
        of text: borrowing TextInput, _ given: TableLayout, _ usual: ImportSettings, _ format: InputFormat,
        isSheet: Bool, _ header: StoreHeader?
    ) -> TableLayout {
        let layout = given.completed(by: usual.layout)
        var rejects = TableLayout()
        rejects.padsShortRows = layout.padsShortRows
        rejects.sheet = layout.sheet
        guard layout != rejects || header != nil else { return layout }
        var bytes = text.beginning.withUnsafeBufferPointer { Array($0) }
        // The rows below the header may contain passwords.
        defer { bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { explicit_bzero(start, $0.count) } } }
        func record(_ layout: TableLayout) -> (line: Int, cells: [String])? {
            format.firstRecord(
                of: bytes, format.options(layout, usual: usual.delimiter, isLinePerRecord: isSheet))
        }
        let firstOfRejects = record(rejects)
        if let firstOfRejects, ImportColumns.isOfRejects(firstOfRejects.cells) { return rejects }
        guard let header, !given.givesBeginning else { return layout }
        var atStart = rejects
        atStart.comment = layout.comment
        guard let first = atStart == rejects ? firstOfRejects : record(atStart) else { return layout }
        let fit = header.fit(first.cells)
        if fit == .header || fit == .flawed || fit == .possible && layout == atStart { return atStart }
        guard layout.hasHeader else { return layout }
        var found = atStart
        for line in first.line + 1..<max(first.line + 1, header.mostLines) {
            found.headerLine = line
            guard let record = record(found) else { break }
            if record.line == line, header.fit(record.cells) == .header { return found }
        }
        // The search found no header. The layout of the settings is used only if the first line cannot be the header
        // and the line that the settings name can be it. If neither line can be the header, the error is about the
        // first line.
        let isUsual = record(layout).map { header.fit($0.cells) != .none } ?? false
        return fit == .possible || !isUsual ? atStart : layout
    }

    private static func records(of text: consuming TextInput, isJSON: Bool, _ options: CSVOptions) -> Records {
        isJSON ? .json(JSONElementReader(text: text)) : .csv(CSVReader(options: options, text: text))
    }
}

/// The reason that an input cannot be opened.
package enum InputError: Error, Sendable {
    case stream(ByteStreamError)
    case unknownEncoding(String)
    /// The input is a file of this kind, not text with records.
    case looksLike(FileKind)
}

extension InputFormat {
    fileprivate func options(
        _ layout: TableLayout, usual: UInt8?, batchRecords: Int = .max, isLinePerRecord: Bool = false
    ) -> CSVOptions {
        let delimiter: CSVDelimiter? = if case .csv(let byte?) = self { CSVDelimiter(byte) } else { nil }
        return CSVOptions(
            delimiter: delimiter.map(CSVOptions.Delimiter.character)
                ?? .automatic(usual: usual.flatMap(CSVDelimiter.init)),
            batchRecords: batchRecords, skippedLines: layout.headerLine.map { $0 - 1 } ?? layout.skippedLines,
            comment: layout.comment, hasHeader: layout.hasHeader, isLinePerRecord: isLinePerRecord)
    }

    /// Returns the line and the cells of the first record of a text; nil if it is unreadable.
    fileprivate func firstRecord(of text: [UInt8], _ options: CSVOptions) -> (line: Int, cells: [String])? {
        var reader = CSVReader(options: options, source: .bytes(text))
        var records = RecordBatch(containsSecrets: true)
        guard (try? reader.header(into: &records)) == true, let header = records.records.first else { return nil }
        return (header.line, header.cells.map { String(records.cell($0)) })
    }
}

/// Detects JSON from the start of a text.
private enum JSONBeginning {
    /// Whether a text starts with a JSON object, or with an array of objects or arrays. The first character alone is
    /// not enough, because the header of a CSV file may start with a bracket.
    static func isJSON(_ text: Span<UInt8>) -> Bool {
        let first = firstOffset(of: text, from: 0)
        guard first < text.count else { return false }
        let second = firstOffset(of: text, from: first + 1)
        guard second < text.count else { return false }
        switch (text[first], text[second]) {
        case (UInt8(ascii: "{"), UInt8(ascii: "\"")), (UInt8(ascii: "{"), UInt8(ascii: "}")),
            (UInt8(ascii: "["), UInt8(ascii: "{")), (UInt8(ascii: "["), UInt8(ascii: "[")),
            (UInt8(ascii: "["), UInt8(ascii: "]")):
            return true
        default: return false
        }
    }

    /// Whether a text starts with one object that is written over several lines. In such a text, the object does not
    /// end in the first line, and the next line does not start another object.
    static func isOneObjectOverLines(_ text: Span<UInt8>) -> Bool {
        let first = firstOffset(of: text, from: 0)
        guard first < text.count, text[first] == UInt8(ascii: "{") else { return false }
        var end = first
        while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
        let next = firstOffset(of: text, from: end)
        guard next < text.count, text[next] != UInt8(ascii: "{") else { return false }
        do throws(JSONError) {
            _ = try JSONValue(parsing: text.extracting(first..<end))
            return false
        } catch {
            return error.reason == .unexpectedEnd
        }
    }

    /// Returns the offset of the first byte at or after `offset` that is not white space.
    private static func firstOffset(of text: Span<UInt8>, from offset: Int) -> Int {
        var offset = offset
        while offset < text.count, text[offset] == 0x20 || 0x09...0x0D ~= text[offset] { offset += 1 }
        return offset
    }
}
