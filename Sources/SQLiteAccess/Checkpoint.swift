internal import CSQLite

/// What a checkpoint found in the write-ahead log and brought into the database file.
package struct Checkpoint: Hashable, Sendable {
    package enum Mode: Sendable {
        /// Copies what no reader needs to stay in the log.
        case passive
        /// Copies everything and leaves an empty log, if no reader is in the way.
        case truncate
    }

    /// The frames in the log.
    package let walFrames: Int
    /// How many of them are in the database file now.
    package let checkpointedFrames: Int
    /// Whether all that the mode asks for was done, and no reader was in the way.
    package let isComplete: Bool
}

extension Connection {
    /// Brings the write-ahead log into the database file as far as readers permit, without waiting for them.
    ///
    /// The caller holds the ``WriteLock``: on SQLite before 3.51.3 a checkpoint beside another writer can lose commits.
    /// - Throws: `readOnlyMoved`, `cantOpen` or `protocol` with a ``FileProblem``, and what reading and writing throw.
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
