extension StoreObserver? {
    /// Asks the engine, and reports the operation if there is an observer.
    func ask<Value>(
        _ name: StoreObserver.Operation.Name, rows: (Value) -> Int = { _ in 1 },
        refusal: (Value) -> String? = { _ in nil },
        _ verb: @autoclosure () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        guard let observer = self, !StoreObserver.isConfirming else { return try await verb() }
        return try await observer.observing(name, rows: rows, refusal: refusal, verb)
    }
}

extension StoreObserver {
    /// Whether the current task is confirming the result of a read. Confirmations are not reported to the observer.
    @TaskLocal static var isConfirming = false
}

// The number of rows in the result of an operation that finds or changes at most one row.

extension Optional {
    var rowCount: Int { self == nil ? 0 : 1 }
}

extension Bool {
    var rowCount: Int { self ? 1 : 0 }
}
