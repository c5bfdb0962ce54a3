internal import Platform

/// Where a database lies: one name for it, whichever way it was reached.
///
/// Symbolic links are resolved once, as SQLite resolves them for its `-wal`. Otherwise two processes that reach one
/// database by two names would take two write locks.
///
/// A path is bytes: the folder that a relative one is resolved in may have a name that is not UTF-8. So it is kept as C
/// has it, with a NUL at its end, and goes to C as it is; only what is shown to people is text.
package struct DatabasePath: Hashable, Sendable, CustomStringConvertible {
    /// The absolute path of the database file, free of symbolic links. The file need not exist.
    package let database: [CChar]

    /// The file whose lock admits one writer at a time; see ``WriteLock``.
    package var lock: [CChar] { file(endingIn: "-lock") }

    /// SQLite's rollback journal, which a database has that has no write-ahead log.
    package var journal: [CChar] { file(endingIn: "-journal") }

    /// The path of a file beside the database, which begins with its name.
    package func file(endingIn ending: String) -> [CChar] { database.dropLast() + Array(ending.utf8CString) }

    /// The path for people: of bytes that are not UTF-8 it shows U+FFFD.
    package var description: String { database.pathText }

    /// Resolves `path`, whose directory must exist.
    ///
    /// - Throws: `cantOpen` if the directory does not exist, or if `path` is empty, holds a NUL, names a directory,
    ///   or is a symbolic link to nothing.
    package init(_ path: String) throws(SQLiteError) {
        if path.isEmpty || path.utf8.contains(0) || path.utf8.last == UInt8(ascii: "/") {
            throw SQLiteError(systemError: EINVAL, opening: path)
        }
        if let resolved = Self.resolve(path) {
            database = resolved
            return
        }
        let reason = errno
        guard reason == ENOENT else { throw SQLiteError(systemError: reason, opening: path) }
        var information = stat()
        if lstat(path, &information) == 0 {
            // Another process has made it since, or it is a link to nothing.
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

    /// The database as a URI, the form in which SQLite takes options; see <https://www.sqlite.org/uri.html>.
    func uri(options: [(name: String, value: [CChar])]) -> String {
        let query = options.map { "\($0.name)=\(Self.percentEncoded($0.value))" }.joined(separator: "&")
        return "file://\(Self.percentEncoded(database))" + (query.isEmpty ? "" : "?\(query)")
    }

    /// `path` ends in a NUL.
    private static func percentEncoded(_ path: [CChar]) -> String {
        path.dropLast().lazy.map(UInt8.init(bitPattern:)).percentEncoded(except: "/.-_~")
    }
}

extension [CChar] {
    /// A path, which ends in a NUL, as text for people.
    var pathText: String { String(decoding: dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) }
}
