internal import CSVStream

/// Reads a sequence of chunks. A task takes the chunks and passes their bytes to the reading thread.
///
/// The task is cancelled when the feed is deallocated.
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

    /// The bytes of the chunks.
    var source: ByteSource {
        let source = channel.source
        return ByteSource { [self] buffer throws(ByteStreamError) in
            try withExtendedLifetime(self) { () throws(ByteStreamError) in try source.read(buffer) }
        }
    }

    /// The object that can interrupt a wait for bytes.
    var interruption: any Interruption { channel }
}
