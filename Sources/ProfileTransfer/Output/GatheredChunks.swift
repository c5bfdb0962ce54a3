internal import CSVStream
internal import Synchronization

/// What is written, piece by piece, in memory.
final class GatheredChunks: Sendable {
    private let chunks = Mutex<[[UInt8]]>([])

    /// Takes whatever is written to it.
    var sink: ByteSink {
        ByteSink { [self] buffer throws(ByteStreamError) in
            if !buffer.isEmpty { chunks.withLock { $0.append(Array(buffer)) } }
        }
    }

    /// What was written since the last time.
    func takeAll() -> [[UInt8]] {
        chunks.withLock { chunks in
            defer { chunks = [] }
            return chunks
        }
    }
}
