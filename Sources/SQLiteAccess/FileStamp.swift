internal import Platform

/// A stamp that shows whether a database changed between two reads. The stamp consists of the identity, the size and
/// the times of the database file. The stamp also contains whether a log beside this file has content.
///
/// If this process may not write to the folder of the database, SQLite cannot create the `-shm` file. If the database
/// has no log, SQLite can still read it in the mode `immutable`. Another user may still write to the database. A reader
/// therefore compares the stamps before and after reading, and reads again in another mode if they differ.
package struct FileStamp: Hashable, Sendable {
    private let file: FileIdentity
    private let size: Int64
    private let modified: [Int]
    private let changed: [Int]
    /// Whether a write-ahead log or a rollback journal beside the database has content. If a log has content, the
    /// database file alone is incomplete.
    package let hasLog: Bool

    /// Reads the stamp of a database; nil if there is no file.
    package init?(_ path: DatabasePath) {
        // The logs are checked first. If a process writes a log after this check, it either leaves the log there or
        // changes the database file. In both cases, the next stamp differs.
        hasLog = Self.hasContent(path.file(endingIn: "-wal")) || Self.hasContent(path.journal)
        var status = stat()
        guard stat(path.database, &status) == 0 else { return nil }
        file = FileIdentity(status)
        size = Int64(status.st_size)
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }

    /// Whether the last change is more than two seconds old. If so, the next change will have a different time. The
    /// reason for this limit: file systems count time in steps, and two changes in the same step have the same time.
    package var isConclusive: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec - (changed.first ?? .max) > 2
    }

    /// Returns whether this process may create files beside a database.
    package static func isFolderWritable(_ path: DatabasePath) -> Bool {
        let folder = path.database.lastIndex(of: CChar(bitPattern: UInt8(ascii: "/")))
        guard let folder else { return false }
        let name = folder == 0 ? Array("/".utf8CString) : path.database[..<folder] + [0]
        return faccessat(AT_FDCWD, Array(name), W_OK | X_OK, AT_EACCESS) == 0
    }

    private static func hasContent(_ path: [CChar]) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }
}
