internal import CMinizip
internal import CSVStream
internal import Platform

/// Bytes that can be read at any offset.
struct SeekableBytes: Sendable {
    let count: Int64
    /// Reads bytes at an offset, and returns their number; 0 at the end.
    let read: @Sendable (UnsafeMutableRawBufferPointer, Int64) throws(ByteStreamError) -> Int
}

/// A ZIP archive whose parts are read one after another.
final class ZipArchive {
    private let file: unzFile
    private let input: ArchiveInput
    private let places: [String: unz64_file_pos]
    private var open: OpenPart?

    /// The part that is being read.
    private struct OpenPart {
        let name: String
        /// The number of bytes of the archive that were read before this part.
        let readBefore: Int64
        /// The size according to the directory.
        let size: UInt64
        var inflated: Int64 = 0
    }

    /// The maximum number of parts of a workbook.
    private static let mostParts = 100_000
    private static let longestName = 1_024

    /// A part of up to this size is accepted, whatever its compressed size is.
    private static let freeSize: Int64 = 16 << 20
    /// A larger part is refused if it is larger than this multiple of its compressed size. Deflate compresses equal
    /// bytes by a factor of 1,030.
    /// The sheets of real programs stay below 100, even if all their rows are equal, because each row has its number.
    private static let highestRatio: Int64 = 400

    /// The maximum size of data that is decompressed from a number of bytes.
    static func mostBytes(from compressed: Int64) -> Int64 { max(freeSize, highestRatio * compressed) }

    /// Reads the directory of the archive.
    init(_ bytes: SeekableBytes) throws(ByteStreamError) {
        let input = ArchiveInput(bytes)
        self.input = input
        var functions = input.functions
        // minizip opens the archive with these functions, which do not use the path.
        let file = unzOpen2_64("", &functions)
        if let failure = input.failure {
            if let file { unzClose(file) }
            throw failure
        }
        guard let file else { throw ByteStreamError(.damagedArchive) }
        self.file = file
        do throws(ByteStreamError) {
            places = try Self.places(in: file, input)
        } catch {
            // An error in an initializer skips `deinit`, so the archive is closed here.
            unzClose(file)
            throw error
        }
    }

    deinit { unzClose(file) }

    /// The size of the archive in bytes.
    var byteCount: Int64 { input.bytes.count }

    /// Whether the archive has a part. Names are compared without case, as in the Open Packaging Conventions.
    func has(_ name: String) -> Bool { places[name.lowercased()] != nil }

    /// Whether the archive has a part whose name begins with a text, without case.
    func hasPart(beginning start: String) -> Bool { places.keys.contains { $0.hasPrefix(start.lowercased()) } }

    /// Opens a part for ``read(into:)``. Closes the part that is open.
    func open(_ name: String) throws(ByteStreamError) {
        open = nil
        guard var place = places[name.lowercased()] else { throw .part(name, .missing) }
        guard unzGoToFilePos64(file, &place) == UNZ_OK else { throw fault(of: name) }
        var facts = unz_file_info64()
        guard unzGetCurrentFileInfo64(file, &facts, nil, 0, nil, 0, nil, 0) == UNZ_OK else { throw fault(of: name) }
        guard facts.flag & 1 == 0 else { throw ByteStreamError(.encrypted) }
        guard facts.compression_method == 0 || facts.compression_method == UInt(Z_DEFLATED) else {
            throw .part(name, .unknownCompression)
        }
        let readBefore = input.bytesRead
        // minizip closes a part that is still open.
        guard unzOpenCurrentFile(file) == UNZ_OK else { throw fault(of: name) }
        open = OpenPart(name: name, readBefore: readBefore, size: facts.uncompressed_size)
    }

