internal import ProfileCore

extension ProfileRepository {
    /// Asks the engine, and reports the operation to the observer if the repository has one.
    ///
    /// All calls of the engine that read or write the store use this method.
    ///
    /// - Parameters:
    ///   - name: The name of the operation.
    ///   - rows: Returns the number of rows of a successful operation. The default is one.
    ///   - refusal: If the engine threw no error, but its result is a refusal, the closure returns the code of the
    ///     refusal. The default is nil.
    ///   - verb: Calls the engine.
    /// - Returns: The result of the engine.
    /// - Throws: What the engine throws.
    package func ask<Value>(
        _ name: StoreObserver.Operation.Name, rows: (Value) -> Int = { _ in 1 },
        refusal: (Value) -> String? = { _ in nil },
        _ verb: @autoclosure () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        try await options.observer.ask(name, rows: rows, refusal: refusal, await verb())
    }

    /// Confirms the result of a look-up; see ``StoreEngine/confirmed(_:_:)``.
    ///
    /// The second read is not reported to the observer, because it belongs to the same operation.
    func confirmed<Value: Sendable>(
        _ found: Value, _ read: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        guard options.observer != nil else { return try await engine.confirmed(found, read) }
        let outcome = await StoreObserver.$isConfirming.withValue(true) {
            () async -> Result<Value, ProfileStoreError> in
            do throws(ProfileStoreError) {
                return .success(try await engine.confirmed(found, read))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
