internal import ProfileStore
internal import Threads

/// The running writes, for which `close()` waits. A write that consists of several transactions counts as one write.
final class WritesUnderWay: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
    }

    @TaskLocal private static var isWithin = false
    private let state = Locked(State())

    /// Runs a write or a part of a write.
    ///
    /// - Throws: `closed`, or the error of `body`.
    func run<Value: Sendable>(
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        if Self.isWithin { return try await body() }
        try state.withLock { state throws(ProfileStoreError) in
            guard !state.isClosed else { throw .closed }
            state.count += 1
        }
        let outcome = await Self.$isWithin.withValue(true) { () async -> Result<Value, ProfileStoreError> in
            do throws(ProfileStoreError) { return .success(try await body()) } catch { return .failure(error) }
        }
        state.withLock { $0.count -= 1 }
        return try outcome.get()
    }

    /// Refuses further writes, and waits until the running writes have ended. If `isHopeless` returns true, this method
    /// stops waiting. `isHopeless` is called repeatedly.
    func close(unless isHopeless: @escaping @Sendable () async -> Bool) async {
        let isOver = state.withLock { state in
            state.isClosed = true
            return state.count == 0
        }
        guard !isOver else { return }
        // A separate task waits. If the task that closes the store is cancelled, the separate task is not cancelled.
        await Task {
            var pause = Duration.milliseconds(1)
            var asksAt = ContinuousClock.now + Self.patience
            while state.withLock({ $0.count }) > 0 {
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .milliseconds(20))
                guard .now >= asksAt else { continue }
                if await isHopeless() { return }
                asksAt = .now + Self.patience
            }
        }.value
    }

    /// The time before the first call of `isHopeless`, and the time between two calls.
    private static let patience = Duration.milliseconds(250)
}
