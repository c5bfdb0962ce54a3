internal import Dispatch
internal import Threads

/// A channel with backpressure. It transfers bytes from a task to a thread, or from a thread to a task. Its memory is
/// bounded: the producer waits while the channel is full. A waiting thread is blocked, and a waiting task is suspended.
///
/// It has one producer and one consumer.
package final class ByteChannel: Interruption {
    private enum End {
        case finished
        case failed(ByteStreamError)
        /// The consumer has closed the channel.
        case closed
    }

    private struct State: ~Copyable {
        var bytes = ByteBuffer(isSecret: true)
        var end: End?
        var isInterrupted = false
        var isLimited = true
        /// The callbacks that run at the next change of the state.
        var awaitingChange: [@Sendable () -> Void] = []

        var hasEnded: Bool { if case nil = end { false } else { true } }
        var hasRoom: Bool { bytes.count < ByteChannel.capacity || hasEnded || !isLimited }

        mutating func takeAwaitingChange() -> [@Sendable () -> Void] {
            defer { awaitingChange = [] }
            return awaitingChange
        }

        mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let count = min(buffer.count, bytes.count)
            buffer.copyMemory(from: UnsafeRawBufferPointer(start: bytes.base, count: count))
            drop(count)
            return count
        }

        private mutating func take(atMost most: Int) -> [UInt8] {
            let taken = Array(UnsafeRawBufferPointer(start: bytes.base, count: min(most, bytes.count)))
            drop(taken.count)
            return taken
        }

        /// Removes and returns the next chunk. At the end, returns an empty chunk. If more bytes may come later,
        /// returns nil.
        mutating func takeNext() -> [UInt8]? {
            if bytes.count > 0 { return take(atMost: ByteChannel.longestChunk) }
            return hasEnded ? [] : nil
        }

        private mutating func drop(_ count: Int) {
            if count == bytes.count { bytes.removeAll() } else { bytes.removeFirst(count) }
        }
    }

    private let state = Locked(State())

    /// The number of buffered bytes at which the producer starts to wait.
    private static let capacity = 1 << 18
    /// The maximum number of bytes in one chunk.
    private static let longestChunk = 1 << 16

    package init() {}

    // MARK: The producer

    /// Writes a chunk, and then waits until the channel has room. Does not block the thread.
    ///
    /// - Returns: Whether the consumer accepts more bytes.
    package func write(_ chunk: some Sequence<UInt8>) async -> Bool {
        // The sequence is copied to an array first. Its iterator may run any code, and such code must not run while
        // `state` is locked.
        var rest = Array(chunk)[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.capacity)
            rest = rest.dropFirst(part.count)
            change { state in
                if !state.hasEnded { part.withUnsafeBytes { state.bytes.append($0) } }
            }
            await waitForRoom()
        }
        return state.withLock { !$0.hasEnded }
    }

    /// A sink that writes without waiting. If the channel has failed, a write throws the channel's error. The sink does
    /// not limit the number of buffered bytes. So the caller must call ``waitForRoom()`` or ``blockUntilRoom()``
    /// regularly.
    package var sink: ByteSink {
        ByteSink { [self] buffer throws(ByteStreamError) in
            var failure: ByteStreamError?
            change { state in
                if case .failed(let error) = state.end { failure = error }
                if !state.hasEnded { state.bytes.append(buffer) }
            }
            if let failure { throw failure }
        }
    }

    /// A sink that writes and then waits until the channel has room. Blocks the writing thread.
    package var blockingSink: ByteSink {
        let sink = sink
        return ByteSink { [self] buffer throws(ByteStreamError) in
            try sink.write(buffer)
            blockUntilRoom()
        }
    }

    /// Waits until the channel has room for more bytes or has ended. Does not block the thread.
    package func waitForRoom() async { await wait { $0.hasRoom ? () : nil } }

    /// Waits until the channel has room for more bytes or has ended. Blocks the thread.
    package func blockUntilRoom() { wait { $0.hasRoom ? () : nil } }

    /// Removes the capacity limit. After this call, the producer never waits.
    package func removeLimit() { change { $0.isLimited = false } }

    /// Ends the channel. The consumer first receives the remaining bytes, and then the end of the input.
    package func finish() { end(.finished) }

    /// Ends the channel with an error. A reader of ``source`` first receives the remaining bytes, and then the error.
    /// The next write to ``sink`` throws the error, and the next ``write(_:)`` returns false.
    package func fail(_ error: ByteStreamError) { end(.failed(error)) }

    // MARK: The consumer

    /// A source that returns the bytes of the channel. Blocks the reading thread.
    package var source: ByteSource {
        ByteSource { [self] buffer throws(ByteStreamError) in
            let outcome: Result<Int, ByteStreamError> = wait { state in
                if state.isInterrupted { return .success(0) }
                if state.bytes.count > 0 { return .success(state.take(into: buffer)) }
                switch state.end {
                case nil: return nil
                case .failed(let error): return .failure(error)
                case .finished, .closed: return .success(0)
                }
            }
            return try outcome.get()
        }
    }

    /// Returns the next bytes. Returns nil at the end or after an error. Does not block the thread.
    package func next() async -> [UInt8]? {
        let next: [UInt8] = await wait { $0.takeNext() }
        return next.isEmpty ? nil : next
    }

    /// Returns the next bytes. Returns nil at the end or after an error. Blocks the thread.
    package func nextBlocking() -> [UInt8]? {
        let next: [UInt8] = wait { $0.takeNext() }
        return next.isEmpty ? nil : next
    }

    /// Closes the channel for the consumer. The remaining bytes are discarded. The producer's next write returns false.
    package func close() {
        end(.closed)
        change { $0.bytes.removeAll() }
    }

    /// Interrupts ``source``: until `reset()` is called, the current read and all later reads return the end of the
    /// input.
    package func interrupt() { change { $0.isInterrupted = true } }

    package func reset() { change { $0.isInterrupted = false } }

    package var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    // MARK: Waiting for changes

    private func end(_ end: End) { change { if !$0.hasEnded { $0.end = end } } }

    private func change(_ body: (inout State) -> Void) {
        let told = state.withLock { state in
            body(&state)
            return state.takeAwaitingChange()
        }
        for tell in told { tell() }
    }

    /// Waits until `body` returns a value. Blocks the thread.
    private func wait<Value>(for body: (inout State) -> Value?) -> Value {
        while true {
            let changed = DispatchSemaphore(value: 0)
            if let value = attempt(body, orTell: { changed.signal() }) { return value }
            changed.wait()
        }
    }

    /// Waits until `body` returns a value. Does not block the thread.
    private func wait<Value: Sendable>(for body: (inout State) -> Value?) async -> Value {
        while true {
            let changed = Promise<Void>()
            if let value = attempt(body, orTell: { changed.fulfill() }) { return value }
            await changed.value
        }
    }

    /// Returns the value of `body`. If the value is nil, `tell` runs at the next change of the state.
    private func attempt<Value>(
        _ body: (inout State) -> Value?, orTell tell: @escaping @Sendable () -> Void
    ) -> Value? {
        var told: [@Sendable () -> Void] = []
        let value = state.withLock { state in
            let value = body(&state)
            if value == nil { state.awaitingChange.append(tell) } else { told = state.takeAwaitingChange() }
            return value
        }
        for tell in told { tell() }
        return value
    }
}
