/// What is wrong with a database's files where SQLite itself would go on.
package enum FileProblem: Hashable, Sendable, CustomStringConvertible {
    /// The database has more names than one (hard links): under each it would have a lock and a log of its own.
    case severalNames(String)
    /// The database was removed, or another took its place, while it was open.
    case displaced(String)
    /// The lock file was removed, or another took its place, while the lock was held.
    case lockDisplaced(String)
    /// What has the lock file's name is not one of ours; it is left as it is.
    case notALock(String, WriteLock.FileFault)

    package var description: String {
        switch self {
        case .severalNames(let path): "\(path) has several names"
        case .displaced(let path), .lockDisplaced(let path): "\(path) was removed or replaced"
        case .notALock(let path, let fault): "\(path) is no lock file (\(fault))"
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
