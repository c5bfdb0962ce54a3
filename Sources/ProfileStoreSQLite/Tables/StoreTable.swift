internal import ProfileStore
internal import SQLiteAccess

/// The table `store`: one row with the counters of a store.
enum StoreTable {
    /// Returns the id for the next profile. The caller must store the next free id with ``setNextID(_:_:)`` in the same
    /// transaction.
    static func nextID(_ connection: borrowing Connection) throws -> Int64 {
        try number("next_profile_id", atLeast: 1, connection)
    }

    static func setNextID(_ id: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("UPDATE store SET next_profile_id = ?1", id)
    }

    /// Increments the change number for a change of profiles or the schema, and returns the new number; see
    /// ``ChangeTable``.
    static func countChange(_ connection: borrowing Connection) throws -> Int64 {
        let number = try changeNumber(connection) + 1
        try connection.run("UPDATE store SET change_number = ?1", number)
        return number
    }

    static func setChangeNumber(_ number: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("UPDATE store SET change_number = ?1", number)
    }

    static func changeNumber(_ connection: borrowing Connection) throws -> Int64 {
        try number("change_number", atLeast: 0, connection)
    }

    /// Returns the time for which the history is kept, in milliseconds; 0 if there is no history.
    static func historyTime(_ connection: borrowing Connection) throws -> Int64 {
        try number("history_time", atLeast: 0, connection)
    }

    static func setHistoryTime(_ milliseconds: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("UPDATE store SET history_time = ?1", milliseconds)
    }

    // MARK: Counts

    /// A stored count of rows. Counting the rows each time would take too long.
    enum Count: String, CaseIterable {
        /// The rows of `throttles` with a name that belongs to no profile.
        case unknownThrottles = "unknown_throttles"
        /// The profiles whose password was not validated by the rules in force; see ``UnjudgedPasswords``.
        case unjudgedPasswords = "unjudged_passwords"
    }

    static func count(_ count: Count, _ connection: borrowing Connection) throws -> Int64 {
        try number(count.rawValue, atLeast: 0, connection)
    }

    /// Adds `more` to a count. `more` may be negative. Call this in the transaction that adds or removes the rows.
    ///
    /// The count does not fall below 0, even if another program has stored a wrong count.
    static func add(_ more: Int64, to count: Count, _ connection: borrowing Connection) throws {
        try set(count, to: max(0, try self.count(count, connection) + more), connection)
    }

    static func set(_ count: Count, to number: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        try connection.run("UPDATE store SET \(count.rawValue) = ?1", number)
    }

    /// Returns the number in a column of the row. Throws `corrupt` if the number is less than `least`, or so large that
    /// adding to it could overflow and end the process.
    private static func number(
        _ column: String, atLeast least: Int64, _ connection: borrowing Connection
    ) throws -> Int64 {
        var statement = try connection.prepare("SELECT \(column) FROM store")
        return try ProfileStoreError.counted(
            statement.step() ? statement.integer(at: 0) : nil, atLeast: least, column)
    }
}
