/// What a file is that holds no records in text, as its first bytes say.
public enum FileKind: String, Hashable, Sendable, CaseIterable {
    /// A workbook of Excel or LibreOffice: a ZIP archive of XML.
    case spreadsheet
    /// A file of Office before 2007.
    case oldOffice = "old_office"
    /// An archive of files that is no workbook.
    case zip
    /// An archive of files, as tar(1) writes them.
    case tar
    /// Compressed once more inside its compression.
    case gzip
    /// Compressed with Zstandard, which is not decompressed here.
    case zstd
    /// Compressed with xz, which is not decompressed here.
    case xz
    /// Compressed with bzip2, which is not decompressed here.
    case bzip2
    /// A document of pages, in which there are no rows.
    case pdf
    /// A web page, such as one to log in that came in place of the file.
    case html
    /// Text that begins with `<?xml`.
    case xml
    /// A database of SQLite 3.
    case sqlite
    /// A file of Apache Parquet, which keeps tables column by column.
    case parquet
    /// UTF-16 without the mark that would say so, the low byte first.
    case utf16LittleEndian = "utf16_le"
    /// UTF-16 without the mark that would say so, the high byte first.
    case utf16BigEndian = "utf16_be"
    /// One JSON object over several lines, where an array of objects or one a line can be read.
    case jsonObject = "json_object"
    /// None of these, and no text.
    case binary
}

// MARK: By the bytes as they are

extension FileKind {
    /// The kind of a file, of which the beginning is given as it is there.
    ///
    /// - Parameters:
    ///   - bytes: The beginning.
    ///   - isEncodingKnown: Somebody said how its characters are written.
    init?(ofBytes bytes: Span<UInt8>, isEncodingKnown: Bool) {
        if let kind = Self.signatures.first(where: { bytes.holds($0.bytes, at: $0.offset) })?.kind {
            // What fills up the name of the first file in an archive; a text has the word "mustard" there.
            if kind == .tar, !(0..<257).contains(where: { bytes[$0] == 0 }) { return nil }
            self = kind == .zip && bytes.isWorkbook ? .spreadsheet : kind
        } else if !isEncodingKnown, let kind = Self.utf16(bytes) {
            self = kind
        } else {
            return nil
        }
    }

    private struct Signature {
        let kind: FileKind
        let bytes: [UInt8]
        var offset = 0
    }

    private static let signatures: [Signature] = [
        Signature(kind: .zip, bytes: [0x50, 0x4B, 0x03, 0x04]),
        Signature(kind: .zip, bytes: [0x50, 0x4B, 0x05, 0x06]),
        Signature(kind: .oldOffice, bytes: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]),
        Signature(kind: .gzip, bytes: [0x1F, 0x8B, 0x08]),
        Signature(kind: .zstd, bytes: [0x28, 0xB5, 0x2F, 0xFD]),
        Signature(kind: .xz, bytes: [0xFD] + Array("7zXZ".utf8) + [0x00]),
        Signature(kind: .bzip2, bytes: Array("1AY&SY".utf8), offset: 4),
        Signature(kind: .pdf, bytes: Array("%PDF-".utf8)),
        Signature(kind: .sqlite, bytes: Array("SQLite format 3".utf8) + [0]),
        Signature(kind: .parquet, bytes: Array("PAR1".utf8) + [0x15]),
        Signature(kind: .tar, bytes: Array("ustar".utf8), offset: 257),
    ]

    /// Text of which every second byte is zero, nearly: letters of Latin in two bytes each.
    private static func utf16(_ bytes: Span<UInt8>) -> FileKind? {
        guard !bytes.holds([0xFF, 0xFE], at: 0), !bytes.holds([0xFE, 0xFF], at: 0) else { return nil }
        let pairs = min(bytes.count, looked) / 2
        guard pairs >= 4 else { return nil }
        var zeros = (even: 0, odd: 0)
        for pair in 0..<pairs {
            if bytes[2 * pair] == 0 { zeros.even += 1 }
            if bytes[2 * pair + 1] == 0 { zeros.odd += 1 }
        }
        if zeros.even == 0, zeros.odd * 4 > pairs * 3 { return .utf16LittleEndian }
        if zeros.odd == 0, zeros.even * 4 > pairs * 3 { return .utf16BigEndian }
        return nil
    }

    /// In bytes, of what is looked at one by one.
    private static let looked = 4_096
}

// MARK: By the text

extension FileKind {
    /// The kind of a file whose decoded text begins so.
    init?(ofText text: Span<UInt8>) {
        var start = 0
        while start < text.count, text[start] == 0x20 || 0x09...0x0D ~= text[start] { start += 1 }
        if ["<!doctype html", "<html", "<head", "<body"].contains(where: { text.holdsWord($0, at: start) }) {
            self = .html
        } else if text.holdsWord("<?xml", at: start) {
            self = .xml
        } else if Self.isBinary(text) {
            self = .binary
        } else {
            return nil
        }
    }

    /// Whether there are more control characters than any text has. A few may be a mishap in a row or two, unless they are
    /// much of what there is.
    private static func isBinary(_ text: Span<UInt8>) -> Bool {
        let count = min(text.count, looked)
        var controls = 0
        for offset in 0..<count where text[offset] < 0x20 && !(0x09...0x0D ~= text[offset]) { controls += 1 }
        return controls * (controls >= 8 ? 16 : 4) > count
    }
}

extension Span<UInt8> {
    fileprivate func holds(_ bytes: [UInt8], at offset: Int) -> Bool {
        count >= offset + bytes.count && bytes.indices.allSatisfy { self[offset + $0] == bytes[$0] }
    }

    /// Whether it holds a word in lower-case ASCII, whatever its case here.
    fileprivate func holdsWord(_ word: String, at offset: Int) -> Bool {
        let word = Array(word.utf8)
        return count >= offset + word.count
            && word.indices.allSatisfy {
                let byte = self[offset + $0]
                return (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte) == word[$0]
            }
    }

    /// Whether a ZIP archive names the parts of a workbook: `xl/…` of Excel, or the type that OpenDocument puts first.
    fileprivate var isWorkbook: Bool {
        let marks = [Array("xl/".utf8), Array("opendocument.spreadsheet".utf8)]
        return indices.contains { offset in marks.contains { holds($0, at: offset) } }
    }
}
