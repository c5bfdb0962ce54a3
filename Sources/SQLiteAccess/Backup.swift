internal import CSQLite
internal import Platform

extension Connection {
    /// Copies a consistent snapshot of the database into a new file of mode 0600. During the copy, other connections
    /// can read and write.
    ///
    /// The copy is a single file. The copy uses a rollback journal instead of a write-ahead log, so the copy can be
    /// read from a read-only medium. When the file is complete and synced to the disk, it gets the name `path`. Until
    /// then it has a temporary name: `path`, a dot and 12 letters. If copying fails, the file is removed. If the
    /// process is killed, the temporary file stays.
    ///
    /// - Parameters:
    ///   - path: The path of the new file.
    ///   - isSound: Is called with a connection to the complete copy before the copy gets its name. The connection is
    ///     new, so it reads the pages from the file, and not from the page cache of the connection that wrote them. If
    ///     the result is false, the copy is removed.
    /// - Returns: Whether the copy has got its name.
    /// - Throws: `cantOpen` with `systemError` EEXIST if a file already exists at `path`. Errors of reading or writing
    ///   are also thrown.
    @discardableResult
    package func backup(
        to path: String, keepingIf isSound: ((borrowing Connection) throws(SQLiteError) -> Bool)? = nil
    ) throws(SQLiteError) -> Bool {
        // If the name already exists, this check avoids a useless copy. The rename below checks the name again, because
        // another process may create a file with this name meanwhile.
        var status = stat()
        guard lstat(path, &status) != 0 else { throw SQLiteError(systemError: EEXIST, opening: path) }
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let unfinished = path + "." + String((0..<12).map { _ in letters.randomElement() ?? "x" })
        func removeUnfinished() { for ending in ["", "-journal", "-wal", "-shm"] { unlink(unfinished + ending) } }
        do throws(SQLiteError) {
            try copyContents(toNewFile: unfinished)
            if let isSound, try !isSound(Connection(DatabasePath(unfinished), mode: .readOnly)) {
                removeUnfinished()
                return false
            }
            let code = NewName.rename(unfinished, to: path)
            guard code == 0 else { throw SQLiteError(systemError: code, opening: path) }
        } catch {
            removeUnfinished()
            throw error
        }
        let code = NewName.sync(folderOf: path)
        guard code == 0 else {
            unlink(path)
            throw SQLiteError(code: .ioErrorFsync, message: SQLiteError(systemError: code, opening: path).message)
        }
        return true
    }

    private func copyContents(toNewFile path: String) throws(SQLiteError) {
        // SQLite treats an empty file as a database without tables. O_EXCL proves that the file is new. When a process
        // closes a descriptor of a file, it loses all its POSIX locks on this file. Here no lock can be lost, because
        // no connection has opened the new file yet.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SQLiteError(systemError: errno, opening: path) }
        fchmod(descriptor, 0o600)
        close(descriptor)
        let destination = try Connection(DatabasePath(path), mode: .readWrite)
        try copyContents(to: destination)
        // The header of the copy still contains the journal mode of the original: WAL.
        try destination.execute("PRAGMA journal_mode = DELETE")
    }

    /// Replaces the contents of another database, the destination, with a copy of this database. The copy is one
    /// transaction of the destination. Readers of the destination see either the old or the new contents. If the copy
    /// fails, the destination is unchanged.
    ///
    /// The caller must hold the destination's ``WriteLock``, and neither connection may have an open transaction. If
    /// the destination has a write-ahead log and a different page size, SQLite refuses the copy with `readOnly`.
    package func copyContents(to destination: borrowing Connection) throws(SQLiteError) {
        try destination.requireCommittable()
        guard let backup = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
            throw SQLiteError(status: sqlite3_extended_errcode(destination.handle), database: destination.handle)
        }
        let target = destination.handle
        try destination.measuringWait { () throws(SQLiteError) in
            // One step copies all pages from one snapshot, so a concurrent commit does not restart the backup.
            let step = sqlite3_backup_step(backup, -1)
            let finish = sqlite3_backup_finish(backup)
            guard step == SQLITE_DONE else {
                throw SQLiteError(status: finish == SQLITE_OK ? step : finish, database: target)
            }
        }
        try destination.requireInPlace()
    }
}
