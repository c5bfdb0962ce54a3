internal import CSQLite
internal import Platform

// SQLite opens a file by its name once and keeps using that file, even if the name is later removed or replaced. If
// another process opens the name afterwards, it finds another file or no file, and never sees the writes of this
// connection.
extension Connection {
    /// Throws `readOnlyMoved` if the path of the database no longer leads to the file that this connection has open.
    package func requireInPlace() throws(SQLiteError) {
        // A database without a name cannot be replaced.
        guard let path else { return }
        var hasMoved: Int32 = 0
        let status = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        if status == SQLITE_OK, hasMoved != 0 { throw SQLiteError(.displaced(path.description)) }
    }

    /// Throws an error in three cases: the path of the database no longer leads to the open database, the path of the
    /// lock file no longer leads to the open lock file, or the database has more than one name. In these cases, other
    /// processes would not see a commit, or they could hold a different lock.
    func requireCommittable() throws(SQLiteError) {
        guard let path else { return }
        try requireInPlace()
        try Self.requireOneName(path)
        if let lockFile = terms.lockFile, !lockFile.isInPlace {
            throw SQLiteError(.lockDisplaced(path.lock.pathText))
        }
    }

    /// Throws `cantOpen` if the database file has a second name (a hard link). If the file does not exist, no error is
    /// thrown.
    static func requireOneName(_ path: DatabasePath) throws(SQLiteError) {
        var status = stat()
        guard lstat(path.database, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        guard status.st_nlink <= 1 else { throw SQLiteError(.severalNames(path.description)) }
    }
}
