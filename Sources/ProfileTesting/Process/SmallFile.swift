internal import Platform

/// Reads and writes files that fit into memory, for tests. Do not use it for a database file that this process has open
/// in SQLite. When this type closes its descriptor, the process loses SQLite's locks on the file.
package enum SmallFile {
    /// Returns all bytes of a file; nil if it cannot be read.
    package static func bytes(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }

    /// Returns a whole file as text; nil if it cannot be read.
    package static func text(of path: String) -> String? {
        bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Creates a file, or replaces its content.
    package static func write(_ text: String, to path: String, mode: UInt32 = 0o600) throws(SystemError) {
        try write(Array(text.utf8), to: path, mode: mode)
    }

    /// Creates a file, or replaces its content.
    package static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o600) throws(SystemError) {
        let outcome = bytes.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try write(bytes, to: path, mode: mode) }
        }
        try outcome.get()
    }

    /// Writes bytes without copying them. Creates the file or replaces its content.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, to path: String, mode: UInt32 = 0o600
    ) throws(SystemError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw SystemError("open \(path)") }
        defer { close(descriptor) }
        var rest = bytes
        while !rest.isEmpty {
            let count = Platform.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError("write \(path)") }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Returns the sorted names of the entries of a directory. The result is empty if the directory cannot be read.
    package static func names(in directory: String) -> [String] {
        rawNames(in: Array(directory.utf8CString)).map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    /// Removes a file, or a directory with all its content. Names may contain any bytes. Does not follow symbolic
    /// links.
    package static func removeAll(_ path: String) { removeAll(Array(path.utf8CString)) }

    private static func removeAll(_ path: [CChar]) {
        guard unlink(path) != 0 else { return }
        for name in rawNames(in: path) {
            removeAll(path.dropLast() + ([UInt8(ascii: "/")] + name + [0]).map(CChar.init(bitPattern:)))
        }
        rmdir(path)
    }

    /// Returns the names as bytes, because a name may contain any bytes except `/` and NUL.
    private static func rawNames(in directory: [CChar]) -> [[UInt8]] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8) && name != Array("..".utf8) { names.append(name) }
        }
        return names
    }

    /// Returns the permission bits of a file; nil if it does not exist.
    package static func mode(of path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}
