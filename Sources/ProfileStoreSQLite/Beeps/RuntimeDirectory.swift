internal import Platform

/// The folder in which the sockets of a user's processes lie, and which nobody else can enter.
///
/// It is checked once and then gone by as an open descriptor, so that nothing can be put in its place; `/proc/self/fd`
/// makes a short path of it besides, whatever its own length.
final class RuntimeDirectory: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Opens the folder.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - creating: Whether one that is missing is made, 0700.
    /// - Returns: Nil when it is missing and not to be made.
    /// - Throws: `notPrivate`, `cannotOpen`.
    static func open(_ path: String, creating: Bool) throws(BeeperError) -> RuntimeDirectory? {
        if creating, mkdir(path, 0o700) != 0, errno != EEXIST { throw .cannotOpen(path: path, code: errno) }
        let descriptor = Platform.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT where !creating: return nil
            // A link, or no folder.
            case ELOOP, ENOTDIR: throw .notPrivate(path: path)
            case let code: throw .cannotOpen(path: path, code: code)
            }
        }
        let directory = RuntimeDirectory(descriptor: descriptor)
        guard directory.isPrivate else { throw .notPrivate(path: path) }
        // systemd-tmpfiles cleans up no folder that somebody has locked.
        flock(descriptor, LOCK_SH | LOCK_NB)
        return directory
    }

    /// `$XDG_RUNTIME_DIR/profiles` where that variable names a folder of the user's own, as the XDG Base Directory
    /// Specification has it; else `profiles-UID` in the temporary directory.
    static var defaultPath: String {
        if let runtime = absolutePath(in: "XDG_RUNTIME_DIR") {
            var status = stat()
            // With another user's environment, as after `su`, it is that user's.
            if stat(runtime, &status) == 0, status.st_uid == geteuid() { return runtime + "/profiles" }
        }
        return (absolutePath(in: "TMPDIR") ?? "/tmp") + "/profiles-\(geteuid())"
    }

    /// A path for `bind` and `sendto`.
    func socketPath(_ name: String) -> String { "/proc/self/fd/\(descriptor)/\(name)" }

    /// The names that begin so.
    func names(startingWith prefix: String) -> [String] {
        // A descriptor of its own, since reading moves its offset.
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
        // One that is not UTF-8 would come out as the path of another folder.
        return String(validatingCString: value)
    }
}
