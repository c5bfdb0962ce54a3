internal import Platform

/// The lock that admits one writer a database, of all processes, to commits and checkpoints.
///
/// SQLite 3.7.0 to 3.51.2 can lose commits when a writer and a checkpoint of two connections meet; Debian 12 has
/// 3.40.1. The lock is `flock`'s, on a ``LockFile`` beside the database that is never deleted, since deleting it would
/// give two processes two locks. Who dies gives it back. Whoever holds it is named in the file.
package struct WriteLock: ~Copyable, Sendable {
    /// A process that holds the lock.
    package struct Holder: Hashable, Sendable {
        package let processID: Int32
        /// What it said it is doing, such as `profiles import`.
        package let command: String
    }

    /// Why what has the lock file's name is none.
    package enum FileFault: Hashable, Sendable {
        /// A directory, a symbolic link, a pipe, a socket, a device.
        case notAFile
        /// It has another name besides (a hard link), under which it may be anything.
        case severalNames
        /// It belongs neither to the database's owner nor to this process's.
        case foreignOwner
        /// It holds what no holder of the lock writes.
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

    // MARK: Taking it

    /// Takes the lock, however long that lasts, and says who took it.
    ///
    /// `flock` has no time-out, and it is not fair: who gives it back and takes it again at once mostly gets it, before
    /// the waiter that was woken has begun to run. So one waits at a turnstile first, and keeps it until one has the
    /// lock: whoever comes back finds a waiter there and has to stand behind. (Measured beside a process that holds the
    /// lock for 1 ms again and again: the longest wait is 1.3 ms, and 1,300 ms without the turnstile.)
    package mutating func acquire(as command: String) throws(SQLiteError) {
        for _ in 0..<100 {
            try lockFile()
            if file.isInPlace { return nameHolder(command) }
            // Somebody has removed or replaced the file: those who come now take the lock of another.
            flock(file.descriptor, LOCK_UN)
            file = try LockFile(path)
        }
        throw SQLiteError(.lockDisplaced(path.lock.pathText))
    }

    /// Takes the lock if nobody has it.
    package mutating func acquireIfFree(as command: String) -> Bool {
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        guard file.isInPlace else {
            flock(file.descriptor, LOCK_UN)
            return false
        }
        nameHolder(command)
        return true
    }

    /// Gives the lock back.
    package func release() {
        ftruncate(file.descriptor, 0)
        flock(file.descriptor, LOCK_UN)
    }

    /// Whether another writer stands at the turnstile, and so waits for the lock: another process's, or another writer's of
    /// this process.
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

    // MARK: Its holder

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

    /// Only a courtesy to those who wait: without it the lock holds as well.
    private func nameHolder(_ command: String) {
        let line = Array("\(getpid()) \(Self.printable(command))\n".utf8)
        if pwrite(file.descriptor, line, line.count, 0) == line.count { ftruncate(file.descriptor, line.count) }
    }

    /// At most 100 characters of plain ASCII, so that the line is one line and holds no terminal's control characters.
    private static func printable(_ text: String) -> String {
        let plain = text.utf8.prefix(100).map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: plain, as: UTF8.self)
    }

    // MARK: The turnstile

    /// Far more than a waiter that was woken needs to take the lock. While the lock is held for longer than this, it
    /// does not matter who waits where.
    private static let usualPatience = Duration.milliseconds(500)
    /// Enough still for a waiter that runs to come in between.
    private static let leastPatience = Duration.milliseconds(10)

    /// Waits until nobody else is at the turnstile, but not for ever: who stands there may be a process that was stopped
    /// (Ctrl-Z), and is not to keep everyone from a lock that nobody holds. Having met one, this process waits the least
    /// until it finds the turnstile free again.
    ///
    /// - Returns: Whether it is ours.
    private mutating func waitAtTurnstile() -> Bool {
        let deadline = ContinuousClock.now + patience
        while true {
            if setTurnstile(F_WRLCK) { break }
            // It serves fairness alone: on a file system that has no such locks the writers go without.
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

    /// Takes or leaves the turnstile: a lock on the file's first byte, which has nothing to do with `flock`'s.
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

    /// `F_OFD_SETLK` of Linux: a lock of the open file and not, as with `F_SETLK`, of the process, which would let two
    /// writers of one process through. Glibc's module does not show it. The call that waits has no time-out.
    private static let setOpenFileLock: Int32 = 37
    /// `F_OFD_GETLK`, which asks whether another open file is in the way.
    private static let getOpenFileLock: Int32 = 36
}
