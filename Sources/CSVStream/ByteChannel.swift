internal import Dispatch
internal import Synchronization
internal import Threads

/// Hands bytes over between a task and a thread, either way, in memory that does not grow: who brings more waits while
/// enough are there. A thread blocks when it waits; a task does not.
///
/// One brings bytes, and one takes them.
package final class ByteChannel: Interruption {
    private enum End {
        case finished
        case failed(ByteStreamError)
        /// Nobody takes anything any more.
        case closed
    }

    private struct State: ~Copyable {
        var bytes = ByteBuffer(isSecret: true)
        var end: End?
        var isInterrupted = false
        var isLimited = true
        /// Who is told when something changes.
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

        /// A chunk, or none at the end; nil where there may be more later.
        mutating func takeNext() -> [UInt8]? {
            if bytes.count > 0 { return take(atMost: ByteChannel.longestChunk) }
            return hasEnded ? [] : nil
        }

        private mutating func drop(_ count: Int) {
            if count == bytes.count { bytes.removeAll() } else { bytes.removeFirst(count) }
        }
    }

    private let state = Mutex(State())

    /// In bytes: who brings more waits until fewer are there.
    private static let capacity = 1 << 18
    /// In bytes, of what is given to a task at once.
    private static let longestChunk = 1 << 16

    package init() {}

    // MARK: Who brings bytes

    /// Brings a chunk, and waits for room after it. Does not block the thread.
    ///
    /// - Returns: Whether somebody takes more.
    package func write(_ chunk: some Sequence<UInt8>) async -> Bool {
        // Brought into one piece first: a sequence is somebody else's code, which must not run under the lock.
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

    /// Brings bytes without waiting, and throws why nobody takes them. ``waitForRoom()`` comes where waiting is possible.
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

    /// Brings bytes and waits for room after them. Blocks the thread that writes.
    package var blockingSink: ByteSink {
        let sink = sink
        return ByteSink { [self] buffer throws(ByteStreamError) in
            try sink.write(buffer)
            blockUntilRoom()
        }
    }

    /// Waits until there is room. Does not block the thread.
    package func waitForRoom() async { await wait { $0.hasRoom ? () : nil } }

    /// Waits until there is room. Blocks the thread.
    package func blockUntilRoom() { wait { $0.hasRoom ? () : nil } }

    /// Lets nobody wait for room from now on.
    package func removeLimit() { change { $0.isLimited = false } }

    /// There is no more to come.
    package func finish() { end(.finished) }

    /// Says why there is no more: who takes bytes learns it after those that are there, who brings some at once.
    package func fail(_ error: ByteStreamError) { end(.failed(error)) }

    // MARK: Who takes them

    /// Takes bytes as they come. Blocks the thread that reads.
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

    /// The next bytes; nil at the end, whatever that is. Does not block the thread.
    package func next() async -> [UInt8]? {
        let next: [UInt8] = await wait { $0.takeNext() }
        return next.isEmpty ? nil : next
    }

    /// The next bytes; nil at the end, whatever that is. Blocks the thread.
    package func nextBlocking() -> [UInt8]? {
        let next: [UInt8] = wait { $0.takeNext() }
        return next.isEmpty ? nil : next
    }

    /// Takes no more: who brings bytes is told so, and those that are there are dropped.
    package func close() {
        end(.closed)
        change { $0.bytes.removeAll() }
    }

    /// Ends every read of ``source`` that waits, and those to come.
    package func interrupt() { change { $0.isInterrupted = true } }

    package func reset() { change { $0.isInterrupted = false } }

    package var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    // MARK: Waiting

    private func end(_ end: End) { change { if !$0.hasEnded { $0.end = end } } }

    private func change(_ body: (inout State) -> Void) {
        let told = state.withLock { state in
            body(&state)
            return state.takeAwaitingChange()
        }
        for tell in told { tell() }
    }

    /// Waits until `body` has a value. Blocks the thread.
    private func wait<Value>(for body: (inout State) -> Value?) -> Value {
        while true {
            let changed = DispatchSemaphore(value: 0)
            if let value = attempt(body, orTell: { changed.signal() }) { return value }
            changed.wait()
        }
    }

    /// Waits until `body` has a value. Does not block the thread.
    private func wait<Value: Sendable>(for body: (inout State) -> Value?) async -> Value {
        while true {
            let changed = Promise<Void>()
            if let value = attempt(body, orTell: { changed.fulfill() }) { return value }
            await changed.value
        }
    }

    /// What `body` has; where that is nothing, `tell` is called when it may have something.
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
