internal import CSQLite

/// A compiled statement, finalised when its last reference is released. Other types use it through a ``Statement``.
final class PreparedStatement {
    let handle: OpaquePointer
    let sql: String
    var isLeased = true

    init(_ sql: String, on database: OpaquePointer) throws(SQLiteError) {
        var copy = sql
        var handle: OpaquePointer?
        var isWhole = true
        let status = copy.withUTF8 { text in
            let bytes = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
            var tail: UnsafePointer<CChar>?
            let status = sqlite3_prepare_v3(
                database, bytes, Int32(clamping: text.count), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
            if let bytes, let tail { isWhole = text[(tail - bytes)...].allSatisfy { $0 == 0x20 || $0 == 0x0a } }
            return status
        }
        guard status == SQLITE_OK else { throw SQLiteError(status: status, database: database, sql: sql) }
        guard let handle else { throw SQLiteError(code: .misuse, message: "no statement", sql: sql) }
        guard isWhole else {
            sqlite3_finalize(handle)
            throw SQLiteError(code: .misuse, message: "more than one statement", sql: sql)
        }
        self.handle = handle
        self.sql = sql
    }

    deinit { sqlite3_finalize(handle) }
}

/// The statement cache of a connection, with the text of each statement as its key.
final class StatementCache {
    /// The maximum number of cached statements. All statements of the program fit, except those of searches: the SQL
    /// text of a search depends on its conditions and its order.
    private static let capacity = 128

    private var statements: [String: PreparedStatement] = [:]
    /// The statement that was leased last. Most calls want this statement again. Comparing its text with `sql` takes
    /// less time than hashing `sql`, because both strings usually have the same storage.
    private var latest: PreparedStatement?

    /// Leases the cached statement for `sql`. Returns nil if no such statement is cached, or if it is already leased.
    func lease(_ sql: String) -> PreparedStatement? {
        let cached = latest?.sql == sql ? latest : statements[sql]
        guard let statement = cached, !statement.isLeased else { return nil }
        statement.isLeased = true
        latest = statement
        return statement
    }

    /// Adds `statement` to the cache, unless the cache already has a statement with the same text.
    func keep(_ statement: PreparedStatement) {
        guard statements[statement.sql] == nil else { return }
        if statements.count >= Self.capacity {
            statements = statements.filter { $0.value.isLeased }
            latest = nil
        }
        statements[statement.sql] = statement
    }

    func removeAll() {
        statements.removeAll()
        latest = nil
    }
}
