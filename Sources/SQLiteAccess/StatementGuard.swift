internal import CSQLite

/// Keeps a connection to the SQL that the program has written, and lets no statement run for longer than it is wanted.
///
/// SQLite asks about all that a statement does when it prepares it (its authorizer), and every thousand steps while it
/// runs (its progress handler).
final class StatementGuard {
    /// Whether a statement was prepared, by the program or, as SQLite does above all when it meets another schema than the
    /// statement was made for, again.
    var hasPrepared = false
    /// The schema that the program found to be as it should be.
    var acceptedSchema: SchemaNumbers?
    /// When what is running has taken too long.
    var deadline: ContinuousClock.Instant?
    /// Whether nobody waits any more for what is running.
    var isAbandoned: (@Sendable () -> Bool)?

    /// Begins to watch a connection; the guard must live as long as that is open.
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

    /// Whether a statement may do what one of SQLite's action codes says. What a view or a trigger does is of the schema:
    /// this program makes neither, and names no subqueries.
    private func permits(_ action: Int32, isOfSchema: Bool) -> Bool {
        // The functions that read a pragma prepare it when they run.
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
        if let deadline, ContinuousClock.now >= deadline { return true }
        return isAbandoned?() ?? false
    }
}

/// What a database says of its schema: SQLite counts its changes, and the program the migrations.
struct SchemaNumbers: Equatable {
    let schemaVersion: Int64
    let userVersion: Int64
}

extension Connection {
    /// Runs `body`; a statement in it that is still running after `limit` fails with `interrupt`.
    package func within<Result: ~Copyable, Failure>(
        _ limit: Duration, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        statements.deadline = .now + limit
        defer { statements.deadline = nil }
        return try body()
    }

    /// Has every statement that runs long ask now and then whether somebody still waits for it; if not, it fails with
    /// `interrupt`.
    package func endStatements(when isAbandoned: @escaping @Sendable () -> Bool) {
        statements.isAbandoned = isAbandoned
    }

    // MARK: The schema

    /// Says that the schema, as it is now, is as the program wants it; see ``schemaIsAccepted()``.
    package func acceptSchema() throws(SQLiteError) {
        statements.acceptedSchema = try schemaNumbers()
        statements.hasPrepared = false
    }

    /// Whether the schema is still the one that was accepted, whoever may have changed it; true if none ever was.
    package func schemaIsAccepted() throws(SQLiteError) -> Bool {
        guard let accepted = statements.acceptedSchema else { return true }
        return try schemaNumbers() == accepted
    }

    /// Whether no statement has met another schema than the accepted one. Asking costs nothing as long as none has been
    /// prepared: SQLite itself compares the schema each time a statement begins to run, and prepares it again where that is
    /// another.
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