    /// Reads bytes of the open part, and checks its checksum at the end.
    ///
    /// - Returns: The number of bytes; 0 at the end of the part.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
        guard var part = open else { return 0 }
        let count = Int(unzReadCurrentFile(file, buffer.baseAddress, UInt32(clamping: buffer.count)))
        guard count >= 0 else { throw fault(of: part.name) }
        if count == 0 {
            open = nil
            // minizip compares the checksum only if the data does not end early.
            guard unzCloseCurrentFile(file) == UNZ_OK, part.inflated == part.size else { throw fault(of: part.name) }
            return 0
        }
        part.inflated += Int64(count)
        let compressed = input.bytesRead - part.readBefore
        guard part.inflated <= Self.mostBytes(from: compressed) else {
            throw .part(part.name, .tooLarge)
        }
        open = part
        return count
    }

    /// Reads a whole part, or its first bytes.
    func contents(of name: String, upTo size: Int) throws(ByteStreamError) -> [UInt8] {
        try open(name)
        return try .reading(upTo: size) { buffer, _ throws(ByteStreamError) in try read(into: buffer) }
    }

    /// Returns the reason why a call failed: the last read error of the input. If there is none, the part is damaged.
    private func fault(of name: String) -> ByteStreamError { input.failure ?? .part(name, .damaged) }

    private static func places(
        in file: unzFile, _ input: ArchiveInput
    ) throws(ByteStreamError) -> [String: unz64_file_pos] {
        var places: [String: unz64_file_pos] = [:]
        var status = unzGoToFirstFile(file)
        var name = [CChar](repeating: 0, count: longestName + 1)
        while status == UNZ_OK {
            var place = unz64_file_pos()
            guard unzGetCurrentFileInfo64(file, nil, &name, UInt(longestName), nil, 0, nil, 0) == UNZ_OK,
                unzGetFilePos64(file, &place) == UNZ_OK, places.count < mostParts
            else { throw input.failure ?? ByteStreamError(.damagedArchive) }
            let length = name.firstIndex(of: 0) ?? 0
            let text = String(decoding: name[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
            // Some programs write backslashes, or a slash at the start.
            let key = String(text.lowercased().map { $0 == "\\" ? "/" : $0 }.drop { $0 == "/" })
            // Two parts with the same name are refused, because programs do not agree on the part to read.
            guard places.updateValue(place, forKey: key) == nil else { throw ByteStreamError(.damagedArchive) }
            status = unzGoToNextFile(file)
        }
        guard status == UNZ_END_OF_LIST_OF_FILE || (status == UNZ_OK && places.isEmpty) else {
            throw input.failure ?? ByteStreamError(.damagedArchive)
        }
        return places
    }
}

/// The functions with which minizip reads the bytes of an archive.
private final class ArchiveInput {
    let bytes: SeekableBytes
    /// The error of the last read that failed.
    private(set) var failure: ByteStreamError?
    /// The number of bytes that were read so far.
    private(set) var bytesRead: Int64 = 0
    private var position: Int64 = 0

    init(_ bytes: SeekableBytes) { self.bytes = bytes }

    /// The functions must not be used after this object is deallocated.
    var functions: zlib_filefunc64_def {
        var functions = zlib_filefunc64_def()
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        functions.opaque = pointer
        functions.zopen64_file = { input, _, _ in input }
        functions.zread_file = { input, _, buffer, size in
            UInt(
                ArchiveInput.of(input)?.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size))) ?? 0)
        }
        functions.zwrite_file = { _, _, _, _ in 0 }
        functions.ztell64_file = { input, _ in ZPOS64_T(ArchiveInput.of(input)?.position ?? 0) }
        functions.zseek64_file = { input, _, offset, origin in
            ArchiveInput.of(input)?.seek(to: UInt64(offset), from: origin) == true ? 0 : -1
        }
        functions.zclose_file = { _, _ in 0 }
        functions.zerror_file = { input, _ in ArchiveInput.of(input)?.failure == nil ? 0 : 1 }
        return functions
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> ArchiveInput? {
        pointer.map { Unmanaged<ArchiveInput>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        do throws(ByteStreamError) {
            while filled < buffer.count {
                let count = try bytes.read(UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), position)
                if count == 0 { break }
                filled += count
                position += Int64(count)
                bytesRead += Int64(count)
            }
        } catch {
            failure = error
        }
        return filled
    }

    private func seek(to offset: UInt64, from origin: Int32) -> Bool {
        let base: Int64 =
            switch origin {
            case ZLIB_FILEFUNC_SEEK_SET: 0
            case ZLIB_FILEFUNC_SEEK_CUR: position
            default: bytes.count
            }
        // The offsets in a damaged archive may be so large that the sum overflows.
        let (target, isTooLarge) = base.addingReportingOverflow(Int64(truncatingIfNeeded: offset))
        guard !isTooLarge, 0...bytes.count ~= target else { return false }
        position = target
        return true
    }
}
