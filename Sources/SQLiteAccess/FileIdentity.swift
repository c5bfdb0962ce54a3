internal import Platform

/// The identity of a file: its device and inode number. Two equal identities mean the same file.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let file: UInt64

    /// Reads the identity of the file at `path`; nil if there is no file. Reading an identity takes about a
    /// microsecond.
    package init?(_ path: DatabasePath) {
        var status = stat()
        guard stat(path.database, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        file = UInt64(status.st_ino)
    }
}
