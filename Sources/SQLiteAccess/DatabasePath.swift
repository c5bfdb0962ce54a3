internal import Platform

/// The resolved path of a database file. If two paths lead to the same file, their values are equal. Hard links are the
/// only exception.
///
/// Symbolic links are resolved once. SQLite resolves links in the same way to get the name of its `-wal` file. If links
/// were not resolved, two processes could open one database through different links, and would then take different
/// write locks.
///
/// A path is kept as a NUL-terminated C string and passed to C unchanged. The reason: relative paths are resolved
/// against the current directory, whose name may not be UTF-8. Only the description is text.
package struct DatabasePath: Hashable, Sendable, CustomStringConvertible {
    /// The absolute path of the database file, without symbolic links. The file need not exist.
    package let database: [CChar]

    /// The path of the lock file. A process may write only while it holds the lock on this file; see ``WriteLock``.
    package var lock: [CChar] { file(endingIn: "-lock") }

    /// The path of SQLite's rollback journal. A database uses this journal if it has no write-ahead log.
    package var journal: [CChar] { file(endingIn: "-journal") }

    /// Returns the path of the database with `ending` appended to it.
    package func file(endingIn ending: String) -> [CChar] { database.dropLast() + Array(ending.utf8CString) }

    /// The path as text for display. Bytes that are not UTF-8 become U+FFFD.
    package var description: String { database.pathText }

    /// Resolves `path`, whose directory must exist.
    ///
    /// - Throws: `cantOpen` if the directory does not exist, or if `path` is empty, holds a NUL, ends with a slash, or
    ///   is a symbolic link whose target does not exist.
    package init(_ path: String) throws(SQLiteError) {
        if path.isEmpty || path.utf8.contains(0) { throw SQLiteError(systemError: EINVAL, opening: path) }
        if path.utf8.last == UInt8(ascii: "/") { throw SQLiteError(systemError: EISDIR, opening: path) }
        if let resolved = Self.resolve(path) {
            database = resolved
            return
        }
        let reason = errno
        guard reason == ENOENT else { throw SQLiteError(systemError: reason, opening: path) }
        var information = stat()
        if lstat(path, &information) == 0 {
            // Another process has just created the file, or the path is a symbolic link to a file that does not exist.
            guard let resolved = Self.resolve(path) else { throw SQLiteError(systemError: errno, opening: path) }
            database = resolved
            return
        }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { String(path[...$0]) } ?? "."
        let name = slash.map { path[path.utf8.index(after: $0)...] } ?? path[...]
        guard let resolved = Self.resolve(directory) else { throw SQLiteError(systemError: errno, opening: path) }
        let isRoot = resolved.elementsEqual("/".utf8CString)
        database = resolved.dropLast() + Array((isRoot ? "\(name)" : "/\(name)").utf8CString)
    }

    private static func resolve(_ path: String) -> [CChar]? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return Array(UnsafeBufferPointer(start: resolved, count: strlen(resolved) + 1))
    }

    /// Returns the URI of the database with these options. SQLite reads such options only from a URI; see
    /// <https://www.sqlite.org/uri.html>.
    func uri(options: [(name: String, value: [CChar])]) -> String {
        let query = options.map { "\($0.name)=\(Self.percentEncoded($0.value))" }.joined(separator: "&")
        return "file://\(Self.percentEncoded(database))" + (query.isEmpty ? "" : "?\(query)")
    }

    /// Returns the percent-encoded path. `path` ends in a NUL.
    private static func percentEncoded(_ path: [CChar]) -> String {
        path.dropLast().lazy.map(UInt8.init(bitPattern:)).percentEncoded(except: "/.-_~")
    }
}

extension [CChar] {
    /// The NUL-terminated path as text for display.
    var pathText: String { String(decoding: dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) }
}
