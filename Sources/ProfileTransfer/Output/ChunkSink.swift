internal import CSVStream

/// Where bytes are written to, chunk by chunk: a function of the caller's, as to the body of a response.
///
/// It is called for one chunk at a time, and the next one waits until it returns. What it throws ends the writing.
public struct ChunkSink: Sendable {
    private let function: @Sendable ([UInt8]) async throws -> Void

    /// Makes a sink of a function.
    public init(_ function: @escaping @Sendable ([UInt8]) async throws -> Void) { self.function = function }

    /// Writes a chunk.
    func write(_ chunk: [UInt8]) async throws(StreamFailure) {
        do { try await function(chunk) } catch { throw StreamFailure(error) }
    }

    /// Writes a text in chunks.
    func write(_ text: String) async throws(StreamFailure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(1 << 16)
            rest = rest.dropFirst(chunk.count)
            try await write(Array(chunk))
        }
    }

    /// Writes whatever comes through a channel, to its end; a failure ends it, and who brings bytes is told.
    ///
    /// - Returns: Why not everything was written.
    func drain(_ channel: ByteChannel) async -> StreamFailure? {
        while let chunk = await channel.next() {
            do throws(StreamFailure) {
                try await write(chunk)
            } catch {
                channel.fail(ByteStreamError(operation: .write, cause: error.error))
                return error
            }
        }
        return nil
    }
}
