public import ProfileCore
public import ProfileStore
internal import ProfileStoreSQLite

/// Opens a store of its own in a private temporary folder, and removes it when the body is done, however that ends.
///
/// ```swift
/// try await withTemporaryStore { repository in
///     _ = try await repository.register(profile)
///     #expect(try await repository.profile(username: "skboard") != nil)
/// }
/// ```
///
/// - Parameters:
///   - schema: the rules of the store.
///   - clock: what it takes the time from; the system's clock by default.
///   - isolation: where the body runs; the caller's own by default.
///   - body: what is done with it; the repository is closed afterwards.
/// - Returns: what the body returns.
/// - Throws: what the body throws; ``SystemError`` or `ProfileStoreError` where there can be no store.
public func withTemporaryStore<Value>(
    schema: ProfileSchema = .standard, clock: ManualClock? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (ProfileRepository) async throws -> Value
) async throws -> Value {
    let folder = try TemporaryFolder("profiles-store")
    var options = ProfileRepository.Options()
    options.createsMissing = true
    options.initialSchema = schema
    if let clock {
        options.now = { clock.timestamp }
        options.uptime = { clock.uptime }
    }
    let repository = try await ProfileRepository.open(at: folder.path + "/profiles.sqlite", options: options)
    let outcome: Result<Value, any Error>
    do { outcome = .success(try await body(repository)) } catch { outcome = .failure(error) }
    await repository.close()
    return try withExtendedLifetime(folder) { try outcome.get() }
}
