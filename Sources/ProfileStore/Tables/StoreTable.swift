internal import SQLiteAccess

/// The table `store`: one row with the numbers that a store counts.
enum StoreTable {
    /// The id that the next profile gets; ``setNextID(_:_:)`` keeps what was used, in the same transaction.
    static func nextID(_ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        var statement = try connection.prepare("SELECT next_profile_id FROM store")
        return try statement.step() ? statement.integer(at: 0) : 1
    }

    static func setNextID(_ id: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare("UPDATE store SET next_profile_id = ?1")
        try statement.bind(id, at: 1)
        try statement.run()
    }

    /// Counts a change of profiles or the schema, and gives its number; see ``ChangeTable``.
    static func countChange(_ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        var statement = try connection.prepare(
            "UPDATE store SET change_number = change_number + 1 RETURNING change_number")
        return try statement.step() ? statement.integer(at: 0) : 0
    }

    static func setChangeNumber(_ number: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare("UPDATE store SET change_number = ?1")
        try statement.bind(number, at: 1)
        try statement.run()
    }

    static func changeNumber(_ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        var statement = try connection.prepare("SELECT change_number FROM store")
        return try statement.step() ? statement.integer(at: 0) : 0
    }

    static func isWelcomed(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        var statement = try connection.prepare("SELECT is_welcomed FROM store")
        return try statement.step() && statement.integer(at: 0) != 0
    }

    /// Remembers that the welcome notice was shown.
    ///
    /// - Returns: Whether it was not known yet.
    static func setWelcomed(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        var statement = try connection.prepare("UPDATE store SET is_welcomed = 1 WHERE is_welcomed = 0")
        try statement.run()
        return connection.changes == 1
    }
}
