internal import CExpat
internal import CSVStream
internal import Platform

/// Receives the elements of an XML document. The namespaces of names are not resolved: only the local part of a name is
/// compared. In the parts of a workbook, elements of different namespaces do not have the same local name.
protocol XMLHandler: AnyObject {
    func start(_ name: XMLName, _ attributes: XMLAttributes) throws(ByteStreamError)
    /// Returns whether the reader should pause after this element, because enough output is waiting.
    func end(_ name: XMLName) throws(ByteStreamError) -> Bool
    func text(_ text: UnsafeBufferPointer<UInt8>)
}

extension XMLHandler {
    func end(_ name: XMLName) -> Bool { false }
    func text(_ text: UnsafeBufferPointer<UInt8>) {}
}

/// The name of an element. It is valid only during the call of a handler.
struct XMLName {
    private let local: UnsafePointer<CChar>

    init(_ name: UnsafePointer<CChar>) {
        local = strchr(name, CInt(UInt8(ascii: ":"))).map { UnsafePointer($0 + 1) } ?? name
    }

    /// The name, if it is a single letter; otherwise 0.
    @inline(__always)
    var letter: UInt8 { local[0] != 0 && local[1] == 0 ? UInt8(bitPattern: local[0]) : 0 }

    static func ~= (name: StaticString, element: XMLName) -> Bool { strcmp(element.local, name.start) == 0 }
}

/// The attributes of an element. They are valid only during the call of a handler.
struct XMLAttributes {
    private let list: UnsafeMutablePointer<UnsafePointer<CChar>?>?

    init(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) { self.list = list }

    /// Returns the value of the attribute with a local name. LibreOffice repeats some attributes with the prefix
    /// `calcext`, and these are left out.
    subscript(name: StaticString) -> UnsafePointer<CChar>? {
        find { attribute in
            guard let colon = strchr(attribute, CInt(UInt8(ascii: ":"))) else {
                return strcmp(attribute, name.start) == 0
            }
            return strcmp(colon + 1, name.start) == 0 && strncmp(attribute, "calcext:", 8) != 0
        }
    }

    /// Returns the value of the attribute with a prefix and a local name.
    subscript(exactly name: StaticString) -> UnsafePointer<CChar>? { find { strcmp($0, name.start) == 0 } }

    func string(_ name: StaticString) -> String? { self[name].map { String(cString: $0) } }

    func number(_ name: StaticString) -> Int? {
        self[name].flatMap { Int(decimal: UnsafeBufferPointer(start: $0, count: strlen($0))) }
    }

    /// Whether the attribute is true, as `xsd:boolean`.
    func isTrue(_ name: StaticString) -> Bool {
        self[name].map { strcmp($0, "1") == 0 || strcmp($0, "true") == 0 } ?? false
    }

    func isEqual(_ name: StaticString, to value: StaticString) -> Bool {
        self[name].map { strcmp($0, value.start) == 0 } ?? false
    }

    /// Calls `body` with the name and the value of each attribute whose name is a single letter.
    @inline(__always)
    func eachLetter(_ body: (UInt8, UnsafePointer<CChar>) -> Void) {
        guard var next = list else { return }
        while let attribute = next[0], let value = next[1] {
            if attribute[0] != 0, attribute[1] == 0 { body(UInt8(bitPattern: attribute[0]), value) }
            next += 2
        }
    }

    @inline(__always)
    private func find(_ matches: (UnsafePointer<CChar>) -> Bool) -> UnsafePointer<CChar>? {
        guard var next = list else { return nil }
        while let attribute = next[0], let value = next[1] {
            if matches(attribute) { return value }
            next += 2
        }
        return nil
    }
}

extension StaticString {
    fileprivate var start: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}

extension Int {
    /// Reads a text of at most 18 decimal digits.
    init?(decimal text: UnsafeBufferPointer<CChar>) {
        guard 1...18 ~= text.count else { return nil }
        var value = 0
        for byte in text {
            guard 48...57 ~= byte else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        self = value
    }
}

/// Parses a part of a workbook step by step.
///
/// A document type is refused, so there are no entities that could expand. The depth of the elements and the length of
/// a tag are limited. The parser holds at most one tag and one chunk in memory.
final class XMLReader {
    private let parser: XML_Parser
    private let archive: ZipArchive
    private let part: String
    private let handler: any XMLHandler
    private var failure: ByteStreamError?
    private var depth = 0
    private var fed: Int64 = 0
    private var isSuspended = false
    private var isAtEnd = false

    private static let chunk = 1 << 16
    private static let mostDepth = 256
    private static let longestTag: Int64 = 4 << 20
    /// After a fault, at most 256 MiB of the part are read to find a checksum error, which takes about a second. The
    /// XML of a sheet with a million rows is usually shorter.
    private static let mostChunksAfterFault = 1 << 12

