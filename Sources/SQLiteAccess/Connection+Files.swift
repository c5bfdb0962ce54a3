internal import CSQLite
internal import Platform

// SQLite opens a file once, by its name, and goes on with it whatever becomes of the name. Others then find another file
// there, or none, and what is written is lost to them.
extension Connection {
    /// Throws if those who open the database now would not find the file that this connection has open.
    package func requireInPlace() throws(SQLiteError) {
        // Nobody looks for one without a name.
        guard let path else { return }
        var hasMoved: Int32 = 0
        let status = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        if status == SQLITE_OK, hasMoved != 0 { throw SQLiteError(.displaced(path.description)) }
    }

    /// Throws unless what is written now goes where everyone looks for it, and under the one lock that everyone sees.
    func requireCommittable() throws(SQLiteError) {
        guard let path else { return }
        try requireInPlace()
        try Self.requireOneName(path)
        if let lockFile = terms.lockFile, !lockFile.isInPlace {
            throw SQLiteError(.lockDisplaced(path.lock.pathText))
        }
    }

    /// Throws if the database has a second name. One that does not exist has none.
    static func requireOneName(_ path: DatabasePath) throws(SQLiteError) {
        var status = stat()
        guard lstat(path.database, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        guard status.st_nlink <= 1 else { throw SQLiteError(.severalNames(path.description)) }
    }
}
