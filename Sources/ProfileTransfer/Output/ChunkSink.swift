internal import CSVStream

/// A destination for chunks of bytes. The caller supplies a closure that receives the chunks. For example, the closure
/// writes them into the body of a response.
///
/// The closure is called for one chunk at a time. The next call is made after the closure has returned. If the closure
/// throws, no further chunks are written.
public struct ChunkSink: Sendable {
    private let function: @Sendable ([UInt8]) async throws -> Void

    /// Creates a sink from a closure.
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

    /// Writes the bytes of a channel until its end. If writing fails, this method stops. The code that writes into the
    /// channel then receives the error from the channel.
    ///
    /// - Returns: The error that ended the writing; nil if all bytes were written.
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
