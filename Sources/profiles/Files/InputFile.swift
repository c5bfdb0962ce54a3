internal import Platform

/// A file that is read, or standard input under the name `-`.
struct InputFile: ~Copyable {
    let path: String
    let descriptor: Int32
    /// The size of the file. Nil if the size is unknown, for example for a pipe.
    let byteCount: UInt64?

    /// Opens a file. If the file cannot be opened, the failure shows `name`, or the path if `name` is nil.
    init(_ path: String, called name: String? = nil) throws(CommandFailure) {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotRead(name ?? path, errno) }
        var status = stat()
        let code = fstat(descriptor, &status) != 0 ? errno : status.st_mode & S_IFMT == S_IFDIR ? EISDIR : 0
        guard code == 0 else {
            // An error in an initializer skips `deinit`, so the descriptor is closed here.
            if descriptor > STDERR_FILENO { close(descriptor) }
            throw .cannotRead(name ?? path, code)
        }
        byteCount = status.st_mode & S_IFMT == S_IFREG ? UInt64(max(0, status.st_size)) : nil
    }

    /// Reads a whole file of at most `limit` bytes. The memory is zeroed after `body`, because it may contain a secret.
    func withContents<Value>(
        limit: Int = 16 << 20, _ body: (Span<UInt8>) throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        let capacity = byteCount.map { Int(clamping: $0) }.map { min($0, limit) + 1 } ?? limit + 1
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        var used = 0
        defer {
            if let start = buffer.baseAddress { explicit_bzero(start, used) }
            buffer.deallocate()
        }
        let (count, code) = FileDescriptor.readAll(into: buffer, from: descriptor)
        used = count
        guard code == 0 else { throw .cannotRead(path, code) }
        guard count <= limit else {
            throw CommandFailure(.badInput, "\(CommandFailure.named(path)) is longer than \(limit) bytes")
        }
        return try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bindMemory(to: UInt8.self).span)
    }

    deinit {
        if descriptor > STDERR_FILENO { close(descriptor) }
    }
}
