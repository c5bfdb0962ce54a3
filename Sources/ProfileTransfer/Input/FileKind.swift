/// The kind of a file that does not contain text records. The kind is detected from the first bytes of the file.
public enum FileKind: String, Hashable, Sendable, CaseIterable {
    /// A workbook of Excel or LibreOffice: a ZIP archive of XML.
    case spreadsheet
    /// A file of Office before 2007.
    case oldOffice = "old_office"
    /// A ZIP archive that is not a workbook.
    case zip
    /// A tar(1) archive.
    case tar
    /// A gzip file inside another gzip file.
    case gzip
    /// A file compressed with Zstandard, which the reader does not support.
    case zstd
    /// A file compressed with xz, which the reader does not support.
    case xz
    /// A file compressed with bzip2, which the reader does not support.
    case bzip2
    /// A PDF document, which has no rows.
    case pdf
    /// A web page, for example a login page that was downloaded instead of the file.
    case html
    /// Text that starts with `<?xml`.
    case xml
    /// An SQLite 3 database.
    case sqlite
    /// An Apache Parquet file, which stores tables by column.
    case parquet
    /// UTF-16 without a byte order mark, little endian.
    case utf16LittleEndian = "utf16_le"
    /// UTF-16 without a byte order mark, big endian.
    case utf16BigEndian = "utf16_be"
    /// A single JSON object that is written over several lines. The reader does not accept such an object: it accepts
    /// an array of objects, or one object per line.
    case jsonObject = "json_object"
    /// Another file that is not text.
    case binary
}

// MARK: Detection from raw bytes

extension FileKind {
    /// Detects the kind of a file from its first bytes before decoding. The result is nil if the bytes may be text.
    ///
    /// - Parameters:
    ///   - bytes: The first bytes of the file.
    ///   - isEncodingKnown: Whether the user named the character encoding.
    init?(ofBytes bytes: Span<UInt8>, isEncodingKnown: Bool) {
        if let kind = Self.signatures.first(where: { bytes.holds($0.bytes, at: $0.offset) })?.kind {
            // A tar archive pads the name of its first file with NUL bytes. A text has no NUL bytes, but it may contain
            // the signature "ustar", for example in the word "mustard".
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

    /// Detects UTF-16 text with Latin letters: nearly every second byte is zero.
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

    /// The number of bytes that are examined one by one.
    private static let looked = 4_096
}

// MARK: Detection from text

extension FileKind {
    /// Detects the kind of a file from the start of its decoded text. The result is nil if the text may have records.
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

    /// Whether the text has more control characters than usual text. If a text has only a few control characters, they
    /// may be errors in single rows.
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

    /// Whether the text contains an ASCII word at an offset, ignoring case. `word` must be in lower case.
    fileprivate func holdsWord(_ word: String, at offset: Int) -> Bool {
        let word = Array(word.utf8)
        return count >= offset + word.count
            && word.indices.allSatisfy {
                let byte = self[offset + $0]
                return (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte) == word[$0]
            }
    }

    /// Whether a ZIP archive is a workbook. An Excel workbook contains parts with the name `xl/…`. An OpenDocument
    /// workbook contains its file type at the start of the archive.
    fileprivate var isWorkbook: Bool {
        let marks = [Array("xl/".utf8), Array("opendocument.spreadsheet".utf8)]
        return indices.contains { offset in marks.contains { holds($0, at: offset) } }
    }
}
