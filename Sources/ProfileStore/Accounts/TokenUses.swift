internal import Threads

/// Stores the last use of each token in the background. No request waits for these writes. If tokens are used during a
/// write, the next write stores all of these uses together.
final class TokenUses: Sendable {
    private struct State {
        var waiting: [TokenHash: TokenUse] = [:]
        /// The uses that are being written.
        var writing: [TokenHash: TokenUse] = [:]
        var task: Task<Void, Never>?
        var isClosed = false
    }

    private let state = Locked(State())
    private let write: @Sendable ([TokenUse]) async -> Void

    /// - Parameter write: Writes the times at which tokens were used. A failed write does not need a retry, because the
    ///   next use of the token is written too.
    init(write: @escaping @Sendable ([TokenUse]) async -> Void) { self.write = write }

    /// Adds a use to the next write. Ignores the use if a use of the same token is being written now.
    func note(_ use: TokenUse) {
        state.withLock { state in
            guard !state.isClosed, state.writing[use.hash] == nil else { return }
            state.waiting[use.hash] = use
            if state.task == nil { state.task = Task { await writeAll() } }
        }
    }

    /// Waits until all uses are written.
    func wait() async { await state.withLock { $0.task }?.value }

    /// Accepts no further uses. Then waits until all uses are written. Waits at most one second, because another writer
    /// may hold the write lock for a long time. The loss of a use does little harm, because the next use of the token
    /// is stored.
    func finish() async {
        let task = state.withLock { state in
            state.isClosed = true
            return state.task
        }
        guard let task else { return }
        let timer = Task {
            try await Task.sleep(for: .seconds(1))
            task.cancel()
        }
        await task.value
        timer.cancel()
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
