internal import CSQLite
internal import Platform

/// What SQLite, or the file system under it, refused.
package struct SQLiteError: Error, Hashable, Sendable {
    /// The extended result code.
    package let code: ResultCode

    /// SQLite's own words for it. They may name tables, columns and constraints, never values.
    package let message: String

    /// The statement's text, if it was a statement that failed. Values are bound, so none are in it.
    package let sql: String?

    /// The file that could not be opened: set for `cantOpen` where it is known.
    package internal(set) var path: String?

    /// `errno` of the system call that failed, or 0: set for `cantOpen` and `ioError`.
    package let systemError: Int32

    /// Set where it was not SQLite that refused to go on.
    package let fileProblem: FileProblem?

    /// How long another program's lock was waited for in vain: with `busy`, where it was measured.
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
    /// The error that `database` reports for its latest call, which returned `status`.
    init(status: Int32, database: OpaquePointer?, sql: String? = nil) {
        let code = ResultCode(rawValue: status)
        // After misuse the connection's own message belongs to an earlier call.
        let speaks = database != nil && sqlite3_extended_errcode(database) == status
        let words = speaks ? sqlite3_errmsg(database) : sqlite3_errstr(status)
        let comesFromSystem = code.primary == .cantOpen || code.primary == .ioError
        self.init(
            code: code,
            message: words.map { String(cString: $0) } ?? "",
            sql: sql,
            systemError: speaks && comesFromSystem ? sqlite3_system_errno(database) : 0)
    }

    /// The error of a system call of our own on a file beside the database.
    init(systemError: Int32, opening path: [CChar]) { self.init(systemError: systemError, opening: path.pathText) }

    /// The error of a system call of our own on a file.
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

    /// The same error, which came of opening a database.
    func opening(_ path: DatabasePath) -> SQLiteError {
        var error = self
        error.path = path.description
        return error
    }
}
