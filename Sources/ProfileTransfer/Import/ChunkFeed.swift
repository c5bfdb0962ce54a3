internal import CSVStream

/// A sequence of chunks that is being read: a task takes them, and hands their bytes to the thread that reads.
///
/// The task ends with the feed.
final class ChunkFeed: Sendable {
    private let channel = ByteChannel()
    private let task: Task<Void, Never>

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element: Sequence<UInt8> {
        task = Task { [channel] in
            do {
                for try await chunk in chunks {
                    guard await channel.write(chunk) else { return }
                }
                channel.finish()
            } catch {
                channel.fail(ByteStreamError(operation: .read, cause: error))
            }
        }
    }

    deinit {
        channel.close()
        task.cancel()
    }

    /// Its bytes.
    var source: ByteSource {
        let source = channel.source
        return ByteSource { [self] buffer throws(ByteStreamError) in
            try withExtendedLifetime(self) { () throws(ByteStreamError) in try source.read(buffer) }
        }
    }

    /// What ends the waiting for them.
    var interruption: any Interruption { channel }
}
