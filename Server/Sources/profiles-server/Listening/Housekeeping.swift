internal import ProfileStore
internal import ServiceLifecycle

/// Maintains the store until the listeners have ended.
struct Housekeeping: Service {
    let repository: ProfileRepository

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await repository.run() }
    }
}
