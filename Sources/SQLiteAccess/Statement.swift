internal import CSQLite

/// A lease of a prepared statement, for binding values and reading rows.
///
/// A lease cannot outlive its connection. When the lease ends, the statement is reset, its values are cleared, and it
/// returns to the connection's cache. As in SQLite, value indexes start at 1 and column indexes at 0. A bound value
/// stays bound until it is replaced. ``reset()`` does not remove it.
package struct Statement: ~Copyable, ~Escapable {
    private let prepared: PreparedStatement
    private let handle: OpaquePointer

    @_lifetime(immortal)
    init(_ prepared: PreparedStatement) {
        self.prepared = prepared
        handle = prepared.handle
    }

    deinit {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        // The step count is reset to zero for each lease. Without the reset, the progress handler could be called
        // during a short statement.
        sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)
        prepared.isLeased = false
    }

    // MARK: Running

    /// Runs to the next row. Returns false if there are no more rows.
    @_lifetime(self: copy self)
    package mutating func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw failure(status)
        }
    }

    /// Runs the statement to its end, ignores its rows, and resets it for the next values.
    @_lifetime(self: copy self)
    package mutating func run() throws(SQLiteError) {
        do throws(SQLiteError) {
            while try step() {}
        } catch {
            reset()
            throw error
        }
        reset()
    }

    /// Resets the statement to before the first row. The values stay bound.
    @_lifetime(self: copy self)
    package mutating func reset() { sqlite3_reset(handle) }

    // MARK: Values (the first index is 1)

    @_lifetime(self: copy self)
    package mutating func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, Int32(clamping: index), value))
    }

    @_lifetime(self: copy self)
    package mutating func bind(real value: Double, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_double(handle, Int32(clamping: index), value))
    }

    @_lifetime(self: copy self)
    package mutating func bindNull(at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_null(handle, Int32(clamping: index)))
    }

    /// Binds a copy of the text, including NULs.
    @_lifetime(self: copy self)
    package mutating func bind(_ text: String, at index: Int) throws(SQLiteError) {
        var text = text
        let handle = handle
        try check(
            text.withUTF8 { bytes in
                csqlite_bind_text_copied(handle, Int32(clamping: index), bytes.baseAddress, UInt64(bytes.count))
            })
    }

    /// Binds a copy of the text, or NULL.
    @_lifetime(self: copy self)
    package mutating func bind(_ text: String?, at index: Int) throws(SQLiteError) {
        if let text { try bind(text, at: index) } else { try bindNull(at: index) }
    }

    /// Binds a copy of UTF-8 text, including NULs.
    @_lifetime(self: copy self)
    package mutating func bind(text: Span<UInt8>, at index: Int) throws(SQLiteError) {
        let handle = handle
        try check(
            text.withUnsafeBufferPointer { bytes in
                csqlite_bind_text_copied(handle, Int32(clamping: index), bytes.baseAddress, UInt64(bytes.count))
            })
    }

    /// Binds UTF-8 text without copying it. The bytes must stay valid and unchanged until the statement is reset and
    /// the value is bound again, or until the lease ends.
    @_lifetime(self: copy self)
    package mutating func bindUncopied(text: UnsafeBufferPointer<UInt8>, at index: Int) throws(SQLiteError) {
        try check(
            csqlite_bind_text_in_place(handle, Int32(clamping: index), text.baseAddress, UInt64(text.count)))
    }

    // MARK: Columns of the row (the first index is 0)

    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    package func isNull(at column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(clamping: column)) == SQLITE_NULL
    }

    /// Returns the column as an integer; 0 if it is NULL.
    package func integer(at column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(clamping: column)) }

    /// Returns the column as a floating-point number; 0 if it is NULL.
    package func real(at column: Int) -> Double { sqlite3_column_double(handle, Int32(clamping: column)) }

    /// Returns the column as text, including NULs; nil if it is NULL.
    package func string(at column: Int) -> String? {
        guard let text = sqlite3_column_text(handle, Int32(clamping: column)) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, Int32(clamping: column)))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    /// Returns the column as UTF-8 text in SQLite's own memory; nil if the column is NULL. The text is valid until the
    /// next step.
    @_lifetime(borrow self)
    package func bytes(at column: Int) -> Span<UInt8>? {
        guard let text = sqlite3_column_text(handle, Int32(clamping: column)) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, Int32(clamping: column)))
        return unsafe _overrideLifetime(Span(_unsafeStart: text, count: count), borrowing: self)
    }

    // MARK: Errors

    private func check(_ status: Int32) throws(SQLiteError) {
        guard status == SQLITE_OK else { throw failure(status) }
    }

    private func failure(_ status: Int32) -> SQLiteError {
        SQLiteError(status: status, database: sqlite3_db_handle(handle), sql: prepared.sql)
    }
}
