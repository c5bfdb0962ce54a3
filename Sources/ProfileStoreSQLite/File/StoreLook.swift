internal import SQLiteAccess

/// The result of an inspection of a store's file, and the connection that made the inspection. The connection is kept,
/// because opening another connection takes as long as many look-ups.
struct StoreLook: ~Copyable {
    let state: StoreFile.State
    /// An open connection, if the file is a store. The layout of the store is not verified yet.
    let connection: Connection?
    /// The stamp of the file before the connection read it, if the connection reads in the mode `immutable`. Nil if the
    /// connection uses SQLite's locks.
    let stamp: FileStamp?

    /// Creates a result without a connection.
    init(_ state: StoreFile.State) {
        self.state = state
        connection = nil
        stamp = nil
    }

    init(_ state: StoreFile.State, through connection: consuming Connection, _ stamp: FileStamp? = nil) {
        self.state = state
        self.connection = consume connection
        self.stamp = stamp
    }
}
