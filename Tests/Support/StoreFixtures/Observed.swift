package import ProfileStore
internal import Synchronization

/// Records the operations that an observer receives.
package final class Observed: Sendable {
    private let log = Mutex<[StoreObserver.Operation]>([])

    package init() {}

    /// An observer that records each operation in this object.
    package var observer: StoreObserver { StoreObserver { [self] operation in log.withLock { $0.append(operation) } } }

    package var operations: [StoreObserver.Operation] { log.withLock { $0 } }

    /// Returns the operations since the last call, and removes them.
    package func take() -> [StoreObserver.Operation] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }
}

extension StoreObserver.Operation {
    /// Name, outcome and rows in one line: `look_up done 1`.
    package var line: String {
        let outcome =
            switch self.outcome {
            case .done: "done"
            case .refused(let code): "refused(\(code))"
            case .failed(let code): "failed(\(code))"
            case .cancelled: "cancelled"
            }
        return "\(name.rawValue) \(outcome) \(rows)"
    }
}

extension Observed {
    /// Numbers in the order in which they came.
    package final class Numbers: Sendable {
        private let numbers = Mutex<[Int]>([])

        package init() {}

        package func add(_ number: Int) { numbers.withLock { $0.append(number) } }

        package var all: [Int] { numbers.withLock { $0 } }
    }
}
