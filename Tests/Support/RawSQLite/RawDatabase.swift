import CSQLite

/// A database with the default settings of SQLite, as another program would open it. Tests use it to craft files.
package final class RawDatabase {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let handle: OpaquePointer

    /// Opens a file, and creates it if it does not exist. Without a path, opens a private database in memory.
    package init(_ path: String = ":memory:") throws {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else { throw Failure(description: path) }
        self.handle = handle
        sqlite3_busy_timeout(handle, 10_000)
        // With these settings, a test can write a schema that SQLite normally refuses.
        for option in [SQLITE_DBCONFIG_WRITABLE_SCHEMA, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE] {
            _ = csqlite_db_config(handle, option, 1, nil)
        }
        _ = csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0, nil)
    }

    deinit { sqlite3_close(handle) }

    /// Runs statements.
    package func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(description: "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
        }
    }

    /// The values of every row, as text; nil for NULL.
    package func rows(_ sql: String) throws -> [[String?]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(description: "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
        }
        defer { sqlite3_finalize(statement) }
        var rows: [[String?]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_text(statement, column).map { String(cString: $0) }
                })
        }
        return rows
    }
}
