internal import Synchronization

/// Writes down when tokens were used, beside the requests that use them: nobody waits for it, and all that comes together
/// while one write is under way is one more.
final class TokenUses: Sendable {
    private struct State {
        var waiting: [TokenHash: TokenUse] = [:]
        /// Those that are being written.
        var writing: [TokenHash: TokenUse] = [:]
        var task: Task<Void, Never>?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let write: @Sendable ([TokenUse]) async -> Void

    /// - Parameter write: Writes some; what cannot be written now is noted again with a later use.
    init(write: @escaping @Sendable ([TokenUse]) async -> Void) { self.write = write }

    /// Has a use written; one that is under way will do.
    func note(_ use: TokenUse) {
        state.withLock { state in
            guard !state.isClosed, state.writing[use.hash] == nil else { return }
            state.waiting[use.hash] = use
            if state.task == nil { state.task = Task { await writeAll() } }
        }
    }

    /// Waits until all that was noted is written.
    func wait() async { await state.withLock { $0.task }?.value }

    /// Notes nothing any more.
    ///
    /// - Returns: Whether all that was noted is written.
    func close() -> Bool {
        state.withLock { state in
            state.isClosed = true
            return state.task == nil
        }
    }

    private func writeAll() async {
        while let uses = next() { await write(uses) }
    }

    private func next() -> [TokenUse]? {
        state.withLock { state in
            state.writing = state.waiting
            state.waiting = [:]
            guard state.writing.isEmpty else { return Array(state.writing.values) }
            state.task = nil
            return nil
        }
    }
}
