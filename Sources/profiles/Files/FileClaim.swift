internal import Platform
internal import Synchronization

/// Keeps every other run of the command from a file, also while the file is replaced under its name (flock(2)).
final class FileClaim: Sendable {
    private let path: String
    /// Of the file that has the name; what it replaced is nobody's any more.
    private let descriptor: Mutex<Int32>

    /// Claims an open file.
    ///
    /// - Throws: A failure where another run has it, or has just replaced it.
    init(_ descriptor: Int32, at path: String) throws(CommandFailure) {
        self.path = path
        self.descriptor = Mutex(try Self.claimed(descriptor, path))
        var (opened, named) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_dev == named.st_dev,
            opened.st_ino == named.st_ino
        else { throw Self.isTaken(path) }
    }

    /// Claims what is about to replace it.
    func pass(to new: Int32) throws(CommandFailure) {
        let new = try Self.claimed(new, path)
        let old = descriptor.withLock { descriptor in
            defer { descriptor = new }
            return descriptor
        }
        close(old)
    }

    deinit { descriptor.withLock { _ = close($0) } }

    /// - Returns: A descriptor of its own, with which the claim ends.
    private static func claimed(_ descriptor: Int32, _ path: String) throws(CommandFailure) -> Int32 {
        // Where a file system has no locks, nobody has one.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { throw isTaken(path) }
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw .cannotRead(path, errno) }
        return own
    }

    private static func isTaken(_ path: String) -> CommandFailure {
        CommandFailure(.tryAgain, "Somebody else is mending \(path)", "Try again when they have ended")
    }
}
