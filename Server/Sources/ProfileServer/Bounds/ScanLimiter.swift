internal import Synchronization

/// Bounds the searches that read every profile: how many run at the same time, and for how long.
final class ScanLimiter: Sendable {
    private let limit: Int
    private let time: Duration
    private let running = Atomic(0)

    init(limit: Int, time: Duration) {
        self.limit = limit
        self.time = time
    }

    /// Runs a search, and cancels it when its time is over.
    func scan<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard running.add(1, ordering: .relaxed).newValue <= limit else {
            running.subtract(1, ordering: .relaxed)
            throw Problem.tooManySearches
        }
        defer { running.subtract(1, ordering: .relaxed) }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: self.time)
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else { throw Problem.searchTimedOut }
            return value
        }
    }
}
