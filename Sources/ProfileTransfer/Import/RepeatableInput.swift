internal import CSVStream
internal import CSodium
internal import Platform
internal import ProfileCore
internal import Synchronization

/// An input that can be read from its beginning again: a file by its positions, anything else from a copy that is made
/// while it is read for the first time.
///
/// Such a copy may hold passwords, and what is on a disk may stay there. So it is encrypted, with a key that is nowhere
/// but in this process, and its file has no name: it is gone with the process.
final class RepeatableInput: Sendable {
    private enum Origin: ~Copyable {
        /// A file's bytes from here to there. What is appended meanwhile is not seen, the same in every turn.
        case file(Range<Int64>)
        /// A pipe or the like, in its first turn.
        case stream(EncryptedFile)
        /// A stream that is not to be read again.
        case streamOnce
        case copy(EncryptedFile)
    }

    private struct State: ~Copyable {
        var origin: Origin
        /// Where the next byte is.
        var position: Int64
    }

    private let descriptor: Int32
    let interruption: ReadInterruption
    private let state: Mutex<State>

    /// Takes an open input; a copy, if one is needed, is made by a template of `mkstemp`.
    init(
        _ input: ImportInput, interruptedBy interruption: ReadInterruption, copiedTo template: [CChar]
    ) throws(ImportError) {
        descriptor = input.descriptor
        self.interruption = interruption
        var status = stat()
        let start = lseek(descriptor, 0, SEEK_CUR)
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, start >= 0, status.st_size > start {
            state = Mutex(State(origin: .file(Int64(start)..<Int64(status.st_size)), position: Int64(start)))
        } else {
            state = Mutex(State(origin: .stream(try EncryptedFile(template)), position: 0))
        }
    }

    var source: ByteSource {
        let stream = ByteSource.descriptor(descriptor, interruptedBy: interruption)
        return ByteSource { [self] buffer throws(ByteStreamError) in
            // A read of a file never waits, so that it has to be asked for.
            if interruption.isInterrupted { return 0 }
            return try state.withLock { state throws(ByteStreamError) in
                let count: Int
                switch state.origin {
                case .file(let range):
                    let rest = UnsafeMutableRawBufferPointer(
                        rebasing: buffer.prefix(Int(clamping: range.upperBound - state.position)))
                    count = try descriptor.read(into: rest, at: state.position)
                case .streamOnce: count = try stream.read(buffer)
                case .stream(let copy):
                    count = try stream.read(buffer)
                    try copy.write(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)), at: state.position)
                case .copy(let copy): count = try copy.read(into: buffer, at: state.position)
                }
                state.position += Int64(count)
                return count
            }
        }
    }

    /// Begins anew; whoever read from the source before must not go on. Of a stream that was not read to its end the rest
    /// is read first. Blocks the thread.
    func rewind() throws(ImportError) {
        do throws(ByteStreamError) { try keepRest() } catch { throw ImportError(error) }
        state.withLock { state in
            switch consume state.origin {
            case .file(let range): state = State(origin: .file(range), position: range.lowerBound)
            case .streamOnce: state = State(origin: .streamOnce, position: 0)
            case .stream(let copy): state = State(origin: .copy(copy), position: 0)
            case .copy(let copy): state = State(origin: .copy(copy), position: 0)
            }
        }
    }

    private func keepRest() throws(ByteStreamError) {
        let isStream = state.withLock { state in
            switch state.origin {
            case .stream: true
            default: false
            }
        }
        guard isStream else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer {
            if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
            buffer.deallocate()
        }
        let source = source
        while try source.read(buffer) > 0 {}
    }

    /// Gives up the copy: the input is read once only.
    func readOnce() {
        state.withLock { state in
            let position = state.position
            switch consume state.origin {
            case .stream: state = State(origin: .streamOnce, position: position)
            case let other: state = State(origin: other, position: position)
            }
        }
    }
}

/// A file without a name whose contents nobody else can read.
///
/// XChaCha20 under a random key that is used for this file alone, so that no nonce is needed. Nothing is proved about
/// who wrote the contents: only this process has the descriptor.
private struct EncryptedFile: ~Copyable {
    private let descriptor: Int32
    private let key: Secret

    init(_ template: [CChar]) throws(ImportError) {
        var template = template
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .copyingInput(code: errno) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        key = Secret(capacity: Self.keySize) { output in
            output.withUnsafeMutableBufferPointer { buffer, used in
                guard let start = buffer.baseAddress else { return }
                randombytes_buf(start, Self.keySize)
                used = Self.keySize
            }
        }
    }

    deinit { close(descriptor) }

    func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) throws(ByteStreamError) {
        var encrypted = [UInt8](repeating: 0, count: bytes.count)
        encrypted.withUnsafeMutableBytes { crypt(bytes, into: $0, at: position) }
        var written = 0
        while written < encrypted.count {
            let count = encrypted[written...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(position) + off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ByteStreamError(operation: .write, code: count == 0 ? ENOSPC : errno) }
            written += count
        }
    }

    /// - Returns: How many bytes were read, 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ByteStreamError) -> Int {
        let count = try descriptor.read(into: buffer, at: position)
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

extension Int32 {
    /// Reads from a place of the open file with this descriptor.
    fileprivate func read(
        into buffer: UnsafeMutableRawBufferPointer, at position: Int64
    ) throws(ByteStreamError) -> Int {
        while true {
            let count = pread(self, buffer.baseAddress, buffer.count, off_t(position))
            if count >= 0 { return count }
            if errno != EINTR { throw ByteStreamError(operation: .read, code: errno) }
        }
    }
}
