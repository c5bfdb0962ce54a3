internal import Platform
internal import Threads

/// The file in which a run of `mend` keeps the remaining rows. The run locks the file, so another run of `mend` cannot
/// use it at the same time (flock(2)).
///
/// Other programs can replace or change the file. If they do, this run neither overwrites nor removes the file. From
/// then on, it writes the remaining rows to a new file in the same folder.
final class FileClaim: Sendable {
    private struct State {
        var path: String
        /// The descriptor that holds the lock of the file at `path`.
        var descriptor: Int32
        /// The state of the file when this run last opened or wrote it.
        var file: FileState?
        var isDisplaced = false
    }

    private let state: Locked<State>

    /// Claims an open file.
    ///
    /// - Throws: A failure if another run has claimed the file, or has just replaced it.
    init(_ descriptor: Int32, at path: String) throws(CommandFailure) {
        let opened = FileState(of: descriptor)
        state = Locked(State(path: path, descriptor: try Self.claimed(descriptor, path), file: opened))
        guard let opened, let named = FileState(at: path), opened.isSameFile(as: named) else {
            throw Self.isTaken(path)
        }
    }

    deinit { state.withLock { _ = close($0.descriptor) } }

    /// The path of the file for the remaining rows.
    var path: String { state.withLock { $0.path } }

    /// Whether another program has replaced or changed the file that was claimed first.
    var isDisplaced: Bool { state.withLock { $0.isDisplaced } }

    /// Replaces the claimed file by a new one. If another program has replaced or changed the claimed file, the new
    /// file gets an unused name in the same folder.
    func replace(with new: consuming PrivateFile) throws(CommandFailure) {
        let (path, known) = state.withLock { ($0.path, $0.file) }
        let descriptor = try Self.claimed(new.descriptor, path)
        let other: String?
        do throws(CommandFailure) {
            other = try new.commit(over: known)
        } catch {
            close(descriptor)
            throw error
        }
        let old = state.withLock { state in
            let old = state.descriptor
            // The commit gives the file its name, and this changes the times of the file. So the state is read after
            // the commit.
            (state.descriptor, state.file) = (descriptor, FileState(of: descriptor))
            if let other { (state.path, state.isDisplaced) = (other, true) }
            return old
        }
        close(old)
    }

    /// Removes the claimed file when no row is left, unless another program has replaced or changed it.
    ///
    /// - Parameter replacement: The file that should have replaced the claimed file. This method discards it.
    /// - Returns: Whether the claimed file was removed.
    /// - Throws: A failure if the system cannot remove it.
    func remove(insteadOf replacement: consuming PrivateFile) throws(CommandFailure) -> Bool {
        let isRemoved = try replacement.removeReplaced(ifStill: state.withLock { $0.file })
        if !isRemoved { state.withLock { $0.isDisplaced = true } }
        return isRemoved
    }

    /// - Returns: A duplicate of the descriptor. The duplicate holds the claim until it is closed.
    private static func claimed(_ descriptor: Int32, _ path: String) throws(CommandFailure) -> Int32 {
        // On a file system without locks, flock(2) fails with another error, and the run continues without a lock.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { throw isTaken(path) }
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw .cannotRead(path, errno) }
        return own
    }

    private static func isTaken(_ path: String) -> CommandFailure {
        CommandFailure(.tryAgain, "Another process is mending \(path)", "Try again when it has ended")
    }
}
