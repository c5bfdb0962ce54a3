internal import CZlib
internal import Platform
internal import Threads

/// Decompresses gzip data (RFC 1952) while it is read. The data may consist of several members, one after another. For
/// example, `cat` creates such data from several gzip files.
///
/// If the data is damaged or truncated, the source first returns the bytes before the fault, and then throws an error.
/// If bytes follow the data, all of them must be zero; otherwise the source also throws an error.
final class GzipSource: Sendable {
    private let compressed: ByteSource
    private let inflation: Locked<Inflation>

    /// Returns whether the bytes begin like a gzip member.
    static func isGzip(_ start: Span<UInt8>) -> Bool {
        start.count >= longestMagic && start[0] == 0x1F && start[1] == 0x8B && start[2] == UInt8(Z_DEFLATED)
    }

    /// The number of bytes that `isGzip(_:)` needs.
    static let longestMagic = 3

    /// Makes a source from compressed bytes. `beginning` contains the first of these bytes, which were already read.
    init(_ compressed: ByteSource, after beginning: borrowing ByteBuffer) throws(ByteStreamError) {
        self.compressed = compressed
        inflation = Locked(try Inflation(beginning))
    }

    /// A source of the decompressed bytes.
    var source: ByteSource {
        ByteSource { [self] buffer throws(ByteStreamError) in
            try inflation.withLock { inflation throws(ByteStreamError) in
                try inflation.read(into: buffer, from: compressed)
            }
        }
    }
}

extension ByteSource {
    /// Returns a source of the decompressed bytes of this source, which returns gzip data.
    package func decompressed() throws(ByteStreamError) -> ByteSource {
        try GzipSource(self, after: ByteBuffer(isSecret: true)).source
    }
}

/// The state of zlib and the compressed bytes that it has not used yet.
///
/// `@unchecked Sendable`: this non-copyable value is the only owner of the stream. It creates the stream and never
/// hands it out.
private struct Inflation: ~Copyable, @unchecked Sendable {
    /// The stream has its own allocation, because zlib does not allow it to move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var input = ByteBuffer(isSecret: true)
    private var position = 0
    /// Whether a member has ended and the next member has not begun.
    private var isBetweenMembers = false
    private var isAtEnd = false

    private static let chunk = 1 << 16
    /// The argument of `inflateInit2`: 15 for the largest window, plus 16 to accept only gzip headers.
    private static let windowBits: CInt = 15 + 16

    init(_ beginning: borrowing ByteBuffer) throws(ByteStreamError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        stream.pointee.zalloc = { _, count, size in ZeroedMemory.allocate(Int(count) * Int(size)) }
        stream.pointee.zfree = { _, address in ZeroedMemory.free(address) }
        input.append(beginning, from: 0)
        let status = inflateInit2_(stream, Self.windowBits, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw ByteStreamError(operation: .read, code: ENOMEM) }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer, from compressed: ByteSource
    ) throws(ByteStreamError) -> Int {
        while !isAtEnd {
            if position == input.count { try fill(from: compressed) }
            if isAtEnd { break }
            if isBetweenMembers, !beginMember() { continue }
            let (count, status) = inflate(into: buffer)
            if status == Z_STREAM_END { isBetweenMembers = true }
            // The bytes before a damaged place are returned first. At the next call, zlib reports the error again.
            if count > 0 { return count }
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw Self.damaged }
        }
        return 0
    }

    private static var damaged: ByteStreamError { ByteStreamError(operation: .decompress, code: EBADMSG) }

    private mutating func fill(from compressed: ByteSource) throws(ByteStreamError) {
        input.removeAll()
        position = 0
        guard try input.appendBytes(upTo: Self.chunk, compressed.read) == 0 else { return }
        guard isBetweenMembers else { throw Self.damaged }
        isAtEnd = true
    }

    /// If the next byte is zero, skips it as padding. Otherwise begins the next member.
    ///
    /// - Returns: Whether a member begins. If so, zlib then checks the header of this member.
    private mutating func beginMember() -> Bool {
        guard input.span(at: position, count: 1)[0] != 0 else {
            position += 1
            return false
        }
        inflateReset(stream)
        isBetweenMembers = false
        return true
    }

    private mutating func inflate(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, status: CInt) {
        let room = uInt(clamping: buffer.count)
        stream.pointee.next_in = (input.base + position).assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = uInt(clamping: input.count - position)
        stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = room
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        position = input.count - Int(stream.pointee.avail_in)
        return (Int(room - stream.pointee.avail_out), status)
    }
}

/// Memory that is zeroed before it is freed. Text in zlib's buffers may contain a password.
private enum ZeroedMemory {
    /// The size of the header that precedes each allocation. The header contains the size of the allocation. With a
    /// header of 16 bytes, the memory keeps its alignment.
    private static let headerSize = 16

    static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        guard let memory = malloc(headerSize + size) else { return nil }
        memory.storeBytes(of: size, as: Int.self)
        return memory + headerSize
    }

    static func free(_ address: UnsafeMutableRawPointer?) {
        guard let address else { return }
        let memory = address - headerSize
        explicit_bzero(address, memory.load(as: Int.self))
        Platform.free(memory)
    }
}
