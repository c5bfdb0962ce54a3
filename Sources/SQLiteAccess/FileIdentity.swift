internal import Platform

/// Which file it is that a path leads to, or that a descriptor has open.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let file: UInt64

    /// Looks where the path of a database leads; nil if it leads to no file. It takes about a microsecond.
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
