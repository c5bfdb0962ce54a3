internal import Platform

/// The identity and the state of a file. If two values are equal, the file was neither replaced nor changed between the
/// two readings.
struct FileState: Hashable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    /// Nanoseconds since 1970. `changed` is the time of the last change of the contents or the attributes. No program
    /// can set it.
    private let modified: Int64
    private let changed: Int64

    /// The state of an open file. Nil if fstat(2) fails.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The state of the file at a path, after following a symbolic link. Nil if there is no file.
    init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether both values describe the same file, changed or not.
    func isSameFile(as other: FileState) -> Bool { device == other.device && inode == other.inode }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// A lock on a folder. While this value exists, other runs of the command replace no file in the folder (flock(2)).
///
/// A command holds the lock only for a few system calls. The command checks that a file has not changed, and then
/// replaces this file by another file.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// Waits at most two seconds for the lock of the file's folder, because another program may hold the lock for its
    /// own purposes. If the wait times out, the folder cannot be opened, or the file system does not support flock(2),
    /// the value holds no lock.
    init(of path: String) {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        var attempts = 200
        while descriptor >= 0, attempts > 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            usleep(10_000)
            attempts -= 1
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Makes the names in the folder durable: a sync of a file does not include its name (fsync(2)).
    ///
    /// - Returns: 0 for success, otherwise `errno`. Also 0 if this process may not read the folder, or if the file
    ///   system cannot sync folders.
    func sync() -> Int32 {
        descriptor < 0 || fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno
    }
}
