/// A problem with a database's files that SQLite itself does not report.
package enum FileProblem: Hashable, Sendable, CustomStringConvertible {
    /// The database has more than one name (hard links). Each name would have its own lock and its own log.
    case severalNames(String)
    /// The database was removed or replaced while it was open.
    case displaced(String)
    /// The lock file was removed or replaced while the lock was held.
    case lockDisplaced(String)
    /// The file with the lock file's name is not a lock file of this project. It is left unchanged.
    case notALock(String, WriteLock.FileFault)

    package var description: String {
        switch self {
        case .severalNames(let path): "\(path) has several names"
        case .displaced(let path), .lockDisplaced(let path): "\(path) was removed or replaced"
        case .notALock(let path, let fault): "\(path) is not a lock file (\(fault))"
        }
    }
}

extension SQLiteError {
    init(_ problem: FileProblem) {
        let code: ResultCode =
            switch problem {
            case .severalNames, .notALock: .cantOpen
            case .displaced: .readOnlyMoved
            case .lockDisplaced: .protocol
            }
        self.init(code: code, message: problem.description, fileProblem: problem)
    }
}
