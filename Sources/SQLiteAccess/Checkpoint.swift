internal import CSQLite

/// The result of a checkpoint: the number of frames in the write-ahead log, and the number of frames that were copied
/// to the database file.
package struct Checkpoint: Hashable, Sendable {
    package enum Mode: Sendable {
        /// Copies as many frames as the current readers permit.
        case passive
        /// If no reader prevents it, copies all frames and truncates the log to zero bytes.
        case truncate
    }

    /// The number of frames in the log.
    package let walFrames: Int
    /// The number of frames of the log that are now in the database file.
    package let checkpointedFrames: Int
    /// Whether the checkpoint copied every frame. In the mode `truncate`, the checkpoint must also have emptied the
    /// log. The value is false if a reader prevented the copy or prevented emptying the log.
    package let isComplete: Bool
}

extension Connection {
    /// Copies the write-ahead log to the database file as far as current readers permit. A checkpoint does not wait for
    /// readers.
    ///
    /// The caller must hold the ``WriteLock``: in SQLite before 3.51.3, commits can be lost if a checkpoint runs while
    /// another connection writes.
    /// - Throws: `readOnlyMoved`, `cantOpen` or `protocol` with a ``FileProblem``, and the errors of reading and
    ///   writing.
    @discardableResult
    package func checkpoint(_ mode: Checkpoint.Mode) throws(SQLiteError) -> Checkpoint {
        try requireCommittable()
        let sqliteMode =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        setBusyTimeout(milliseconds: 0)
        defer { setBusyTimeout(milliseconds: Self.busyTimeout) }
        var frames: Int32 = 0
        var checkpointed: Int32 = 0
        let status = sqlite3_wal_checkpoint_v2(handle, "main", sqliteMode, &frames, &checkpointed)
        guard status == SQLITE_OK || ResultCode.busy ~= ResultCode(rawValue: status) else {
            throw SQLiteError(status: status, database: handle)
        }
        let isComplete = status == SQLITE_OK && frames == checkpointed
        return Checkpoint(
            walFrames: max(0, Int(frames)), checkpointedFrames: max(0, Int(checkpointed)), isComplete: isComplete)
    }
}
