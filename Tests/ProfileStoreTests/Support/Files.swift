import Glibc

/// Files as they lie, past SQLite. Never on a file that a connection of this process has open: closing the descriptor
/// would drop SQLite's locks.
enum Files {
    static func bytes(of path: String) -> [UInt8] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    static func write(_ bytes: [UInt8], to path: String) {
        guard let file = fopen(path, "we") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    static func write(_ text: String, to path: String) { write(Array(text.utf8), to: path) }

    /// The names in a directory, sorted.
    static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a file, or a directory with all that is in it.
    static func removeAll(_ path: String) {
        guard unlink(path) != 0 else { return }
        for name in names(in: path) { removeAll("\(path)/\(name)") }
        rmdir(path)
    }

    /// Permission bits; nil where there is no such file.
    static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}
