internal import Metrics
internal import ProfileStore
internal import Synchronization

/// Counts the operations on the store, and measures their durations.
final class StoreMetrics: Sendable {
    /// The metrics of the operations of one name. Making them costs far more than recording.
    private struct Operations {
        let done, refused, failed, cancelled: Counter
        let duration: Timer

        init(_ name: StoreObserver.Operation.Name) {
            func counter(_ outcome: String) -> Counter {
                Counter(
                    label: "profiles_store_operations_total",
                    dimensions: [("name", name.rawValue), ("outcome", outcome)])
            }
            (done, refused) = (counter("done"), counter("refused"))
            (failed, cancelled) = (counter("failed"), counter("cancelled"))
            duration = Timer(
                label: "profiles_store_operation_duration_seconds", dimensions: [("name", name.rawValue)])
        }

        func counter(of outcome: StoreObserver.Outcome) -> Counter {
            switch outcome {
            case .done: done
            case .refused: refused
            case .failed: failed
            case .cancelled: cancelled
            }
        }
    }

    private let operations = Mutex<[StoreObserver.Operation.Name: Operations]>([:])

    /// Records the operations of a repository.
    var observer: StoreObserver { StoreObserver(finished: record) }

    @Sendable private func record(_ operation: StoreObserver.Operation) {
        let metrics = operations.withLock { operations in
            if let known = operations[operation.name] { return known }
            let new = Operations(operation.name)
            operations[operation.name] = new
            return new
        }
        metrics.counter(of: operation.outcome).increment()
        metrics.duration.record(duration: operation.duration)
    }
}
