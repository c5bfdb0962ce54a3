package import CSVStream
internal import Platform
internal import Threads

/// An input that can be read from its beginning more than once. An array of bytes stays in memory, and a file is read
/// at explicit offsets. Any other input is copied to a temporary file during the first reading. If `copiesFiles` is
/// true, a file is copied too, because other programs may change it.
///
/// A copy may hold passwords, and deleted data may stay on the disk. Therefore the copy is encrypted with a key that
/// exists only in the memory of this process. The file has no name, so it disappears when the process ends.
package final class RepeatableInput: Sendable {
    private enum Contents {
        case bytes([UInt8])
        /// A range of bytes of a file. Every reading gets the same bytes, because bytes that are appended to the file
        /// later are ignored.
        case file(OpenFile, Range<Int64>)
        case stream(CopiedStream)
    }

    private let contents: Contents
    /// Ends the readings early.
    package let interruption: any Interruption
    /// The workbook whose rows the readings may return as CSV; nil if the readings return the bytes of the input.
    private let sheet: (any SheetInput)?

    /// Prepares an input for repeated reading.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - folder: The folder for the copy, if a copy is needed.
    ///   - copiesFiles: Whether a regular file is copied too. A pipe is always copied. If true, later readings do not
    ///     depend on the original file.
    /// - Throws: ``ImportError`` if the input cannot be opened, or if the file for the copy cannot be created.
    package init(_ input: ImportInput, keptIn folder: String, copiesFiles: Bool = false) throws(ImportError) {
        let stream: InputReading
        var length: Int64?
        switch input.origin {
        case .bytes(let bytes):
            contents = .bytes(bytes)
            sheet = nil
            interruption = try ReadInterruption.ofInput()
            return
        case .file(let open):
            let file = try open()
            let range = file.unreadBytes
            if !copiesFiles, let range {
                contents = .file(file, range)
                sheet = nil
                interruption = try ReadInterruption.ofInput()
                return
            }
            // With this length, bytes that are appended to the file later are ignored.
            length = range.map { $0.upperBound - $0.lowerBound }
            stream = try InputReading(file)
        case .chunks, .reading, .repeatable: stream = try InputReading(input)
        }
        do throws(ByteStreamError) {
            contents = .stream(CopiedStream(stream.source, length: length, copy: try EncryptedFile(in: folder)))
        } catch {
            throw ImportError(error)
        }
        sheet = stream.sheet
        interruption = stream.interruption
    }

    /// Whether every reading reads the original bytes or the original file, without a copy.
    var isInPlace: Bool { if case .stream = contents { false } else { true } }

    /// Whether every reading reads the original file. Other programs may change this file.
    var readsFile: Bool { if case .file = contents { true } else { false } }

    /// Starts a new reading from the beginning. Several readings may run at the same time.
    package func reading() -> InputReading {
        let position = Position()
        let source = ByteSource { [self] buffer throws(ByteStreamError) in
            // Only a read that waits for bytes notices an interruption. If bytes are available, the read does not wait.
            // Therefore this code checks for an interruption.
            if interruption.isInterrupted { return 0 }
            return try position.value.withLock { position throws(ByteStreamError) in
                let count = try read(into: buffer, at: position)
                position += Int64(count)
                return count
            }
        }
        return InputReading(source, interruption, sheet: sheet, from: self)
    }

    /// If the input is a stream, stops copying it. After this call, the stream cannot be read again.
    func readOnce() { if case .stream(let stream) = contents { stream.keepNoMore() } }

    /// Returns the number of bytes. If the input is a stream, first reads it to its end. Blocks the thread.
    package func count() throws(ByteStreamError) -> Int64 {
        switch contents {
        case .bytes(let bytes): return Int64(bytes.count)
        case .file(_, let range): return Int64(range.count)
        case .stream(let stream): return try stream.copyToEnd()
        }
    }

    /// Reads some bytes from an offset. Bytes of a stream must have been copied before, which ``count()`` does.
    ///
    /// - Returns: The number of bytes; 0 at the end.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at position: Int64
    ) throws(ByteStreamError) -> Int {
        switch contents {
        case .bytes(let bytes):
            let rest = bytes[Int(position)...].prefix(buffer.count)
            buffer.copyBytes(from: rest)
            return rest.count
        case .file(let file, let range):
            let start = range.lowerBound + position
            return try file.descriptor.read(into: buffer.first(range.upperBound - start), at: start)
        case .stream(let stream): return try stream.read(into: buffer, at: position)
        }
    }

    /// The offset of one reading.
    private final class Position: Sendable {
        let value = Locked(Int64(0))
    }
}

/// A stream that is copied while it is read for the first time.
private final class CopiedStream: Sendable {
    private struct State: ~Copyable {
        let copy: EncryptedFile
        /// The number of copied bytes.
        var count: Int64 = 0
        var isKept = true
    }

    private let stream: ByteSource
    /// The number of bytes to read from the stream; nil for all.
    private let length: Int64?
    private let state: Locked<State>

    init(_ stream: ByteSource, length: Int64?, copy: consuming EncryptedFile) {
        self.stream = stream
        self.length = length
        state = Locked(State(copy: copy))
    }

    /// Reads copied bytes if there are any at `position`. Otherwise reads from the stream.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ByteStreamError) -> Int {
        try state.withLock { state throws(ByteStreamError) in
            if position < state.count {
                return try state.copy.read(into: buffer.first(state.count - position), at: position)
            }
            let wanted = buffer.first(max(0, (length ?? .max) - position))
            guard !wanted.isEmpty else { return 0 }
            let count = try stream.read(wanted)
            guard state.isKept else { return count }
            try state.copy.write(UnsafeRawBufferPointer(buffer.first(Int64(count))), at: state.count)
            state.count += Int64(count)
            return count
        }
    }

    /// Copies the rest of the stream, and returns the number of all bytes.
    func copyToEnd() throws(ByteStreamError) -> Int64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer {
            if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
            buffer.deallocate()
        }
        while true {
            let end = state.withLock { $0.count }
            if try read(into: buffer, at: end) == 0 { return end }
        }
    }

    func keepNoMore() { state.withLock { $0.isKept = false } }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func first(_ count: Int64) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: prefix(Int(clamping: count)))
    }
}
