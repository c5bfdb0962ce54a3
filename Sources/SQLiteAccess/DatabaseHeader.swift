/// The two numbers in the header of a database file that belong to the program which created the file
/// (<https://www.sqlite.org/fileformat2.html#the_database_header>).
package struct DatabaseHeader: Hashable, Sendable {
    package var applicationID: Int32
    package var userVersion: Int32
}

extension DatabaseHeader {
    /// Reads the header of a file as ``Connection/Mode/inspection`` does. SQLite does not read the schema for the
    /// header, so this initializer takes a fraction of the time that opening a connection takes.
    package init(_ path: DatabasePath, vfs: String? = nil) throws(SQLiteError) {
        self = try Connection(unconfigured: path, mode: .inspection, vfs: vfs).header()
    }
}

extension Connection {
    package func header() throws(SQLiteError) -> DatabaseHeader {
        DatabaseHeader(
            applicationID: Int32(truncatingIfNeeded: try integer("PRAGMA application_id")),
            userVersion: Int32(truncatingIfNeeded: try integer("PRAGMA user_version")))
    }
}
