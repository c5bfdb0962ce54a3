internal import CSQLite
internal import Platform

extension Connection {
    /// Copies the database, as it is at one moment, into a new file of mode 0600, while others read and write on.
    ///
    /// The file opens alone: it has a rollback journal in place of a write-ahead log, so that it can be read from
    /// a medium that is read-only. A copy that fails is removed.
    ///
    /// - Throws: `cantOpen` with `systemError` EEXIST if there is a file already, and what reading and writing throw.
    package func backup(to path: String) throws(SQLiteError) {
        // An empty file is a database without tables to SQLite. Creating it ourselves says whether it is new, and
        // no connection has it open yet whose locks our closing it could drop.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SQLiteError(systemError: errno, opening: path) }
        fchmod(descriptor, 0o600)
        close(descriptor)
        do throws(SQLiteError) {
            let destination = try Connection(DatabasePath(path), mode: .readWrite)
            try copyContents(to: destination)
            // The copy says in its header that it has a write-ahead log, as the original does.
            try destination.execute("PRAGMA journal_mode = DELETE")
        } catch {
            for file in [path, path + "-journal", path + "-wal", path + "-shm"] { unlink(file) }
            throw error
        }
    }

    /// Puts the contents of this database in the place of another's, in one transaction of that one: those who read it
    /// see the old contents or the new, and if it fails nothing has changed.
    ///
    /// The caller holds the destination's ``WriteLock``, and neither database has a transaction open. SQLite refuses a
    /// destination with a write-ahead log and other pages than these as `readOnly`.
    package func copyContents(to destination: borrowing Connection) throws(SQLiteError) {
        try destination.requireCommittable()
        guard let backup = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
            throw SQLiteError(status: sqlite3_extended_errcode(destination.handle), database: destination.handle)
        }
        // All pages in one step: one snapshot, which a commit beside it does not make begin again.
        let step = sqlite3_backup_step(backup, -1)
        let finish = sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE else {
            throw SQLiteError(status: finish == SQLITE_OK ? step : finish, database: destination.handle)
        }
        try destination.requireInPlace()
    }
}
