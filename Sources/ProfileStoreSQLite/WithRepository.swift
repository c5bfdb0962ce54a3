public import ProfileStore

/// Opens a store, and closes it when `body` is done, however that ends: by returning, by throwing, or since its task was
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
///   - options: How it is opened and used.
///   - isolation: Where `body` runs; the caller's own by default.
///   - body: What is done with it. The repository answers `closed` afterwards.
/// - Returns: What `body` returns.
/// - Throws: `ProfileStoreError` where the store cannot be opened; what `body` throws.
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
