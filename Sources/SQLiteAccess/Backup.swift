internal import CSQLite
internal import Platform

extension Connection {
    /// Copies a consistent snapshot of the database into a new file of mode 0600. Other connections can read and write
    /// meanwhile.
    ///
    /// The copy is a single file. It uses a rollback journal instead of a write-ahead log, so it can be read from a
    /// read-only medium. If copying fails, the file is removed.
    ///
    /// - Throws: `cantOpen` with `systemError` EEXIST if the file already exists, and the errors of reading and
    ///   writing.
    package func backup(to path: String) throws(SQLiteError) {
        // SQLite treats an empty file as a database without tables. O_EXCL proves that the file is new. No connection
        // has the new file open yet, so closing the descriptor cannot drop the POSIX locks of one.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SQLiteError(systemError: errno, opening: path) }
        fchmod(descriptor, 0o600)
        close(descriptor)
        do throws(SQLiteError) {
            let destination = try Connection(DatabasePath(path), mode: .readWrite)
            try copyContents(to: destination)
            // The header of the copy still names a write-ahead log, as the header of the original does.
            try destination.execute("PRAGMA journal_mode = DELETE")
        } catch {
            for file in [path, path + "-journal", path + "-wal", path + "-shm"] { unlink(file) }
            throw error
        }
    }

    /// Replaces the contents of another database by the contents of this one, in one transaction of the destination.
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