    /// Opens a part. The archive must not open another part before the reader has reached the end.
    init(_ part: String, of archive: ZipArchive, to handler: any XMLHandler) throws(ByteStreamError) {
        try archive.open(part)
        guard let parser = XML_ParserCreate(nil) else { throw ByteStreamError(operation: .read, code: ENOMEM) }
        self.parser = parser
        self.archive = archive
        self.part = part
        self.handler = handler
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(parser) { reader, name, attributes in
            guard let name else { return }
            XMLReader.of(reader)?.start(XMLName(name), XMLAttributes(attributes))
        } _: { reader, name in
            guard let name else { return }
            XMLReader.of(reader)?.end(XMLName(name))
        }
        XML_SetCharacterDataHandler(parser) { reader, text, count in
            guard let text else { return }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(count)).bindMemory(to: UInt8.self)
            XMLReader.of(reader)?.handler.text(bytes)
        }
        XML_SetStartDoctypeDeclHandler(parser) { reader, _, _, _, _ in XMLReader.of(reader)?.refuse() }
    }

    deinit { XML_ParserFree(parser) }

    /// Parses a whole part.
    static func read(
        _ part: String, of archive: ZipArchive, to handler: any XMLHandler
    ) throws(ByteStreamError) {
        let reader = try XMLReader(part, of: archive, to: handler)
        while try reader.step() {}
    }

    /// Parses the next bytes of the part.
    ///
    /// - Returns: False at the end of the part.
    func step() throws(ByteStreamError) -> Bool {
        do throws(ByteStreamError) { return try parse() } catch { throw cause(of: error) }
    }

    private func parse() throws(ByteStreamError) -> Bool {
        if isAtEnd { return false }
        let status = isSuspended ? XML_ResumeParser(parser) : try parseChunk()
        if let failure { throw failure }
        isSuspended = status == XML_STATUS_SUSPENDED
        guard isSuspended || status == XML_STATUS_OK else { throw malformed }
        // The parser may parse an incomplete tag again with each chunk, so the length of a tag is limited.
        guard isSuspended || fed - Int64(XML_GetCurrentByteIndex(parser)) <= Self.longestTag else { throw malformed }
        var progress = XML_ParsingStatus()
        XML_GetParsingStatus(parser, &progress)
        isAtEnd = progress.parsing == XML_FINISHED
        return !isAtEnd
    }

    /// Returns the cause of an error. Damaged bytes often cause a parse error before the checksum at the end is compared.
    /// Reads the rest, and returns the checksum error if there is one.
    private func cause(of error: ByteStreamError) -> ByteStreamError {
        guard case .unreadablePart(_, let fault) = error.cause as? SpreadsheetError else { return error }
        switch fault {
        case .malformed, .unexpected: break
        case .missing, .damaged, .unknownCompression, .tooLarge: return error
        }
        var rest = [UInt8](repeating: 0, count: Self.chunk)
        do throws(ByteStreamError) {
            for _ in 0..<Self.mostChunksAfterFault {
                var span = rest.mutableSpan
                let count = try span.withUnsafeMutableBytes { bytes throws(ByteStreamError) in
                    try archive.read(into: bytes)
                }
                if count == 0 { break }
            }
            return error
        } catch {
            if case .unreadablePart(_, .damaged) = error.cause as? SpreadsheetError { return error }
        }
        return error
    }

    private func parseChunk() throws(ByteStreamError) -> XML_Status {
        guard let buffer = XML_GetBuffer(parser, CInt(Self.chunk)) else {
            throw ByteStreamError(operation: .read, code: ENOMEM)
        }
        let count = try archive.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Self.chunk))
        fed += Int64(count)
        return XML_ParseBuffer(parser, CInt(count), count == 0 ? 1 : 0)
    }

    private var malformed: ByteStreamError {
        .part(part, .malformed(line: Int(clamping: XML_GetCurrentLineNumber(parser))))
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> XMLReader? {
        pointer.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private func start(_ name: XMLName, _ attributes: XMLAttributes) {
        depth += 1
        guard depth <= Self.mostDepth else { return refuse() }
        do throws(ByteStreamError) { try handler.start(name, attributes) } catch { stop(error) }
    }

    private func end(_ name: XMLName) {
        depth -= 1
        guard failure == nil else { return }
        do throws(ByteStreamError) { if try handler.end(name) { XML_StopParser(parser, 1) } } catch { stop(error) }
    }

    private func refuse() { stop(malformed) }

    private func stop(_ error: ByteStreamError) {
        if failure == nil { failure = error }
        XML_StopParser(parser, 0)
    }
}
