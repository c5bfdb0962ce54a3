internal import ProfileStore
internal import Synchronization

/// The writes that are under way, for which closing waits. One that consists of several transactions is one.
final class WritesUnderWay: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
        var closing: [CheckedContinuation<Void, Never>] = []
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
        let closing = state.withLock { state in
            state.count -= 1
            defer { if state.count == 0 { state.closing = [] } }
            return state.count == 0 ? state.closing : []
        }
        for waiting in closing { waiting.resume() }
        return try outcome.get()
    }

    /// Lets no further write begin, and waits for those that have.
    func close() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                state.isClosed = true
                if state.count > 0 { state.closing.append(continuation) }
                return state.count == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
