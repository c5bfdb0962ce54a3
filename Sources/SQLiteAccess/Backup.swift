internal import CSQLite
internal import Platform

extension Connection {
    /// Copies a consistent snapshot of the database into a new file of mode 0600. During the copy, other connections
    /// can read and write.
    ///
    /// The copy is a single file. It uses a rollback journal instead of a write-ahead log, so it can be read from a
    /// read-only medium. When the file is complete and synced to the disk, it gets the name `path`. Until then it has a
    /// temporary name: `path`, a dot and 12 letters. If copying fails, the file is removed. If the process is killed,
    /// the temporary file stays.
    ///
    /// - Throws: `cantOpen` with `systemError` EEXIST if there already is a file at `path`, and the errors of reading
    ///   and writing.
    package func backup(to path: String) throws(SQLiteError) {
        // If the name is taken, this avoids a useless copy. The rename below checks the name again, because another
        // process may take it meanwhile.
        var status = stat()
        guard lstat(path, &status) != 0 else { throw SQLiteError(systemError: EEXIST, opening: path) }
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let unfinished = path + "." + String((0..<12).map { _ in letters.randomElement() ?? "x" })
        do throws(SQLiteError) {
            try copyContents(toNewFile: unfinished)
            let code = NewName.rename(unfinished, to: path)
            guard code == 0 else { throw SQLiteError(systemError: code, opening: path) }
        } catch {
            for ending in ["", "-journal", "-wal", "-shm"] { unlink(unfinished + ending) }
            throw error
        }
        let code = NewName.sync(folderOf: path)
        guard code == 0 else {
            unlink(path)
            throw SQLiteError(code: .ioErrorFsync, message: SQLiteError(systemError: code, opening: path).message)
        }
    }

    private func copyContents(toNewFile path: String) throws(SQLiteError) {
        // SQLite treats an empty file as a database without tables. O_EXCL proves that the file is new. Closing a
        // descriptor drops the POSIX locks of this process on the file. No connection has the new file open yet, so
        // none loses its locks.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SQLiteError(systemError: errno, opening: path) }
        fchmod(descriptor, 0o600)
        close(descriptor)
        let destination = try Connection(DatabasePath(path), mode: .readWrite)
        try copyContents(to: destination)
        // The copied header still sets the journal mode WAL, as in the original.
        try destination.execute("PRAGMA journal_mode = DELETE")
    }

    /// Replaces the contents of another database with the contents of this one, in one transaction of the destination.
    /// Readers of the destination see either the old or the new contents. If the copy fails, the destination is
    /// unchanged.
    ///
    /// The caller must hold the destination's ``WriteLock``, and neither connection may have an open transaction.
    /// SQLite refuses with `readOnly` if the destination has a write-ahead log and a different page size.
    package func copyContents(to destination: borrowing Connection) throws(SQLiteError) {
        try destination.requireCommittable()
        guard let backup = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
            throw SQLiteError(status: sqlite3_extended_errcode(destination.handle), database: destination.handle)
        }
        // One step copies all pages from one snapshot, so a concurrent commit does not restart the backup.
        let step = sqlite3_backup_step(backup, -1)
        let finish = sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE else {
            throw SQLiteError(status: finish == SQLITE_OK ? step : finish, database: destination.handle)
        }
        try destination.requireInPlace()
    }
}
