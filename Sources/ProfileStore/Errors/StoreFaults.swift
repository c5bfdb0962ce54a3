// The facts of errors that need an administrator. The command makes the text.

/// How a store is damaged.
package enum StoreDamage: Hashable, Sendable {
    /// SQLite reports this.
    case reported(String)
    /// A row of this table refers to a row that is missing.
    case danglingRow(table: String)
    /// No schema is stored.
    case noSchema
    /// Reading the database's own schema took too long.
    case slowSchema
    /// A profile is missing in the transaction that wrote it.
    case missingProfile
    /// A profile changed between two statements of one transaction.
    case changedProfile
    /// A page contains these two profiles in the wrong order.
    case outOfOrder(Int64, after: Int64)
    /// The number of this name cannot have been reached by counting.
    case uncounted(String)
    /// This number of this name has no successor.
    case uncountable(String, Int64)
    /// The stored outcome of a keyed write cannot be read.
    case unreadableOutcome
    /// The stored outcome of a keyed write belongs to another kind of write.
    case foreignOutcome
}

/// The reason why a server cannot be used, or why the outcome of a write is unknown.
package enum ServerFault: Hashable, Sendable {
    /// The server or libpq reports this.
    case reported(String)
    /// This server did not answer in time.
    case noAnswer(server: String)
    /// The connection was lost before the commit.
    case notCommitted
    /// No other machine has the write.
    case onOneMachine

    /// The reported words, or the server; nil if there are none.
    var detail: String? {
        switch self {
        case .reported(let text): text
        case .noAnswer(let server): server
        case .notCommitted, .onOneMachine: nil
        }
    }
}

/// The reason why the loss of one machine could lose commits.
package enum DurabilityFault: Hashable, Sendable {
    /// These settings of the server have this value, such as `fsync` with `off`.
    case settings([String], are: String)
    /// No standby confirms commits.
    case noStandby
}

/// The reason why the address of a database cannot be used.
package enum AddressFault: Hashable, Sendable {
    /// libpq reports this.
    case reported(String)
    /// It holds a password, which others can read there.
    case holdsPassword
    /// Its schema does not reach the server, as when a connection pooler ignores startup options.
    case schemaIgnored
    /// It leads to a connection pooler that gives each transaction another session.
    case sharedSession
}

/// An operation that an engine or a server does not support.
package enum UnsupportedOperation: Hashable, Sendable {
    /// The operation of this name is one of another engine.
    case operation(String)
    /// The database has this encoding instead of UTF-8.
    case encoding(String)
    /// No text of a PostgreSQL server has U+0000.
    case nullCharacter
}

/// The reason why a file with the name of a store's lock file cannot be used.
package enum LockFileFault: Hashable, Sendable {
    /// It is a directory, a symbolic link, a pipe, a socket or a device.
    case notAFile
    /// It has another name (a hard link).
    case severalNames
    /// It belongs neither to the store's owner nor to this user.
    case foreignOwner
    /// Its content is not that of a lock file.
    case foreignContent
}
