internal import CSVStream
internal import Threads

/// Collects written chunks in memory.
final class GatheredChunks: Sendable {
    private let chunks = Locked<[[UInt8]]>([])

    /// A sink that adds all written bytes to the collected chunks.
    var sink: ByteSink {
        ByteSink { [self] buffer throws(ByteStreamError) in
            if !buffer.isEmpty { chunks.withLock { $0.append(Array(buffer)) } }
        }
    }

    /// Returns the chunks that were written since the last call, and removes them from memory.
    func takeAll() -> [[UInt8]] {
        chunks.withLock { chunks in
            defer { chunks = [] }
            return chunks
        }
    }
}
