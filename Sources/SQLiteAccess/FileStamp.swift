internal import Platform

/// What shows whether a database was changed between two looks at it: which file it is, its size and times, and whether
/// anything lies in a log beside it.
///
/// A database whose folder this process may not write, and which has no log, can be read with the mode `immutable`: SQLite
/// could not make the `-shm` file that it otherwise wants. Another user may still write there, so who reads looks before
/// and after, and reads again in another way if the two differ.
package struct FileStamp: Hashable, Sendable {
    private let file: FileIdentity
    private let size: Int64
    private let modified: [Int]
    private let changed: [Int]
    /// Whether a write-ahead log or a rollback journal lies beside it that is not empty, so that the file alone is not
    /// all of the database.
    package let hasLog: Bool

    /// Looks at a database; nil where there is no file.
    package init?(_ path: DatabasePath) {
        // The logs first: whoever writes one after this look leaves it behind, or has changed the file.
        hasLog = Self.hasContent(path.file(endingIn: "-wal")) || Self.hasContent(path.journal)
        var status = stat()
        guard stat(path.database, &status) == 0 else { return nil }
        file = FileIdentity(status)
        size = Int64(status.st_size)
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }

    /// Whether the file was last changed so long ago that another change would show: file systems count time in steps,
    /// and two changes within one step look the same.
    package var isConclusive: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec - (changed.first ?? .max) > 2
    }

    /// Whether this process may make files beside a database.
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
