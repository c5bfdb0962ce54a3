package import CSVStream
internal import ProfileCore

/// An input as it stands, opened: decompressed, decoded, and known for CSV or JSON. Whoever reads an input reads it through
/// this.
package struct OpenedInput: ~Copyable, Sendable {
    enum Records: ~Copyable, Sendable {
        case csv(CSVReader)
        case json(JSONElementReader)
    }

    var records: Records
    /// How the characters are written.
    package let encoding: TextEncoding
    /// Whether nothing but the look of the bytes says so.
    package let isEncodingGuessed: Bool
    /// Whether a byte order mark says so.
    package let isMarked: Bool
    /// Whether it is compressed with gzip.
    package let isCompressed: Bool

    /// Reads the beginning. Blocks the thread.
    ///
    /// - Parameters:
    ///   - source: Where the bytes come from, as they are there.
    ///   - format: How it is written, as far as that is known.
    ///   - name: Of the characters' encoding; a byte order mark says more than that. Nil to find out.
    ///   - batchRecords: The most records of CSV in a batch.
    /// - Throws: Why it cannot be opened.
    package init(
        _ source: ByteSource, format: InputFormat, encoding name: String? = nil, batchRecords: Int = .max
    ) throws(InputError) {
        let named = try name.map { name throws(InputError) in
            guard let encoding = TextEncoding(name: name) else { throw .unknownEncoding(name) }
            return encoding
        }
        let head = try Self.head(of: source)
        let isCompressed = head.isCompressed
        let text = try Self.text(of: head, encoding: named)
        let isJSON = try Self.isJSON(text, format: format)
        encoding = text.encoding
        isEncodingGuessed = text.isEncodingGuessed
        isMarked = text.isMarked
        self.isCompressed = isCompressed
        records = Self.records(of: text, isJSON: isJSON, format.options(batchRecords: batchRecords))
    }

    /// Gives the records to one of two functions, by their format.
    ///
    /// A module that imports this one cannot take `records` out of the value.
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

    private static func text(of head: consuming InputHead, encoding: TextEncoding?) throws(InputError) -> TextInput {
        try requireText(head, isEncodingKnown: encoding != nil)
        do throws(ByteStreamError) {
            return try TextInput(head, encoding: encoding)
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

    private static func records(of text: consuming TextInput, isJSON: Bool, _ options: CSVOptions) -> Records {
        isJSON ? .json(JSONElementReader(text: text)) : .csv(CSVReader(options: options, text: text))
    }
}

/// Why an input cannot be opened.
package enum InputError: Error, Sendable {
    case stream(ByteStreamError)
    case unknownEncoding(String)
    /// It is no text with records in it.
    case looksLike(FileKind)
}

extension InputFormat {
    fileprivate func options(batchRecords: Int) -> CSVOptions {
        let delimiter: CSVDelimiter? = if case .csv(let byte?) = self { CSVDelimiter(byte) } else { nil }
        return CSVOptions(
            delimiter: delimiter.map(CSVOptions.Delimiter.character) ?? .automatic, batchRecords: batchRecords)
    }
}

/// What a text that may be JSON begins with.
private enum JSONBeginning {
    /// Whether a text is an object, or an array of objects, as far as its first characters say. The header of a CSV file
    /// may begin with a bracket, too.
    static func isJSON(_ text: Span<UInt8>) -> Bool {
        let first = firstOffset(of: text, from: 0)
        guard first < text.count else { return false }
        let second = firstOffset(of: text, from: first + 1)
        guard second < text.count else { return false }
        switch (text[first], text[second]) {
        case (UInt8(ascii: "{"), UInt8(ascii: "\"")), (UInt8(ascii: "{"), UInt8(ascii: "}")),
            (UInt8(ascii: "["), UInt8(ascii: "{")), (UInt8(ascii: "["), UInt8(ascii: "]")):
            return true
        default: return false
        }
    }

    /// Whether a text begins with an object that its first line does not end, and goes on with what is none.
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

    /// The first byte at `offset` or after it that is no space.
    private static func firstOffset(of text: Span<UInt8>, from offset: Int) -> Int {
        var offset = offset
        while offset < text.count, text[offset] == 0x20 || 0x09...0x0D ~= text[offset] { offset += 1 }
        return offset
    }
}
