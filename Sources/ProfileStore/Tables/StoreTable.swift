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

    /// Says that this transaction changes profiles or the schema, for those who watch the store.
    static func countChange(_ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare("UPDATE store SET change_number = change_number + 1")
        try statement.run()
    }

    static func changeNumber(_ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        var statement = try connection.prepare("SELECT change_number FROM store")
        return try statement.step() ? statement.integer(at: 0) : 0
    }
}
