/// Why a server did not do what it was asked for. It holds code, words of the server and SQL, and never a value.
package enum PostgresError: Error, Hashable, Sendable {
    /// The server refused a statement, and is ready for others.
    case refused(SQLState, message: String, constraint: String?, sql: String)
    /// The connection was lost, or the server is going down; no `COMMIT` was under way, so nothing was written.
    case lost(String)
    /// The deadline passed while the server, or this process's other calls, were busy; no `COMMIT` was under way, so
    /// nothing was written.
    case timedOut
    /// The deadline passed, and this server did not show that it is alive; no `COMMIT` was under way, so nothing was
    /// written.
    case noAnswer(server: String)
    /// A connection pooler between this process and the server gives each transaction another session.
    case sharedSession
    /// Nobody can say whether what was sent with a `COMMIT` was committed, or survives the loss of a server.
    case outcomeUnknown(String)
    /// No server was there to be asked, by the words for each of them.
    case unreachable([ServerProblem])
    /// The task was cancelled; nothing was written.
    case cancelled
    /// The pool was closed before.
    case closed
    /// The system gives no thread, or no descriptor, to wait with; `code` is `errno`.
    case noResource(code: Int32)

    /// The code of a refusal; nil where the server did not refuse anything.
    package var state: SQLState? { if case .refused(let state, _, _, _) = self { state } else { nil } }

    /// What somebody else has changed since a transaction looked has it begun anew.
    package static let changedMeanwhile = Self.refused(.serializationFailure, message: "", constraint: nil, sql: "")

    /// Whether the server does not have the tables that it was asked for, or not with these columns.
    package var isOfOtherTables: Bool { state == .undefinedTable || state == .undefinedColumn }

    /// Whether the same transaction may go well if it is begun anew: others were in its way, its connection was lost, or
    /// its server is the leader no more.
    package var mayBeRepeated: Bool {
        switch self {
        case .refused(let state, _, _, _):
            state == .serializationFailure || state == .deadlock || state == .readOnlyTransaction
        case .lost, .outcomeUnknown: true
        default: false
        }
    }
}

/// The code by which a server names an error; see appendix A of PostgreSQL's documentation.
package struct SQLState: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Five digits and capitals.
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
    package static let insufficientPrivilege: SQLState = "42501"

    /// Whether the server does not let this user in, or at something: class 28, and `insufficient_privilege`.
    package var isRefusal: Bool { code.hasPrefix("28") || self == .insufficientPrivilege }

    /// Whether the server, and with it the connection, goes down.
    var isShutdown: Bool { code == "57P01" || code == "57P02" || code == "57P03" || code == "57P05" }
}

/// Why one server of several was not the one to ask.
package struct ServerProblem: Error, Hashable, Sendable {
    /// What kind of problem it is.
    package enum Kind: Hashable, Sendable {
        /// It cannot be reached, or what answers is no server that may be talked to.
        case unreachable
        /// It did not answer in time.
        case timedOut
        /// It does not take part yet, or any more: a standby, or one that starts or stops.
        case notReady
        /// It does not let this user in.
        case refused
        /// It answers with another error, such as that there is no such database.
        case failed
    }

    package let server: String
    package let kind: Kind
    /// The words of the library or the server.
    package let message: String
}
