public import ProfileCore
public import ProfileStore
internal import ProfileStoreSQLite

/// Runs `body` with a new store in a private temporary folder. Removes the folder when `body` returns or throws.
///
/// ```swift
/// try await withTemporaryStore { repository in
///     _ = try await repository.register(profile)
///     #expect(try await repository.profile(username: "skboard") != nil)
/// }
/// ```
///
/// - Parameters:
///   - schema: The rules of the store.
///   - clock: The source of the time. The default is the system's clock.
///   - isolation: The actor on which the body runs. The default is the caller's actor.
///   - body: A closure that uses the repository. The repository is closed when the closure ends.
/// - Returns: The value that the body returns.
/// - Throws: The error of the body, and ``SystemError`` or `ProfileStoreError` if the store cannot be created.
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
    defer { withExtendedLifetime(folder) {} }
    return try await withRepository(
        at: folder.path + "/profiles.sqlite", options: options, isolation: isolation, body)
}
