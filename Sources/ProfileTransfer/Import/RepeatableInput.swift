internal import CSVStream
internal import CSodium
internal import Platform
internal import ProfileCore
internal import Synchronization

/// An input that can be read from its beginning again: bytes, a file by its positions, anything else from a copy that is
/// made while it is read for the first time.
///
/// Such a copy may hold passwords, and what is on a disk may stay there. So it is encrypted, with a key that is nowhere
/// but in this process, and its file has no name: it is gone with the process.
final class RepeatableInput: Sendable {
    private enum Contents {
        case bytes([UInt8])
        /// A file's bytes from here to there. What is appended meanwhile is not seen, the same in every turn.
        case file(OpenFile, Range<Int64>)
        case stream(CopiedStream)
    }

    private let contents: Contents
    private let interruption: any Interruption

    /// Takes an input. If it has to be copied, the copy is an unnamed file in the folder.
    init(_ input: ImportInput, keptIn folder: String) throws(ImportError) {
        let stream: InputReading
        switch input.origin {
        case .bytes(let bytes):
            contents = .bytes(bytes)
            interruption = try ReadInterruption.ofInput()
            return
        case .file(let open):
            let file = try open()
            if let range = file.unreadBytes {
                contents = .file(file, range)
                interruption = try ReadInterruption.ofInput()
                return
            }
            stream = try InputReading(file)
        case .chunks, .repeatable: stream = try InputReading(input)
        }
        contents = .stream(CopiedStream(stream.source, copy: try EncryptedFile(in: folder)))
        interruption = stream.interruption
    }

    /// Begins to read it from its beginning, beside others who read it.
    func reading() -> InputReading {
        let position = Position()
        let source = ByteSource { [self] buffer throws(ByteStreamError) in
            // What is there is read without waiting, so that this has to be asked for.
            if interruption.isInterrupted { return 0 }
            return try position.value.withLock { position throws(ByteStreamError) in
                let count = try read(into: buffer, at: position)
                position += Int64(count)
                return count
            }
        }
        return InputReading(source, interruption, from: self)
    }

    /// Gives up the copy: whoever reads it now is the last one.
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

    /// Where somebody reads.
    private final class Position: Sendable {
        let value = Mutex(Int64(0))
    }
}

/// A stream of which a copy is made while it is read for the first time.
private final class CopiedStream: Sendable {
    private struct State: ~Copyable {
        let copy: EncryptedFile
        /// How many bytes were copied.
        var count: Int64 = 0
        var isKept = true
    }

    private let stream: ByteSource
    private let state: Mutex<State>

    init(_ stream: ByteSource, copy: consuming EncryptedFile) {
        self.stream = stream
        state = Mutex(State(copy: copy))
    }

    /// Reads what was copied, and from there on the stream itself.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ByteStreamError) -> Int {
        try state.withLock { state throws(ByteStreamError) in
            if position < state.count {
                return try state.copy.read(into: buffer.first(state.count - position), at: position)
            }
            let count = try stream.read(buffer)
            guard state.isKept else { return count }
            try state.copy.write(UnsafeRawBufferPointer(buffer.first(Int64(count))), at: state.count)
            state.count += Int64(count)
            return count
        }
    }

    func keepNoMore() { state.withLock { $0.isKept = false } }
}

/// A file without a name whose contents nobody else can read.
///
/// XChaCha20 under a random key that is used for this file alone, so that no nonce is needed. Nothing is proved about
/// who wrote the contents: only this process has the descriptor.
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

    /// - Returns: How many bytes were read, 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ByteStreamError) -> Int {
        let count = try file.read(into: buffer, at: position)
        let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
        crypt(UnsafeRawBufferPointer(bytes), into: bytes, at: position)
        return count
    }

    /// Encrypts, or decrypts, what lies at a position of the file; `bytes` may be `output` itself.
    private func crypt(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, at position: Int64
    ) {
        let nonce = [UInt8](repeating: 0, count: Int(crypto_stream_xchacha20_NONCEBYTES))
        let block = UInt64(position) / Self.blockSize
        // The cipher begins with whole blocks only, and the position may lie within one.
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
    /// In bytes, of the cipher.
    private static let blockSize: UInt64 = 64
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func first(_ count: Int64) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: prefix(Int(clamping: count)))
    }
}
