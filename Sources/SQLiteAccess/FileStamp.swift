internal import Platform

/// A stamp for detecting changes of a database between two reads: the identity of its file, its size, its times, and
/// whether a log beside it has content.
///
/// If this process may not write to the database's folder, SQLite cannot create the `-shm` file that it otherwise
/// needs. Such a database can be read in the mode `immutable` if it has no log. Another user may still write to it. A
/// reader therefore compares the stamps before and after reading, and reads again in another mode if they differ.
package struct FileStamp: Hashable, Sendable {
    private let file: FileIdentity
    private let size: Int64
    private let modified: [Int]
    private let changed: [Int]
    /// Whether there is a write-ahead log or rollback journal beside the database that is not empty. If so, the file
    /// alone is not the whole database.
    package let hasLog: Bool

    /// Reads the stamp of a database; nil if there is no file.
    package init?(_ path: DatabasePath) {
        // The logs are checked first. A process that writes a log after this check leaves the log there or changes the
        // database file. The next stamp differs in both cases.
        hasLog = Self.hasContent(path.file(endingIn: "-wal")) || Self.hasContent(path.journal)
        var status = stat()
        guard stat(path.database, &status) == 0 else { return nil }
        file = FileIdentity(status)
        size = Int64(status.st_size)
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }

    /// Whether the last change is more than two seconds old. If it is, a later change gets a different time. File
    /// systems count time in steps, and two changes within one step have the same time.
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
