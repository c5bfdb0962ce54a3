import Glibc

/// The lock that admits one writer a database, of all processes, to commits and checkpoints.
///
/// SQLite 3.7.0 to 3.51.2 can lose commits when a writer and a checkpoint of two connections meet; Debian 12 has
/// 3.40.1. The lock is `flock`'s, on a file beside the database that is created 0600 and never deleted, since deleting
/// it would give two processes two locks. Who dies gives it back. Whoever holds it is named in the file.
package struct WriteLock: ~Copyable, Sendable {
    /// A process that holds the lock.
    package struct Holder: Hashable, Sendable {
        package let processID: Int32
        /// What it said it is doing, such as `profiles import`.
        package let command: String
    }

    private let descriptor: Int32

    /// Opens the lock file of the database, without taking the lock.
    package init(_ path: DatabasePath) throws(SQLiteError) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        descriptor = open(path.lock, flags, 0o600)
        guard descriptor >= 0 else { throw SQLiteError(systemError: errno, opening: path.lock) }
        fchmod(descriptor, 0o600)
        var owner = stat()
        // What root creates beside somebody's database is that owner's, as SQLite does with its own files.
        if geteuid() == 0, stat(path.database, &owner) == 0 { _ = fchown(descriptor, owner.st_uid, owner.st_gid) }
    }

    deinit { close(descriptor) }

    /// Takes the lock, however long that lasts, and says who took it.
    ///
    /// A blocking `flock` has no time-out, but the kernel is fair with it, where trying again and again is not.
    package func acquire(as command: String) throws(SQLiteError) {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SQLiteError(systemError: errno, opening: "write lock") }
        }
        // Only a courtesy to those who wait: without it the lock holds as well.
        let line = Array("\(getpid()) \(Self.printable(command))\n".utf8)
        if pwrite(descriptor, line, line.count, 0) == line.count { ftruncate(descriptor, line.count) }
    }

    /// Gives the lock back.
    package func release() {
        ftruncate(descriptor, 0)
        flock(descriptor, LOCK_UN)
    }

    /// Who holds the lock of the database, if someone does who said so.
    package static func holder(_ path: DatabasePath) -> Holder? {
        let descriptor = open(path.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let content = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        let line = content.prefix { $0 != UInt8(ascii: "\n") }
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let processID = Int32(String(decoding: first, as: UTF8.self)) else { return nil }
        let command = parts.dropFirst().first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        // Another user's program may have written it: what is shown on a terminal must be plain.
        return Holder(processID: processID, command: printable(command))
    }

    /// At most 100 characters of plain ASCII, so that the line is one line and holds no terminal's control characters.
    private static func printable(_ text: String) -> String {
        String(decoding: text.utf8.prefix(100).map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
