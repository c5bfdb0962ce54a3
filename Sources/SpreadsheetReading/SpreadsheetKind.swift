internal import CSVStream
internal import Platform

/// The format of a workbook that the reader supports.
enum SpreadsheetKind: Sendable {
    /// Office Open XML, with the part that lists the sheets.
    case excel(workbook: String)
    case openDocument

    /// Detects the format of a file from its content. Returns nil if the file is not a workbook, or if it is a workbook
    /// of Excel before 2007.
    ///
    /// - Throws: The error of the reads; ``SpreadsheetError`` if the file is a workbook that certainly cannot be read.
    static func detect(_ bytes: SeekableBytes) throws(ByteStreamError) -> SpreadsheetKind? {
        let start = try bytes.read(upTo: longestSignature, at: 0)
        if start == OldOfficeFile.signature {
            if try OldOfficeFile.isEncryptedWorkbook(bytes) { throw ByteStreamError(.encrypted) }
            return nil
        }
        guard isArchive(start) else { return nil }
        let archive = try ZipArchive(bytes)
        if try isOpenDocument(archive) { return .openDocument }
        if let part = try ExcelWorkbook.part(of: archive) { return .excel(workbook: part) }
        if archive.hasPart(beginning: "Index/CalculationEngine") { throw ByteStreamError(.unsupported(.numbers)) }
        return nil
    }

    private static func isOpenDocument(_ archive: ZipArchive) throws(ByteStreamError) -> Bool {
        if archive.has("mimetype") {
            return try archive.contents(of: "mimetype", upTo: 128).starts(with: openDocumentType)
        }
        // The part `mimetype` is optional. The manifest also has the type.
        guard archive.has("content.xml"), archive.has(ManifestReader.part) else { return false }
        return try archive.contents(of: ManifestReader.part, upTo: 1 << 16).contains(openDocumentType)
    }

    /// The number of bytes that tell whether a file may be a workbook.
    static let longestSignature = OldOfficeFile.signature.count

    /// Whether a file begins like a workbook: like a ZIP archive, or like an Office file before 2007.
    static func mayBeWorkbook(_ start: [UInt8]) -> Bool { isArchive(start) || start == OldOfficeFile.signature }

    /// Whether a file begins like gzip data. A workbook can be compressed with gzip as a whole.
    static func isCompressed(_ start: [UInt8]) -> Bool { start.starts(with: [0x1F, 0x8B, 0x08]) }

    private static func isArchive(_ start: [UInt8]) -> Bool {
        start.starts(with: [0x50, 0x4B, 0x03, 0x04]) || start.starts(with: [0x50, 0x4B, 0x05, 0x06])
    }

    private static let openDocumentType = Array("application/vnd.oasis.opendocument.spreadsheet".utf8)
}

/// A Compound File, the format of Office before 2007. Excel also wraps an encrypted workbook in one.
enum OldOfficeFile {
    static let signature: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]

    /// Whether the directory has a stream that holds an encrypted workbook ([MS-OFFCRYPTO] 2.3).
    ///
    /// - Throws: ``SpreadsheetError/damagedArchive`` if the file has no directory where its header says.
    static func isEncryptedWorkbook(_ bytes: SeekableBytes) throws(ByteStreamError) -> Bool {
        let header = try bytes.read(upTo: 512, at: 0)
        guard header.count == 512, header[30] == 9 || header[30] == 12 else { throw ByteStreamError(.damagedArchive) }
        let sectorSize = Int64(1) << header[30]
        let directory = header[48..<52].reversed().reduce(Int64(0)) { number, byte in number * 256 + Int64(byte) }
        let start = (directory + 1) * sectorSize
        guard start + sectorSize <= bytes.count else { throw ByteStreamError(.damagedArchive) }
        let name = "EncryptedPackage".utf8.flatMap { byte in [byte, 0] as [UInt8] }
        let entries = try bytes.read(upTo: 1 << 14, at: start)
        return entries.contains(name)
    }
}

extension SeekableBytes {
    /// Reads `size` bytes at an offset, or fewer if the input ends first.
    func read(upTo size: Int, at position: Int64) throws(ByteStreamError) -> [UInt8] {
        try .reading(upTo: size) { buffer, filled throws(ByteStreamError) in
            try read(buffer, position + Int64(filled))
        }
    }
}

extension [UInt8] {
    /// Reads until there are `size` bytes, or until `read` returns 0. The arguments of `read` are the buffer for the
    /// next bytes, and the number of bytes that were already read.
    static func reading(
        upTo size: Int, _ read: (UnsafeMutableRawBufferPointer, Int) throws(ByteStreamError) -> Int
    ) throws(ByteStreamError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        var filled = 0
        while filled < size {
            var span = bytes.mutableSpan
            let count = try span.withUnsafeMutableBytes { bytes throws(ByteStreamError) in
                try read(UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]), filled)
            }
            if count == 0 { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }
}
