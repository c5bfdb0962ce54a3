internal import SQLiteAccess
internal import Threads

/// Enlarges the page cache of the writer's connection while the batches of an import follow each other.
///
/// The rows of an import are not sorted by username, so each batch reads and changes pages in all parts of the indexes.
/// If these pages stay in memory, the import is 1.5 times as fast. With twice as much memory, the import would not be
/// faster. If more than a second has passed since the last batch, the next call of ``SQLiteSession/write(_:)`` restores
/// the usual cache size.
final class BatchCache: Sendable {
    /// The time of the last batch; nil while the cache has its usual size.
    private let lastBatch = Locked<ContinuousClock.Instant?>(nil)

    func grow(_ connection: borrowing Connection) throws(SQLiteError) {
        let isGrown = lastBatch.withLock { last in
            defer { last = .now }
            return last != nil
        }
        if !isGrown { try connection.setCache(kibibytes: 28_672) }
    }

    func shrink(_ connection: borrowing Connection) throws(SQLiteError) {
        let isOver = lastBatch.withLock { last in
            guard let time = last, .now - time > .seconds(1) else { return false }
            last = nil
            return true
        }
        if isOver { try connection.setCache(kibibytes: Connection.defaultCache) }
    }
}
