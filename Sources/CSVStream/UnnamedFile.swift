internal import Platform

/// A temporary file without a name. Only the user of this process can read it. If the file is closed or this process
/// ends, the system removes the file.
package struct UnnamedFile: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Makes an empty file.
    ///
    /// - Parameter template: A template for `mkstemp(3)`, which is a path that ends with `XXXXXX` and a NUL. The file
    ///   is created in the folder of this path.
    /// - Throws: A `write` error if the file cannot be created.
    package init(_ template: [CChar]) throws(ByteStreamError) {
        var template = template
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw ByteStreamError(operation: .write, code: errno) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// Writes all bytes.
    ///
    /// - Throws: A `write` error. Some of the bytes may have been written.
    package func write(_ bytes: RawSpan, at position: Int64) throws(ByteStreamError) {
        var written = 0
        while written < bytes.byteCount {
            let count = bytes.extracting(droppingFirst: written).withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(position) + off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ByteStreamError(operation: .write, code: count == 0 ? ENOSPC : errno) }
            written += count
        }
    }

    /// Reads some bytes.
    ///
    /// - Returns: The number of bytes; 0 at the end of the file.
    /// - Throws: A `read` error.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at position: Int64
    ) throws(ByteStreamError) -> Int {
        try descriptor.read(into: buffer, at: position)
    }

    /// Fills the whole buffer.
    ///
    /// - Throws: A `read` error. Its code is EIO if the file ends before the buffer is full.
    package func fill(
        _ buffer: UnsafeMutableRawBufferPointer, at position: Int64
    ) throws(ByteStreamError) {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = try read(into: rest, at: position + Int64(filled))
            guard count > 0 else { throw ByteStreamError(operation: .read, code: EIO) }
            filled += count
        }
    }
}

extension Int32 {
    /// Reads some bytes from a position of the open file with this descriptor.
    ///
    /// - Returns: The number of bytes; 0 at the end of the file.
    /// - Throws: A `read` error.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at position: Int64
    ) throws(ByteStreamError) -> Int {
        while true {
            let count = pread(self, buffer.baseAddress, buffer.count, off_t(position))
            if count >= 0 { return count }
            if errno != EINTR { throw ByteStreamError(operation: .read, code: errno) }
        }
    }
}
