internal import Platform
internal import Synchronization
internal import Threads

/// A source of bytes. Its function writes bytes at the start of a buffer and returns the number of these bytes. At the
/// end of the input, the number is 0.
package struct ByteSource: Sendable {
    package let read: @Sendable (UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int

    /// Makes a source from a function.
    ///
    /// - Parameter read: Writes bytes at the start of the buffer and returns their number. Returns 0 at the end of the
    ///   input. The buffer is never empty. Only one thread at a time calls the function.
    package init(read: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int) {
        self.read = read
    }

    /// Returns a source that reads a file descriptor with read(2). If read(2) fails with EINTR, it is called again. The
    /// caller must close the descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor that is open for reading.
    ///   - interruption: Can end the reads of the source. After a call of ``ReadInterruption/interrupt()``, the current
    ///     read and all later reads return the end of the input.
    /// - Returns: The source.
    package static func descriptor(
        _ descriptor: CInt, interruptedBy interruption: ReadInterruption? = nil
    ) -> ByteSource {
        ByteSource { buffer throws(ByteStreamError) in
            while true {
                if let interruption, !interruption.waitUntilReadable(descriptor) { return 0 }
                let count = Platform.read(descriptor, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                let code = errno
                if code != EINTR { throw ByteStreamError(operation: .read, code: code) }
            }
        }
    }

    /// Returns a source that reads bytes in memory, at most `chunk` bytes at a time.
    package static func bytes(_ bytes: [UInt8], chunk: Int = .max) -> ByteSource {
        let cursor = Cursor()
        return ByteSource { buffer throws(ByteStreamError) in
            let range = cursor.advance(by: min(buffer.count, max(1, chunk)), within: bytes.count)
            bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range])) }
            return range.count
        }
    }

    /// Returns a source that returns the same bytes and also counts them.
    func counted(by counter: ByteCounter) -> ByteSource {
        ByteSource { buffer throws(ByteStreamError) in
            let count = try read(buffer)
            counter.add(count)
            return count
        }
    }

    private final class Cursor: Sendable {
        private let position = Locked(0)

        func advance(by step: Int, within count: Int) -> Range<Int> {
            position.withLock { position in
                let start = position
                position += min(step, count - start)
                return start..<position
            }
        }
    }
}

/// A count of the bytes that were read from a source. Other threads may read the count at any time.
final class ByteCounter: Sendable {
    private let total = Atomic<UInt64>(0)

    var count: UInt64 { total.load(ordering: .relaxed) }

    func add(_ count: Int) { total.wrappingAdd(UInt64(count), ordering: .relaxed) }
}

/// A sink for bytes. Its function either writes all bytes of a buffer or throws an error.
package struct ByteSink: Sendable {
    package let write: @Sendable (UnsafeRawBufferPointer) throws(ByteStreamError) -> Void

    /// Makes a sink from a function. Only one thread at a time calls the function.
    package init(write: @escaping @Sendable (UnsafeRawBufferPointer) throws(ByteStreamError) -> Void) {
        self.write = write
    }

    /// Returns a sink that writes all bytes to a file descriptor with write(2). The caller must close the descriptor.
    package static func descriptor(_ descriptor: CInt) -> ByteSink {
        ByteSink { buffer throws(ByteStreamError) in
            var rest = buffer
            while rest.count > 0 {
                let count = Platform.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } else {
                    // If write(2) returns 0 for a buffer that is not empty, there is no space for more bytes.
                    let code = count == 0 ? ENOSPC : errno
                    if code != EINTR { throw ByteStreamError(operation: .write, code: code) }
                }
            }
        }
    }
}

/// An error of a byte stream. A system call has failed, the data cannot be decompressed, or the producer or consumer of
/// the bytes has thrown an error.
package struct ByteStreamError: Error, Sendable {
    package enum Operation: Sendable {
        case read, write
        /// The compressed data is damaged or truncated.
        case decompress
    }

    package let operation: Operation
    /// The system's error number (`errno`), EIO if there is a ``cause``, or EBADMSG for a `decompress` error.
    package let code: CInt
    /// The error that the producer or consumer threw. Nil for a system error.
    package let cause: (any Error)?

    package init(operation: Operation, code: CInt) {
        self.operation = operation
        self.code = code
        cause = nil
    }

    package init(operation: Operation, cause: any Error) {
        self.operation = operation
        code = EIO
        self.cause = cause
    }
}

extension ByteStreamError: Equatable {
    package static func == (one: ByteStreamError, other: ByteStreamError) -> Bool {
        one.operation == other.operation && one.code == other.code
            && one.cause.map { String(reflecting: $0) } == other.cause.map { String(reflecting: $0) }
    }
}
