internal import Platform

/// The file beside the database that the write lock is on, while it is open.
///
/// What is missing is made, 0600 and the database owner's. What lies there already may be somebody's work: it is taken
/// for a lock file only if it can be one, and is refused as it lies otherwise.
final class LockFile: Sendable {
    let descriptor: Int32
    private let path: DatabasePath

    /// - Throws: `readOnly` where the database may not be written: a lock file of one who only reads would keep its
    ///   owner out. `cantOpen` with a ``FileProblem`` where something else has the lock's name.
    init(_ path: DatabasePath) throws(SQLiteError) {
        self.path = path
        descriptor = try Self.open(path)
    }

    deinit { close(descriptor) }

    /// Whether those who open the path now find this very file, and not another or none.
    var isInPlace: Bool {
        var ours = stat()
        var others = stat()
        guard fstat(descriptor, &ours) == 0, lstat(path.lock, &others) == 0 else { return false }
        return FileIdentity(ours) == FileIdentity(others)
    }

    // MARK: Opening

    /// A holder's line at its longest: a process id, a space, 100 characters and the line's end.
    private static let longestContent = 112

    private static func open(_ path: DatabasePath) throws(SQLiteError) -> Int32 {
        try requirePermission(path)
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
        // Whoever makes and removes it a hundred times meanwhile does so on purpose.
        for _ in 0..<100 {
            let new = Platform.open(path.lock, flags | O_CREAT | O_EXCL, 0o600)
            if new >= 0 {
                // Whatever the umask took away.
                fchmod(new, 0o600)
                // What root creates beside somebody's database is that owner's, as SQLite does with its own files.
                if geteuid() == 0, let database = status(of: path.database) {
                    _ = fchown(new, database.st_uid, database.st_gid)
                }
                return new
            }
            guard errno == EEXIST else { throw SQLiteError(systemError: errno, opening: path.lock) }
            // Before it is opened, which those at the other end of a pipe would notice.
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
            // A database that is made takes the mode of this file.
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

    /// Why an open file is no lock file of ours; nil where it can be one.
    private static func fault(of descriptor: Int32, _ path: DatabasePath) -> WriteLock.FileFault? {
        var file = stat()
        guard fstat(descriptor, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return .notAFile }
        // None: it was removed a moment ago, which shows when the lock is taken.
        guard file.st_nlink <= 1 else { return .severalNames }
        let owner = status(of: path.database)?.st_uid ?? geteuid()
        guard file.st_uid == owner || file.st_uid == geteuid() else { return .foreignOwner }
        guard file.st_size <= longestContent else { return .foreignContent }
        let content = [UInt8](unsafeUninitializedCapacity: longestContent + 1) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        // A holder that was killed has left its line, perhaps with the rest of a longer one before it.
        let processID = content.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isLine = (1...10).contains(processID.count) && content.dropFirst(processID.count).first == UInt8(ascii: " ")
        return content.isEmpty || isLine && content.count <= longestContent ? nil : .foreignContent
    }

    private static func status(of path: [CChar]) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}
