internal import ProfileStore
internal import SQLiteAccess

/// The table `store`: one row with the numbers that a store counts.
enum StoreTable {
    /// The id that the next profile gets; ``setNextID(_:_:)`` keeps what was used, in the same transaction.
    static func nextID(_ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        try number("next_profile_id", atLeast: 1, connection)
    }

    static func setNextID(_ id: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare("UPDATE store SET next_profile_id = ?1")
        try statement.bind(id, at: 1)
        try statement.run()
    }

    /// Counts a change of profiles or the schema, and gives its number; see ``ChangeTable``.
    static func countChange(_ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        let number = try changeNumber(connection) + 1
        var statement = try connection.prepare("UPDATE store SET change_number = ?1")
        try statement.bind(number, at: 1)
        try statement.run()
        return number
    }

    static func setChangeNumber(_ number: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare("UPDATE store SET change_number = ?1")
        try statement.bind(number, at: 1)
        try statement.run()
    }

    static func changeNumber(_ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        try number("change_number", atLeast: 0, connection)
    }

    // MARK: Counts

    /// How many there are of something that would take too long to count.
    enum Count: String, CaseIterable {
        /// Rows of `throttles` whose name no profile has.
        case unknownThrottles = "unknown_throttles"
        /// Profiles whose password the rules in force have not judged; see ``UnjudgedPasswords``.
        case unjudgedPasswords = "unjudged_passwords"
    }

    static func count(_ count: Count, _ connection: borrowing Connection) throws(SQLiteError) -> Int64 {
        try number(count.rawValue, atLeast: 0, connection)
    }

    /// Counts so many more, in the transaction that adds them; fewer where it is negative.
    ///
    /// A count that another program has made wrong does not get below 0.
    static func add(_ more: Int64, to count: Count, _ connection: borrowing Connection) throws(SQLiteError) {
        try set(count, to: max(0, try self.count(count, connection) + more), connection)
    }

    static func set(_ count: Count, to number: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
        var statement = try connection.prepare("UPDATE store SET \(count.rawValue) = ?1")
        try statement.bind(number, at: 1)
        try statement.run()
    }

    /// A number of the row. One that nobody can have counted up to is no reason to stop in the midst of a sum.
    private static func number(
        _ column: String, atLeast least: Int64, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Int64 {
        var statement = try connection.prepare("SELECT \(column) FROM store")
        guard try statement.step(), case let number = statement.integer(at: 0),
            least...ProfileStoreError.mostCounted ~= number
        else {
            throw SQLiteError(code: .corrupt, message: "store.\(column) is no number that was counted")
        }
        return number
    }
}
