internal import SQLiteAccess

/// What a look at a store's file found, and the connection that it was taken through: to open another one costs as much
/// as many look-ups.
struct StoreLook: ~Copyable {
    let state: StoreFile.State
    /// A connection that may read on, if the file is a store. Nobody has verified its layout yet.
    let connection: Connection?
    /// How the file was before the connection read it as it lies; nil where it goes by SQLite's locks.
    let stamp: FileStamp?

    /// A look after which there is nothing to read.
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
