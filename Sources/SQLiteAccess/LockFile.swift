internal import Platform

/// The open lock file beside the database. The write lock is a `flock` lock on this file.
///
/// If the lock file does not exist, it is created with mode 0600. If root creates it, it gets the owner of the
/// database. An existing file with this name may be user data. Such a file is used only if it can be a lock file.
/// Otherwise the file is refused and left unchanged.
final class LockFile: Sendable {
    let descriptor: Int32
    private let path: DatabasePath

    /// Opens the lock file of a database, and creates it if it does not exist.
    ///
    /// - Throws: `readOnly` if this process may not write to the database. The reason: if a user without write access
    ///   created the lock file, the owner could not use it. `cantOpen` with a ``FileProblem`` if the file in the place
    ///   of the lock file is not a lock file.
    init(_ path: DatabasePath) throws(SQLiteError) {
        self.path = path
        descriptor = try Self.open(path)
    }

    deinit { close(descriptor) }

    /// Whether the path of the lock file still leads to the open file.
    var isInPlace: Bool {
        var ours = stat()
        var others = stat()
        guard fstat(descriptor, &ours) == 0, lstat(path.lock, &others) == 0 else { return false }
        return FileIdentity(ours) == FileIdentity(others)
    }

    // MARK: Opening

    /// The maximum length in bytes of the line that names the holder: a process ID of up to 10 digits, a space, 100
    /// ASCII characters and a line feed.
    private static let longestContent = 112

    private static func open(_ path: DatabasePath) throws(SQLiteError) -> Int32 {
        try requirePermission(path)
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
        // All hundred attempts fail only if a hostile process repeatedly creates and removes the file.
        for _ in 0..<100 {
            let new = Platform.open(path.lock, flags | O_CREAT | O_EXCL, 0o600)
            if new >= 0 {
                // Restores the permissions that the umask removed.
                fchmod(new, 0o600)
                // If root creates the file, it gets the owner of the database, as SQLite's own files do.
                if geteuid() == 0, let database = status(of: path.database) {
                    _ = fchown(new, database.st_uid, database.st_gid)
                }
                return new
            }
            guard errno == EEXIST else { throw SQLiteError(systemError: errno, opening: path.lock) }
            // The file type is checked before the file is opened. If the file were a pipe, opening it would affect the
            // process at the other end.
            guard let file = status(of: path.lock) else { continue }
            guard file.st_mode & S_IFMT == S_IFREG else { throw SQLiteError(.notALock(path.lock.pathText, .notAFile)) }
            let old = Platform.open(path.lock, flags | O_NONBLOCK | O_NOCTTY)
            if old < 0 {
                guard errno == ENOENT else { throw SQLiteError(systemError: errno, opening: path.lock) }
                continue
            }
            if let fault = fault(of: old, path) {
                close(old)
                throw SQLiteError(.notALock(path.lock.pathText, fault))
            }
            // SQLite gives a new database the permissions of this file.
            fchmod(old, 0o600)
            return old
        }
        throw SQLiteError(.lockDisplaced(path.lock.pathText))
    }

    private static func requirePermission(_ path: DatabasePath) throws(SQLiteError) {
        guard faccessat(AT_FDCWD, path.database, W_OK, AT_EACCESS) != 0 else { return }
        let code = errno
        guard code == EACCES || code == EPERM || code == EROFS else { return }
        throw SQLiteError(
            code: .readOnly, message: SQLiteError(systemError: code, opening: path.database).message, systemError: code)
    }

    /// Returns the reason why an open file cannot be a lock file; nil if it can be one.
    private static func fault(of descriptor: Int32, _ path: DatabasePath) -> WriteLock.FileFault? {
        var file = stat()
        guard fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return .notAFile }
        // A link count of 0 means that the file was just removed. The removal is detected when the lock is taken.
        guard file.st_nlink <= 1 else { return .severalNames }
        let owner = status(of: path.database)?.st_uid ?? geteuid()
        guard file.st_uid == owner || file.st_uid == geteuid() else { return .foreignOwner }
        guard file.st_size <= longestContent else { return .foreignContent }
        let content = [UInt8](unsafeUninitializedCapacity: longestContent + 1) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        // If a holder of the lock was killed, its line is still in the file. The file may also contain the end of an
        // older line that was longer.
        let processID = content.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isLine = (1...10).contains(processID.count) && content.dropFirst(processID.count).first == UInt8(ascii: " ")
        // After a power failure the file may have the length of a line, but contain only zero bytes.
        let isErased = content.allSatisfy { $0 == 0 }
        return isErased || isLine && content.count <= longestContent ? nil : .foreignContent
    }

    private static func status(of path: [CChar]) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}
