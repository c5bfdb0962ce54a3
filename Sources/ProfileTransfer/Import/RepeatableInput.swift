internal import CSVStream
internal import CSodium
internal import Platform
internal import ProfileCore
internal import Threads

/// An input that can be read from its beginning more than once. An array of bytes stays in memory, and a file is read
/// at explicit offsets. Any other input is copied to a temporary file during the first reading. If `copiesFiles` is
/// true, a file is copied too, because other programs may change it.
///
/// A copy may hold passwords, and deleted data may stay on the disk. Therefore the copy is encrypted with a key that
/// exists only in the memory of this process. The file has no name, so it disappears when the process ends.
final class RepeatableInput: Sendable {
    private enum Contents {
        case bytes([UInt8])
        /// A range of bytes of a file. Every reading gets the same bytes, because bytes that are appended to the file
        /// later are ignored.
        case file(OpenFile, Range<Int64>)
        case stream(CopiedStream)
    }

    private let contents: Contents
    private let interruption: any Interruption

    /// Prepares an input for repeated reading.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - folder: The folder for the copy, if a copy is needed.
    ///   - copiesFiles: Whether a file is copied too. If true, later readings do not depend on the original file.
    /// - Throws: ``ImportError`` if the input cannot be opened, or if the file for the copy cannot be created.
    init(_ input: ImportInput, keptIn folder: String, copiesFiles: Bool = false) throws(ImportError) {
        let stream: InputReading
        var length: Int64?
        switch input.origin {
        case .bytes(let bytes):
            contents = .bytes(bytes)
            interruption = try ReadInterruption.ofInput()
            return
        case .file(let open):
            let file = try open()
            let range = file.unreadBytes
            if !copiesFiles, let range {
                contents = .file(file, range)
                interruption = try ReadInterruption.ofInput()
                return
            }
            // With this length, bytes that are appended to the file later are ignored.
            length = range.map { $0.upperBound - $0.lowerBound }
            stream = try InputReading(file)
        case .chunks, .repeatable: stream = try InputReading(input)
        }
        contents = .stream(CopiedStream(stream.source, length: length, copy: try EncryptedFile(in: folder)))
        interruption = stream.interruption
    }

    /// Whether every reading reads the original file. Other programs may change this file.
    var readsFile: Bool { if case .file = contents { true } else { false } }

    /// Starts a new reading from the beginning. Several readings may run at the same time.
    func reading() -> InputReading {
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
        return InputReading(source, interruption, from: self)
    }

    /// If the input is a stream, stops copying it. After this call, the stream cannot be read again.
    func readOnce() { if case .stream(let stream) = contents { stream.keepNoMore() } }

    private func read(
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

    func keepNoMore() { state.withLock { $0.isKept = false } }
}

/// A file without a name, whose contents no other process can read.
///
/// The cipher is XChaCha20 with a random key. The key is used for this file alone, so the nonce is constant. The
/// contents need no authentication, because only this process has the file descriptor.
private struct EncryptedFile: ~Copyable {
    private let file: UnnamedFile
    private let key: Secret

    init(in folder: String) throws(ImportError) {
        do throws(ByteStreamError) {
            file = try UnnamedFile(.temporaryFileTemplate(in: folder))
        } catch {
            throw ImportError(error)
        }
        key = Secret(capacity: Self.keySize) { output in
            output.withUnsafeMutableBufferPointer { buffer, used in
                guard let start = buffer.baseAddress else { return }
                randombytes_buf(start, Self.keySize)
                used = Self.keySize
            }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) throws(ByteStreamError) {
        var encrypted = [UInt8](repeating: 0, count: bytes.count)
        encrypted.withUnsafeMutableBytes { crypt(bytes, into: $0, at: position) }
        try file.write(encrypted.span.bytes, at: position)
    }

    /// - Returns: The number of bytes read, 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ByteStreamError) -> Int {
        let count = try file.read(into: buffer, at: position)
        let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
        crypt(UnsafeRawBufferPointer(bytes), into: bytes, at: position)
        return count
    }

    /// Encrypts or decrypts the bytes at an offset of the file. `bytes` and `output` may be the same buffer.
    private func crypt(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, at position: Int64
    ) {
        let nonce = [UInt8](repeating: 0, count: Int(crypto_stream_xchacha20_NONCEBYTES))
        let block = UInt64(position) / Self.blockSize
        // The cipher can start only at the beginning of a block. The offset may be inside a block, so padding fills the
        // start of the block.
        let within = Int(UInt64(position) % Self.blockSize)
        var padded = [UInt8](repeating: 0, count: within + bytes.count)
        padded.withUnsafeMutableBytes { padded in
            guard let start = padded.bindMemory(to: UInt8.self).baseAddress else { return }
            padded[within...].copyBytes(from: bytes)
            key.bytes.withUnsafeBufferPointer { key in
                guard let key = key.baseAddress else { return }
                _ = crypto_stream_xchacha20_xor_ic(start, start, UInt64(padded.count), nonce, block, key)
            }
            output.copyMemory(from: UnsafeRawBufferPointer(rebasing: padded[within...]))
            explicit_bzero(start, padded.count)
        }
    }

    private static let keySize = Int(crypto_stream_xchacha20_KEYBYTES)
    /// The block size of the cipher in bytes.
    private static let blockSize: UInt64 = 64
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func first(_ count: Int64) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: prefix(Int(clamping: count)))
    }
}
