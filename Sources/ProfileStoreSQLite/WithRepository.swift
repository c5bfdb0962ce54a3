public import ProfileStore

/// Opens a store, runs `body`, and closes the store. The store is also closed if `body` throws or its task is
/// cancelled.
///
/// ```swift
/// try await withRepository(at: "profiles.sqlite") { repository in
///     print(try await repository.count())
/// }
/// ```
///
/// - Parameters:
///   - path: The database file; see `ProfileRepository.open(at:options:)`.
///   - options: The options for opening and using the store.
///   - isolation: The actor on which `body` runs. The default is the actor of the caller.
///   - body: Uses the repository. After `body` ends, each call on the repository throws `closed`.
/// - Returns: The value that `body` returns.
/// - Throws: `ProfileStoreError` if the store cannot be opened; otherwise the error that `body` throws.
public func withRepository<Value>(
    at path: String, options: ProfileRepository.Options = ProfileRepository.Options(),
    isolation: isolated (any Actor)? = #isolation, _ body: (ProfileRepository) async throws -> Value
) async throws -> Value {
    let repository = try await ProfileRepository.open(at: path, options: options)
    let outcome: Result<Value, any Error>
    do { outcome = .success(try await body(repository)) } catch { outcome = .failure(error) }
    await repository.close()
    return try outcome.get()
}
