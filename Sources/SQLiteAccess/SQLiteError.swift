internal import CSQLite
internal import Platform

/// An error of SQLite or of the file system below it.
package struct SQLiteError: Error, Hashable, Sendable {
    /// The extended result code.
    package let code: ResultCode

    /// SQLite's message, or this module's own message if SQLite did not report the error. It may name tables, columns,
    /// constraints and paths, but never contains values.
    package let message: String

    /// The text of the statement that failed, if a statement failed. It contains no values, because values are bound.
    package let sql: String?

    /// The path of the file that could not be opened, if it is known.
    package internal(set) var path: String?

    /// The `errno` of the failed system call, mostly with `cantOpen` and `ioError`; 0 if there is none.
    package let systemError: Int32

    /// The file problem, if this module and not SQLite refused the operation; otherwise nil.
    package let fileProblem: FileProblem?

    /// The time for which the connection waited for the lock of another program. It is set with `busy` if the wait was
    /// measured, and zero otherwise.
    package internal(set) var waited = Duration.zero

    package init(
        code: ResultCode, message: String, sql: String? = nil, systemError: Int32 = 0, fileProblem: FileProblem? = nil
    ) {
        self.code = code
        self.message = message
        self.sql = sql
        self.systemError = systemError
        self.fileProblem = fileProblem
    }
}

extension SQLiteError {
    /// Makes the error that `database` reports for its latest call, which returned `status`.
    init(status: Int32, database: OpaquePointer?, sql: String? = nil) {
        let code = ResultCode(rawValue: status)
        // After a misuse error, the connection's message still belongs to an earlier call.
        let speaks = database != nil && sqlite3_extended_errcode(database) == status
        let words = speaks ? sqlite3_errmsg(database) : sqlite3_errstr(status)
        let comesFromSystem = code.primary == .cantOpen || code.primary == .ioError
        self.init(
            code: code,
            message: words.map { String(cString: $0) } ?? "",
            sql: sql,
            systemError: speaks && comesFromSystem ? sqlite3_system_errno(database) : 0)
    }

    /// Makes the error of a system call that failed on a file with this path.
    init(systemError: Int32, opening path: [CChar]) { self.init(systemError: systemError, opening: path.pathText) }

    /// Makes the error of a system call that failed on a file with this path, given as text.
    init(systemError: Int32, opening path: String) {
        let code: ResultCode =
            switch systemError {
            case EROFS: .readOnly
            case ENOSPC, EDQUOT: .full
            case ENOMEM: .noMemory
            default: .cantOpen
            }
        let reason = strerror(systemError).map { String(cString: $0) } ?? "error \(systemError)"
        self.init(code: code, message: "\(path): \(reason)", systemError: systemError)
        self.path = path
    }

    /// Returns the same error with the path of the database that could not be opened.
    func opening(_ path: DatabasePath) -> SQLiteError {
        var error = self
        error.path = path.description
        return error
    }
}
