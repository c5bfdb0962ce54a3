// The facts of errors that need an administrator. The command-line program makes messages from these facts.

/// The damage of a store.
package enum StoreDamage: Hashable, Sendable {
    /// SQLite reports the damage with this message.
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
    /// The profiles with these two ids came in the wrong order.
    case outOfOrder(Int64, after: Int64)
    /// The stored number with this name is outside the valid range.
    case uncounted(String)
    /// The stored number with this name has this value, and cannot be increased by one.
    case uncountable(String, Int64)
    /// The stored outcome of a keyed write cannot be read.
    case unreadableOutcome
    /// A row of the history cannot be read.
    case unreadableHistory
    /// The stored outcome of a keyed write belongs to another kind of write.
    case foreignOutcome
}

/// The reason why a server cannot be used, or why the outcome of a write is unknown.
package enum ServerFault: Hashable, Sendable {
    /// The server or libpq reports this message.
    case reported(String)
    /// This server did not answer in time.
    case noAnswer(server: String)
    /// The connection was lost before the commit.
    case notCommitted
    /// No other machine has stored the write.
    case onOneMachine

    /// The reported message, or the server that did not answer; nil for the other cases.
    var detail: String? {
        switch self {
        case .reported(let text): text
        case .noAnswer(let server): server
        case .notCommitted, .onOneMachine: nil
        }
    }
}

/// The reason why commits could be lost if one machine fails.
package enum DurabilityFault: Hashable, Sendable {
    /// Each of these settings of the server has this value. For example, `fsync` is `off`.
    case settings([String], are: String)
    /// No standby confirms commits.
    case noStandby
}

/// The reason why the address of a database cannot be used.
package enum AddressFault: Hashable, Sendable {
    /// libpq reports this message about the address.
    case reported(String)
    /// The address contains a password, which other users could read.
    case holdsPassword
    /// The server does not receive the PostgreSQL schema that the address names. For example, a connection pooler
    /// ignores startup options.
    case schemaIgnored
    /// The address leads to a connection pooler. The pooler may use a different session for each transaction.
    case sharedSession
}

/// An operation that an engine or a server does not support.
package enum UnsupportedOperation: Hashable, Sendable {
    /// The operation with this name is available only in another engine.
    case operation(String)
    /// The database has this encoding instead of UTF-8.
    case encoding(String)
    /// The value contains U+0000, which a PostgreSQL server cannot store in a text.
    case nullCharacter
}

/// The reason why a file with the name of a store's lock file cannot be used.
package enum LockFileFault: Hashable, Sendable {
    /// The file is a directory, a symbolic link, a pipe, a socket or a device.
    case notAFile
    /// The file has another name (a hard link).
    case severalNames
    /// The file belongs neither to the store's owner nor to this user.
    case foreignOwner
    /// The file does not have the content of a lock file.
    case foreignContent
}
