internal import Platform
internal import Synchronization

/// Where bytes are pulled from: a function that fills the front of a buffer and answers how much, 0 at the end.
package struct ByteSource: Sendable {
    package let read: @Sendable (UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int

    /// Makes a source of a function of one's own.
    ///
    /// - Parameter read: Fills the front of the buffer, which is never empty, and answers the number of bytes, 0 at the
    ///   end of the input. It is called by one thread at a time.
    package init(read: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int) {
        self.read = read
    }

    /// Reads an open file descriptor with read(2), again when a signal interrupts it; it stays the caller's to close.
    ///
    /// - Parameters:
    ///   - descriptor: Open for reading.
    ///   - interruption: Ends the input for whoever waits for more of it, and from then on.
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

    /// Reads bytes in memory, at most `chunk` of them at a time.
    package static func bytes(_ bytes: [UInt8], chunk: Int = .max) -> ByteSource {
        let cursor = Cursor()
        return ByteSource { buffer throws(ByteStreamError) in
            let range = cursor.advance(by: min(buffer.count, max(1, chunk)), within: bytes.count)
            bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range])) }
            return range.count
        }
    }

    /// The same bytes, counted as they come.
    func counted(by counter: ByteCounter) -> ByteSource {
        ByteSource { buffer throws(ByteStreamError) in
            let count = try read(buffer)
            counter.add(count)
            return count
        }
    }

    private final class Cursor: Sendable {
        private let position = Mutex(0)

        func advance(by step: Int, within count: Int) -> Range<Int> {
            position.withLock { position in
                let start = position
                position += min(step, count - start)
                return start..<position
            }
        }
    }
}

/// How many bytes have come out of a source, asked while others read from it.
final class ByteCounter: Sendable {
    private let total = Atomic<UInt64>(0)

    var count: UInt64 { total.load(ordering: .relaxed) }

    func add(_ count: Int) { total.wrappingAdd(UInt64(count), ordering: .relaxed) }
}

/// Where bytes are pushed to: a function that takes all of a buffer or throws.
package struct ByteSink: Sendable {
    package let write: @Sendable (UnsafeRawBufferPointer) throws(ByteStreamError) -> Void

    /// Makes a sink of a function of one's own, which is called by one thread at a time.
    package init(write: @escaping @Sendable (UnsafeRawBufferPointer) throws(ByteStreamError) -> Void) {
        self.write = write
    }

    /// Writes to an open file descriptor with write(2) until all is taken; it stays the caller's to close.
    package static func descriptor(_ descriptor: CInt) -> ByteSink {
        ByteSink { buffer throws(ByteStreamError) in
            var rest = buffer
            while rest.count > 0 {
                let count = Platform.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } else {
                    // write(2) of something answers 0 only where it can take nothing more.
                    let code = count == 0 ? ENOSPC : errno
                    if code != EINTR { throw ByteStreamError(operation: .write, code: code) }
                }
            }
        }
    }
}

/// The system refused to read or write, what was read cannot be decompressed, or who brings the bytes or takes them
/// has failed.
package struct ByteStreamError: Error, Sendable {
    package enum Operation: Sendable {
        case read, write
        /// What is compressed is damaged or cut off.
        case decompress
    }

    package let operation: Operation
    /// The system's error number, errno(3).
    package let code: CInt
    /// What was thrown by somebody else's code, of which the system knows nothing.
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
