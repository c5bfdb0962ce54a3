internal import CSQLite
internal import Platform

/// An error of SQLite or of the file system below it.
package struct SQLiteError: Error, Hashable, Sendable {
    /// The extended result code.
    package let code: ResultCode

    /// SQLite's message, or this module's own message if SQLite did not report the error. The message may name tables,
    /// columns, constraints and paths, but never contains values.
    package let message: String

    /// The text of the statement that failed, if a statement failed. The text contains no values, because values are
    /// bound.
    package let sql: String?

    /// The path of the file that could not be opened, if it is known.
    package internal(set) var path: String?

    /// The `errno` of the failed system call; 0 if no system call failed. An `errno` is mostly set with `cantOpen` and
    /// `ioError`.
    package let systemError: Int32

    /// The problem with a file because of which this module refused the operation; otherwise nil.
    package let fileProblem: FileProblem?

    /// The time that the connection waited for a lock of another program. The time is set if the code is `busy` and the
    /// wait was measured. Otherwise the time is zero.
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
    /// Creates the error that `database` reports for its latest call. This call returned `status`.
    init(status: Int32, database: OpaquePointer?, sql: String? = nil) {
        let code = ResultCode(rawValue: status)
        // After a misuse error, the message of the connection is still the message of an earlier call.
        let speaks = database != nil && sqlite3_extended_errcode(database) == status
        let words = speaks ? sqlite3_errmsg(database) : sqlite3_errstr(status)
        let comesFromSystem = code.primary == .cantOpen || code.primary == .ioError
        self.init(
            code: code,
            message: words.map { String(cString: $0) } ?? "",
            sql: sql,
            systemError: speaks && comesFromSystem ? sqlite3_system_errno(database) : 0)
    }

    /// Creates the error for a system call that failed for the file at `path`.
    init(systemError: Int32, opening path: [CChar]) { self.init(systemError: systemError, opening: path.pathText) }

    /// Creates the error for a system call that failed for the file at `path`, given as text.
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
