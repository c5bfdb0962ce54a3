internal import Dispatch

/// A thread for what blocks, such as reading a pipe, since Swift's own threads must not.
struct ImportThread: Sendable {
    private let queue = DispatchQueue(label: "import")

    /// Runs work that blocks, and waits for it without blocking.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(ImportError) -> Value
    ) async throws(ImportError) -> Value {
        let outcome: Result<Value, ImportError> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result { () throws(ImportError) in try work() }) }
        }
        return try outcome.get()
    }
}
