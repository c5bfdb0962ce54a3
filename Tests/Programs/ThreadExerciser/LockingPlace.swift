internal import Dispatch
internal import Threads

/// An actor on a thread of its own, that waits for tasks of other threads and locks the same value as they do.
actor LockingPlace {
    private let executor = QueueExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Lets tasks run one after another.
    ///
    /// - Returns: How many of them the value counted.
    func run(_ count: Int) async throws -> Int {
        for _ in 0..<count { try await counting { try Task.checkCancellation() } }
        return state.withLock { $0.count }
    }
}

private struct State {
    var count = 0
    var task: (any Sendable)?
}

private let state = Locked(State())

/// What an asynchronous function does after its `await` runs on a thread of the caller's executor. The compiler may
/// have read a thread-local address before, on the thread that resumed it. Only optimised code does that.
private func counting<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task {
        state.withLock { $0.count += 1 }
        return try await work()
    }
    state.withLock { $0.task = task }
    defer { state.withLock { $0.task = nil } }
    return try await task.value
}

private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "LockingPlace")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
