internal import CSQLite

/// Restricts a connection to the SQL of the program. Also ends a statement if it runs too long, or if its caller has
/// given up.
///
/// While SQLite prepares a statement, it calls the authorizer for every action. While the statement runs, SQLite calls
/// the progress handler after every thousand steps.
final class StatementGuard {
    /// Whether a statement was prepared after the flag was last cleared. SQLite can also prepare a statement again by
    /// itself, mostly because the schema has changed.
    var hasPrepared = false
    /// The version numbers of the schema that the program has accepted.
    var acceptedSchema: SchemaNumbers?
    /// The time at which a running statement is interrupted; nil for no limit.
    var deadline: ContinuousClock.Instant?
    /// After the deadline, this closure returns whether the running statement must be interrupted now. If the closure
    /// is nil, the statement is always interrupted.
    var isDeadlineBinding: (@Sendable () -> Bool)?
    /// Whether a statement was interrupted at the deadline. The caller that sets a deadline clears the flag.
    var hasMetDeadline = false
    /// Returns whether the caller of the running statement has given up. If so, the statement is interrupted.
    var isAbandoned: (@Sendable () -> Bool)?

    /// Installs the guard on a connection. The guard must live as long as the connection is open.
    init(_ database: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_set_authorizer(
            database,
            { context, action, _, _, _, origin in
                guard let context else { return SQLITE_DENY }
                let guardian = Unmanaged<StatementGuard>.fromOpaque(context).takeUnretainedValue()
                return guardian.permits(action, isOfSchema: origin != nil) ? SQLITE_OK : SQLITE_DENY
            }, context)
        sqlite3_progress_handler(
            database, 1_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<StatementGuard>.fromOpaque(context).takeUnretainedValue().mustEnd ? 1 : 0
            }, context)
    }

    /// Returns whether a statement may perform the action with this SQLite action code. Actions of a view, a trigger or
    /// a named subquery are refused, because this program does not use them.
    private func permits(_ action: Int32, isOfSchema: Bool) -> Bool {
        // A PRAGMA does not set the flag, because SQL functions such as `pragma_index_list` prepare a PRAGMA each time
        // they run.
        if action != SQLITE_PRAGMA { hasPrepared = true }
        if isOfSchema { return false }
        switch action {
        case SQLITE_ATTACH, SQLITE_DETACH, SQLITE_CREATE_TRIGGER, SQLITE_CREATE_VIEW, SQLITE_CREATE_VTABLE,
            SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_TRIGGER, SQLITE_CREATE_TEMP_VIEW,
            SQLITE_RECURSIVE:
            return false
        default: return true
        }
    }

    private var mustEnd: Bool {
        if let deadline, ContinuousClock.now >= deadline, isDeadlineBinding?() ?? true {
            hasMetDeadline = true
            return true
        }
        return isAbandoned?() ?? false
    }
}

/// The two version numbers of a database's schema. SQLite counts changes of the schema in its schema version. The
/// program's migrations set the user version.
struct SchemaNumbers: Equatable {
    let schemaVersion: Int64
    let userVersion: Int64
}

extension Connection {
    /// Runs `body`. If a statement of `body` is still running after `limit`, it fails with `interrupt`.
    package func within<Result: ~Copyable, Failure>(
        _ limit: Duration, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        statements.deadline = .now + limit
        defer { statements.deadline = nil }
        return try body()
    }

    /// Runs `body`. If a statement of `body` still runs after the deadline, it is interrupted as soon as `isAwaited`
    /// returns true, for example because another caller waits for the thread.
    ///
    /// - Throws: `expired` if a statement was interrupted at the deadline, otherwise the error of `body`.
    package func until<Result>(
        _ deadline: ContinuousClock.Instant, whenAwaited isAwaited: @escaping @Sendable () -> Bool,
        orThrow expired: @autoclosure () -> any Error, _ body: () throws -> Result
    ) throws -> Result {
        (statements.deadline, statements.isDeadlineBinding, statements.hasMetDeadline) = (deadline, isAwaited, false)
        defer { (statements.deadline, statements.isDeadlineBinding) = (nil, nil) }
        do {
            return try body()
        } catch let error as SQLiteError where error.code == .interrupt && statements.hasMetDeadline {
            throw expired()
        }
    }

    /// Sets a check that is called every thousand steps of a statement. If it returns true, the statement fails with
    /// `interrupt`.
    package func endStatements(when isAbandoned: @escaping @Sendable () -> Bool) {
        statements.isAbandoned = isAbandoned
    }

    // MARK: The schema

    /// Records the current schema as the one that the program accepts; see ``schemaIsAccepted()``.
    package func acceptSchema() throws(SQLiteError) {
        statements.acceptedSchema = try schemaNumbers()
        statements.hasPrepared = false
    }

    /// Returns whether the schema is still the accepted schema. Returns true if no schema was accepted. Changes by any
    /// process are detected.
    package func schemaIsAccepted() throws(SQLiteError) -> Bool {
        guard let accepted = statements.acceptedSchema else { return true }
        return try schemaNumbers() == accepted
    }

    /// Returns whether every statement was prepared under the accepted schema. The call costs nothing if no statement
    /// was prepared since the last call. SQLite itself compares the schema each time a statement starts. If the schema
    /// has changed, SQLite prepares the statement again.
    package func hasOnlyMetAcceptedSchema() throws(SQLiteError) -> Bool {
        guard statements.hasPrepared else { return true }
        guard try schemaIsAccepted() else { return false }
        statements.hasPrepared = false
        return true
    }

    private func schemaNumbers() throws(SQLiteError) -> SchemaNumbers {
        SchemaNumbers(
            schemaVersion: try number("PRAGMA schema_version"), userVersion: try number("PRAGMA user_version"))
    }

    private func number(_ sql: String) throws(SQLiteError) -> Int64 {
        var statement = try prepare(sql)
        return try statement.step() ? statement.integer(at: 0) : 0
    }
}
