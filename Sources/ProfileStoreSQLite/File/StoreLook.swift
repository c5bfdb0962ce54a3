internal import SQLiteAccess

/// The result of inspecting a store's file, with the connection that was used. The connection is kept because opening
/// another one costs as much as many look-ups.
struct StoreLook: ~Copyable {
    let state: StoreFile.State
    /// An open connection, if the file is a store. The layout of the store is not verified yet.
    let connection: Connection?
    /// The stamp of the file before the connection read it in the mode `immutable`; nil if the connection uses SQLite's
    /// locks.
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
