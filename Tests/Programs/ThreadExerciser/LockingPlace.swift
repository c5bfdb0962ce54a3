internal import Dispatch
internal import Threads

/// An actor on its own thread that waits for tasks on other threads. It and the tasks lock the same value.
actor LockingPlace {
    private let executor = QueueExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs tasks one after another.
    ///
    /// - Returns: The number of tasks that the locked value counted.
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

/// After an `await`, an asynchronous function continues on a thread of the caller's executor. The compiler may have
/// read a thread-local address earlier, on the thread that resumed the function. Only optimised code does that.
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
