internal import Platform

/// Reads and writes open files as a whole.
enum FileDescriptor {
    /// Writes all bytes, even if the system takes only a part of them at a time.
    ///
    /// - Returns: 0 if all bytes were written, otherwise `errno`.
    static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                return errno
            }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes that were read, and a code: 0 for success, otherwise `errno`.
    static func readAll(into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> (count: Int, code: Int32)
    {
        var filled = 0
        while filled < buffer.count {
            let count = read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            if count < 0 {
                if errno == EINTR { continue }
                return (filled, errno)
            }
            if count == 0 { break }
            filled += count
        }
        return (filled, 0)
    }
}
