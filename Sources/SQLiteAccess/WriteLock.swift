internal import Platform

/// The write lock of a database. A process may commit or run a checkpoint only while it holds this lock.
///
/// SQLite 3.7.0 to 3.51.2 can lose commits if one connection writes while another runs a checkpoint; Debian 12 has
/// 3.40.1. The lock is a `flock` lock on a ``LockFile`` beside the database. The file is never deleted, because two
/// processes could then hold two different locks. If the holder dies, the system releases the lock. The file names the
/// holder.
package struct WriteLock: ~Copyable, Sendable {
    /// A process that holds the lock.
    package struct Holder: Hashable, Sendable {
        package let processID: Int32
        /// The name that the process gave for its work, such as `profiles import`.
        package let command: String
    }

    /// The reason why the file in the place of the lock file is not a lock file.
    package enum FileFault: Hashable, Sendable {
        /// The file is a directory, a symbolic link, a pipe, a socket or a device.
        case notAFile
        /// The file has a second name (a hard link), so it may belong to another program.
        case severalNames
        /// The owner of the file is neither the owner of the database nor the user of this process.
        case foreignOwner
        /// The content of the file was not written by a holder of the lock.
        case foreignContent
    }

    private let path: DatabasePath
    private(set) var file: LockFile
    private var patience = WriteLock.usualPatience

    /// Opens the lock file of the database, without taking the lock.
    package init(_ path: DatabasePath) throws(SQLiteError) {
        self.path = path
        file = try LockFile(path)
    }

    // MARK: Taking the lock

    /// Waits for the lock without a time limit and takes it. Then writes the name of this process into the lock file.
    ///
    /// `flock` has no timeout, and it is not fair. A process may release the lock and immediately take it again.
    /// Usually it then gets the lock before a waiting process starts to run. So each waiter first takes a second lock,
    /// the turnstile, and keeps it until it has the main lock. If a process wants the lock again, it must first wait
    /// for the turnstile, because the waiter has taken it. (Measured while another process repeatedly held the lock for
    /// 1 ms: the longest wait was 1.3 ms with the turnstile, and 1,300 ms without it.)
    package mutating func acquire(as command: String) throws(SQLiteError) {
        for _ in 0..<100 {
            try lockFile()
            if file.isInPlace { return nameHolder(command) }
            // The lock file was removed or replaced, so other processes now use the lock of another file.
            flock(file.descriptor, LOCK_UN)
            file = try LockFile(path)
        }
        throw SQLiteError(.lockDisplaced(path.lock.pathText))
    }

    /// Takes the lock if it is free. Returns whether this process now holds it.
    package mutating func acquireIfFree(as command: String) -> Bool {
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        guard file.isInPlace else {
            flock(file.descriptor, LOCK_UN)
            return false
        }
        nameHolder(command)
        return true
    }

    /// Releases the lock.
    package func release() {
        ftruncate(file.descriptor, 0)
        flock(file.descriptor, LOCK_UN)
    }

    /// Whether another writer, in this process or in another process, waits for the lock. The first waiting writer
    /// holds the turnstile.
    package var isAwaited: Bool {
        var region = turnstile(F_WRLCK)
        return fcntl(file.descriptor, Self.getOpenFileLock, &region) == 0 && region.l_type != Int16(F_UNLCK)
    }

    private mutating func lockFile() throws(SQLiteError) {
        let hasTurnstile = waitAtTurnstile()
        defer { if hasTurnstile { setTurnstile(F_UNLCK) } }
        while flock(file.descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SQLiteError(systemError: errno, opening: path.lock) }
        }
    }

    // MARK: The holder

    /// Returns the holder of the database's lock; nil if the lock file names none.
    package static func holder(_ path: DatabasePath) -> Holder? {
        let descriptor = open(path.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let content = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        let line = content.prefix { $0 != UInt8(ascii: "\n") }
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard let first = parts.first, let processID = Int32(String(decoding: first, as: UTF8.self)) else { return nil }
        let command = parts.dropFirst().first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        // Another user's program may have written the line. So characters that are unsafe on a terminal are replaced.
        return Holder(processID: processID, command: printable(command))
    }

    /// Writes the name of the holder into the file. The name is only used in messages to waiting processes, and the
    /// lock works without it.
    private func nameHolder(_ command: String) {
        let line = Array("\(getpid()) \(Self.printable(command))\n".utf8)
        if pwrite(file.descriptor, line, line.count, 0) == line.count { ftruncate(file.descriptor, line.count) }
    }

    /// Returns at most 100 characters of printable ASCII. So the text stays on one line and contains no control
    /// characters.
    private static func printable(_ text: String) -> String {
        let plain = text.utf8.prefix(100).map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: plain, as: UTF8.self)
    }

    // MARK: The turnstile

    /// The usual maximum wait for the turnstile. When the lock becomes free, a waiter takes it in far less time than
    /// this limit. If a process holds the lock for longer than this limit, the waiters without the turnstile stop
    /// waiting for the turnstile and wait for the lock itself.
    private static let usualPatience = Duration.milliseconds(500)
    /// The maximum wait for the turnstile if an earlier wait has timed out. It permits about ten attempts.
    private static let leastPatience = Duration.milliseconds(10)

    /// Waits until the turnstile is free, up to a time limit. The process that holds the turnstile may be stopped
    /// (Ctrl-Z). Because of the time limit, the other processes can still take a free lock. After a timeout, this
    /// process uses the shorter limit until it finds the turnstile free again.
    ///
    /// - Returns: Whether this process holds the turnstile.
    private mutating func waitAtTurnstile() -> Bool {
        let deadline = ContinuousClock.now + patience
        while true {
            if setTurnstile(F_WRLCK) { break }
            // The turnstile only improves fairness. If the file system does not support open file description locks
            // (`F_OFD_SETLK`), writers skip the turnstile.
            guard errno == EAGAIN || errno == EACCES || errno == EINTR else { return false }
            guard ContinuousClock.now < deadline else {
                patience = Self.leastPatience
                return false
            }
            usleep(1_000)
        }
        patience = Self.usualPatience
        return true
    }

    /// Takes or releases the turnstile: a lock on the file's first byte, which is independent of the `flock` lock.
    @discardableResult
    private func setTurnstile(_ type: Int32) -> Bool {
        var region = turnstile(type)
        return fcntl(file.descriptor, Self.setOpenFileLock, &region) == 0
    }

    private func turnstile(_ type: Int32) -> Platform.flock {
        var region = Platform.flock()
        region.l_type = Int16(truncatingIfNeeded: type)
        region.l_whence = Int16(truncatingIfNeeded: SEEK_SET)
        region.l_len = 1
        return region
    }

    /// Linux's `F_OFD_SETLK`. The open file owns this lock. With `F_SETLK`, the whole process would own the lock. Two
    /// writers of the same process could then hold the lock at the same time. Glibc's module does not export the
    /// constant. The variant that waits (`F_OFD_SETLKW`) has no timeout.
    private static let setOpenFileLock: Int32 = 37
    /// `F_OFD_GETLK`, which tests whether another open file holds a conflicting lock.
    private static let getOpenFileLock: Int32 = 36
}
