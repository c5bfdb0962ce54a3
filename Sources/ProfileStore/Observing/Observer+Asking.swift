extension Observer? {
    /// Asks the engine, and reports the operation if there is an observer.
    func ask<Value>(
        _ name: Observer.Operation.Name, rows: (Value) -> Int = { _ in 1 }, refusal: (Value) -> String? = { _ in nil },
        _ verb: @autoclosure () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        guard let observer = self, !Observer.isConfirming else { return try await verb() }
        return try await observer.observing(name, rows: rows, refusal: refusal, verb)
    }
}

extension Observer {
    /// Whether the task confirms what it has read. Its observer is not told.
    @TaskLocal static var isConfirming = false
}

// How many rows an operation found or wrote that is about one row at the most.

extension Optional {
    var rowCount: Int { self == nil ? 0 : 1 }
}

extension Bool {
    var rowCount: Int { self ? 1 : 0 }
}
