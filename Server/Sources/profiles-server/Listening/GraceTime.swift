internal import Glibc
internal import Logging
internal import ProfileStore
internal import ServiceLifecycle
internal import Synchronization

/// Ends the process if requests are not answered in time after SIGTERM or SIGINT.
///
/// The service group cancels its services after ``limit``. An encrypted connection does not react to the cancellation.
/// So this type ends the process one to three seconds later.
final class GraceTime: Service {
    /// The time in which requests that have begun must be answered.
    static let limit = Duration.seconds(10)

    private let repository: ProfileRepository
    private let logger: Logger
    private let began = Atomic(false)

    init(_ repository: ProfileRepository, _ logger: Logger) {
        self.repository = repository
        self.logger = logger
    }

    /// Whether the service is ending.
    var isEnding: Bool { began.load(ordering: .relaxed) }

    func run() async throws {
        // If another service has failed, this task is cancelled, and `gracefulShutdown()` throws.
        guard (try? await gracefulShutdown()) != nil else { return }
        began.store(true, ordering: .relaxed)
        logger.notice("ending", metadata: ["seconds": .stringConvertible(Self.limit.components.seconds)])
        Task.detached { [self] in
            try await Task.sleep(for: Self.limit + .seconds(1))
            logger.warning("requests were not answered in time")
            Task.detached {
                try await Task.sleep(for: .seconds(2))
                exit(EXIT_SUCCESS)
            }
            await repository.close()
            exit(EXIT_SUCCESS)
        }
    }
}
