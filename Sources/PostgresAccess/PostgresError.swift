/// The reason why a server did not perform a command. It contains the error code, the server's message and the SQL. It
/// never contains a value.
package enum PostgresError: Error, Hashable, Sendable {
    /// The server refused a statement. The connection remains usable.
    case refused(SQLState, message: String, constraint: String?, sql: String)
    /// The connection was lost, or the server is shutting down. No `COMMIT` had been sent, so nothing was written.
    case lost(String)
    /// The deadline passed because the server was busy, or because other calls used all connections. No `COMMIT` had
    /// been sent, so nothing was written.
    case timedOut
    /// The deadline passed, and the server showed no sign of life. No `COMMIT` had been sent, so nothing was written.
    case noAnswer(server: String)
    /// A connection pooler runs the transactions of one connection in different server sessions.
    case sharedSession
    /// It is unknown whether the transaction was committed, or whether its data would survive the loss of a server.
    case outcomeUnknown(String)
    /// No server could be reached, or none accepts writes. The value contains the problem of each server.
    case unreachable([ServerProblem])
    /// The task was cancelled; nothing was written.
    case cancelled
    /// The pool is closed.
    case closed
    /// The system cannot create a thread or a file descriptor; `code` is `errno`.
    case noResource(code: Int32)

    /// The code of a refused statement; nil for every other error.
    package var state: SQLState? { if case .refused(let state, _, _, _) = self { state } else { nil } }

    /// Another transaction has changed a row that this transaction has read. So this transaction must be repeated.
    package static let changedMeanwhile = Self.refused(.serializationFailure, message: "", constraint: nil, sql: "")

    /// Whether a table or column in the statement does not exist.
    package var isOfOtherTables: Bool { state == .undefinedTable || state == .undefinedColumn }

    /// Whether the transaction conflicted with another one.
    package var isConflict: Bool {
        guard case .refused(let state, let message, _, _) = self else { return false }
        switch state {
        case .serializationFailure, .deadlock: return true
        // Two sessions have changed the same index or table. This conflict has no error code of its own. So its message
        // is checked. The server does not translate this message.
        case .internalError: return message.hasPrefix("tuple concurrently ")
        default: return false
        }
    }

    /// Whether the transaction may succeed if it is repeated. This is true after a conflict with another transaction,
    /// after the loss of a connection, if the server is no longer the leader, or if the outcome is unknown.
    package var mayBeRepeated: Bool {
        switch self {
        case .refused(let state, _, _, _): isConflict || state == .readOnlyTransaction
        case .lost, .outcomeUnknown: true
        default: false
        }
    }
}

/// An SQLSTATE error code; see appendix A of PostgreSQL's documentation.
package struct SQLState: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Five characters, each a digit or a capital letter.
    package let code: String

    package init(_ code: String) { self.code = code }

    package init(stringLiteral code: StaticString) { self.code = code.description }

    package var description: String { code }

    package static let uniqueViolation: SQLState = "23505"
    package static let divisionByZero: SQLState = "22012"
    package static let serializationFailure: SQLState = "40001"
    package static let deadlock: SQLState = "40P01"
    package static let readOnlyTransaction: SQLState = "25006"
    package static let queryCancelled: SQLState = "57014"
    package static let cannotConnectNow: SQLState = "57P03"
    package static let lockNotAvailable: SQLState = "55P03"
    package static let tooManyConnections: SQLState = "53300"
    package static let diskFull: SQLState = "53100"
    package static let featureNotSupported: SQLState = "0A000"
    package static let undefinedTable: SQLState = "42P01"
    package static let untranslatableText: SQLState = "22021"
    package static let duplicateTable: SQLState = "42P07"
    package static let undefinedColumn: SQLState = "42703"
    package static let undefinedStatement: SQLState = "26000"
    package static let internalError: SQLState = "XX000"
    package static let insufficientPrivilege: SQLState = "42501"

    /// Whether the server denied access: class 28 (authorization), or `insufficient_privilege`.
    package var isRefusal: Bool { code.hasPrefix("28") || self == .insufficientPrivilege }

    /// Whether the server has ended the session, or accepts no session because it is starting or stopping. The codes
    /// mean a shutdown (57P01), a crash (57P02), `cannot_connect_now` (57P03) and an idle session (57P05).
    var isShutdown: Bool { code == "57P01" || code == "57P02" || code == "57P03" || code == "57P05" }
}

/// The reason why a server of the list could not be used.
package struct ServerProblem: Error, Hashable, Sendable {
    /// The kind of a server's problem.
    package enum Kind: Hashable, Sendable {
        /// The server cannot be reached, or TLS failed.
        case unreachable
        /// The server did not answer in time.
        case timedOut
        /// The server is a standby, or is starting or stopping.
        case notReady
        /// The server denied access to this user.
        case refused
        /// The server answered with another error, such as a missing database.
        case failed
    }

    package let server: String
    package let kind: Kind
    /// The message of libpq or the server.
    package let message: String
}
