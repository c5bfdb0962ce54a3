internal import ProfileStore
internal import Synchronization

/// The writes that are under way, for which closing waits. One that consists of several transactions is one.
final class WritesUnderWay: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
    }

    @TaskLocal private static var isWithin = false
    private let state = Mutex(State())

    /// Runs a write, or a part of one.
    ///
    /// - Throws: `closed`, or what `body` throws.
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

    /// Lets no further write begin, and waits for those that have, unless `isHopeless` says that they cannot end. It is
    /// asked again and again.
    func close(unless isHopeless: @escaping @Sendable () async -> Bool) async {
        let isOver = state.withLock { state in
            state.isClosed = true
            return state.count == 0
        }
        guard !isOver else { return }
        // A task of its own is not cancelled with the one that closes, so it waits.
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

    /// How long writes may take before it is asked whether they are hopeless.
    private static let patience = Duration.milliseconds(250)
}
