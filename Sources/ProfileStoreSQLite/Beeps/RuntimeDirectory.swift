internal import Platform

/// The folder for the sockets of one user's processes. No other user can enter it.
///
/// The folder is checked once and then used through an open descriptor. So another folder cannot replace it after the
/// check. Paths through `/proc/self/fd` are also short, even if the folder's own path is long.
final class RuntimeDirectory: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Opens the folder.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - creating: Whether to create a missing folder, with mode 0700.
    /// - Returns: The folder; nil if it is missing and `creating` is false.
    /// - Throws: `notPrivate`, `cannotOpen`.
    static func open(_ path: String, creating: Bool) throws(BeeperError) -> RuntimeDirectory? {
        if creating, mkdir(path, 0o700) != 0, errno != EEXIST { throw .cannotOpen(path: path, code: errno) }
        let descriptor = Platform.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT where !creating: return nil
            // The path is a symbolic link or not a folder.
            case ELOOP, ENOTDIR: throw .notPrivate(path: path)
            case let code: throw .cannotOpen(path: path, code: code)
            }
        }
        let directory = RuntimeDirectory(descriptor: descriptor)
        guard directory.isPrivate else { throw .notPrivate(path: path) }
        // systemd-tmpfiles does not clean up a locked folder.
        flock(descriptor, LOCK_SH | LOCK_NB)
        return directory
    }

    /// The default path of the folder: `$XDG_RUNTIME_DIR/profiles` if `XDG_RUNTIME_DIR` names a folder that the user
    /// owns, as the XDG Base Directory Specification requires. Otherwise it is `profiles-UID` in the temporary
    /// directory.
    static var defaultPath: String {
        if let runtime = absolutePath(in: "XDG_RUNTIME_DIR") {
            var status = stat()
            // After `su`, the variable may still name the folder of the previous user.
            if stat(runtime, &status) == 0, status.st_uid == geteuid() { return runtime + "/profiles" }
        }
        return (absolutePath(in: "TMPDIR") ?? "/tmp") + "/profiles-\(geteuid())"
    }

    /// Returns the path of a socket for `bind` and `sendto`.
    func socketPath(_ name: String) -> String { "/proc/self/fd/\(descriptor)/\(name)" }

    /// Returns the names of the files that begin with a prefix.
    func names(startingWith prefix: String) -> [String] {
        // A new descriptor is opened, because reading a folder changes the offset of its descriptor.
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return [] }
        guard let stream = fdopendir(copy) else {
            close(copy)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                guard bytes.starts(with: prefix.utf8) else { return }
                names.append(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
            }
        }
        return names
    }

    /// - Returns: 0, or `errno`.
    func rename(_ name: String, to other: String) -> Int32 {
        renameat(descriptor, name, descriptor, other) == 0 ? 0 : errno
    }

    func remove(_ name: String) { unlinkat(descriptor, name, 0) }

    private var isPrivate: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }

    private static func absolutePath(in variable: String) -> String? {
        guard let value = getenv(variable), value.pointee == UInt8(ascii: "/") else { return nil }
        // A path that is not UTF-8 is not repaired, because the repaired path would lead to another folder.
        return String(validatingCString: value)
    }
}
