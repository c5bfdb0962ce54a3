internal import CSVStream
internal import ProfileStore
internal import Threads

extension ByteSink {
    /// Writes the bytes of a channel until its end. A separate thread does this, because writing may block.
    ///
    /// If writing fails, this method stops. The code that writes into the channel then receives the error from the
    /// channel. If the task is cancelled, this method continues to write.
    ///
    /// - Returns: The error that ended the writing; nil if all bytes were written.
    func drain(_ channel: ByteChannel) async -> ByteStreamError? {
        let thread = ThreadPool(threads: 1)
        return await withCheckedContinuation { continuation in
            do throws(ThreadRefusal) {
                try thread.start { continuation.resume(returning: drainBlocking(channel)) }
            } catch {
                let error = ByteStreamError(operation: .write, cause: ProfileStoreError(error))
                channel.fail(error)
                continuation.resume(returning: error)
            }
        }
    }

    /// Writes the bytes of a channel until its end. Blocks the thread.
    private func drainBlocking(_ channel: ByteChannel) -> ByteStreamError? {
        while let chunk = channel.nextBlocking() {
            do throws(ByteStreamError) {
                try chunk.span.withUnsafeBytes { bytes throws(ByteStreamError) in try write(bytes) }
            } catch {
                channel.fail(error)
                return error
            }
        }
        return nil
    }
}
