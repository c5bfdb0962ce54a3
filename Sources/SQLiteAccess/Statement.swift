internal import CSQLite

/// The lease of a prepared statement: values in, rows out.
///
/// It cannot outlive its connection. When it goes it is reset, its values are dropped, and the prepared statement goes
/// back to the connection. As in SQLite, values are counted from 1 and columns from 0. A value bound stays bound until
/// another takes its place, also across ``reset()``.
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
        // Steps are counted anew for each lease, so that a short one is never asked whether it is still wanted.
        sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)
        prepared.isLeased = false
    }

    // MARK: Running

    /// Runs to the next row. False when there is none: the statement is done.
    @_lifetime(self: copy self)
    package mutating func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw failure(status)
        }
    }

    /// Runs a statement to its end, and resets it for the next values; rows are ignored.
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

    /// Goes back to before the first row. The values stay bound.
    @_lifetime(self: copy self)
    package mutating func reset() { sqlite3_reset(handle) }

    /// Goes back to before the first row, and makes every value NULL.
    @_lifetime(self: copy self)
    package mutating func clearBindings() {
        // In this order: a row's columns may lie where the values lie.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    // MARK: Values, counted from 1

    @_lifetime(self: copy self)
    package mutating func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, Int32(clamping: index), value))
    }

    /// Binds a number, or NULL.
    @_lifetime(self: copy self)
    package mutating func bind(_ value: Int64?, at index: Int) throws(SQLiteError) {
        if let value { try bind(value, at: index) } else { try bindNull(at: index) }
    }

    @_lifetime(self: copy self)
    package mutating func bind(real value: Double, at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_double(handle, Int32(clamping: index), value))
    }

    @_lifetime(self: copy self)
    package mutating func bindNull(at index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_null(handle, Int32(clamping: index)))
    }

    /// Binds a copy of the text, NULs included.
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

    /// Binds a copy of UTF-8 text, NULs included.
    @_lifetime(self: copy self)
    package mutating func bind(text: Span<UInt8>, at index: Int) throws(SQLiteError) {
        let handle = handle
        try check(
            text.withUnsafeBufferPointer { bytes in
                csqlite_bind_text_copied(handle, Int32(clamping: index), bytes.baseAddress, UInt64(bytes.count))
            })
    }

    /// Binds UTF-8 text without a copy: the bytes must stay where they are, unchanged, until the statement is reset
    /// and the value is bound anew, or the lease ends.
    @_lifetime(self: copy self)
    package mutating func bindUncopied(text: UnsafeBufferPointer<UInt8>, at index: Int) throws(SQLiteError) {
        try check(
            csqlite_bind_text_in_place(handle, Int32(clamping: index), text.baseAddress, UInt64(text.count)))
    }

    // MARK: Columns of the row, counted from 0

    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    package func columnName(at column: Int) -> String {
        sqlite3_column_name(handle, Int32(clamping: column)).map { String(cString: $0) } ?? ""
    }

    package func isNull(at column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(clamping: column)) == SQLITE_NULL
    }

    /// The column as an integer; 0 if it is NULL.
    package func integer(at column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(clamping: column)) }

    /// The column as a floating-point number; 0 if it is NULL.
    package func real(at column: Int) -> Double { sqlite3_column_double(handle, Int32(clamping: column)) }

    /// The column as text, NULs included, or nil if it is NULL.
    package func string(at column: Int) -> String? {
        guard let text = sqlite3_column_text(handle, Int32(clamping: column)) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, Int32(clamping: column)))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    /// The column's UTF-8 text in SQLite's own memory, or nil if it is NULL. The next step ends its life.
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
