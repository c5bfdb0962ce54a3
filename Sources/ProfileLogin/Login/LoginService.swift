public import ProfileCore
public import ProfileStore
internal import Threads

/// Logs a user in. The service checks the input, calls an authenticator, and returns or throws exactly once (L1–L3).
///
/// ```swift
/// let service = LoginService(repository)
/// do {
///     print(try await service.logIn(username: "skboard", password: Secret(bytes)).greeting)
/// } catch {
///     print(error.message)
/// }
/// ```
///
/// An attempt ends when one of three events occurs: the authenticator answers, the timeout expires, or the caller's
/// task is cancelled. Then the service cancels the authenticator's task and does not wait for it. If the authenticator
/// answers later, the answer is ignored.
public struct LoginService: Sendable {
    private let checks: @Sendable () async throws(LoginError) -> LoginChecks
    private let authenticator: any Authenticator
    private let timeout: Duration
    private let clock: any Clock<Duration>

    /// Creates a service with any authenticator.
    ///
    /// - Parameters:
    ///   - checks: The local checks before the authenticator is called.
    ///   - authenticator: Checks the password.
    ///   - timeout: The maximum wait for an answer, at most 1,000,000,000 seconds.
    ///   - clock: The clock that measures the timeout.
    public init(
        checks: LoginChecks, authenticator: any Authenticator, timeout: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(authenticator, timeout, clock) { checks }
    }

    /// Creates a service for the profiles of a store. Each attempt uses the rules that are in force at the time of the
    /// attempt.
    ///
    /// - Parameters:
    ///   - repository: The store.
    ///   - authenticator: Checks the password. If nil, the store checks the password.
    ///   - timeout: The maximum wait for an answer. The default is longer than the store's own timeouts. So if the
    ///     store is busy, the login fails with ``/ProfileStore/ProfileStoreError/Code/busy``.
    ///   - clock: The clock that measures the timeout.
    public init(
        _ repository: ProfileRepository, authenticator: (any Authenticator)? = nil, timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let rules = StoredLoginRules(repository)
        // An attempt writes to the store twice. Before the hash is computed, the attempt is counted. After that, the
        // result of the attempt is written.
        let longest = Self.bounded(repository.options.waitLimit) * 2 + .seconds(30)
        self.init(authenticator ?? RepositoryAuthenticator(repository), timeout ?? longest, clock) {
            () async throws(LoginError) in
            do throws(ProfileStoreError) { return try await rules.checks() } catch { throw .store(error) }
        }
    }

    private init(
        _ authenticator: any Authenticator, _ timeout: Duration, _ clock: any Clock<Duration>,
        checks: @escaping @Sendable () async throws(LoginError) -> LoginChecks
    ) {
        self.checks = checks
        self.authenticator = authenticator
        self.timeout = Self.bounded(timeout)
        self.clock = clock
    }

    /// Limits a duration to a value that every clock supports. If the duration is 2^63 seconds, the system's clock
    /// traps and ends the process.
    private static func bounded(_ time: Duration) -> Duration { min(max(time, .zero), .seconds(1_000_000_000)) }

    /// Makes only the local checks, with the rules in force. The authenticator is not called (L1, L2).
    ///
    /// A service that starts sessions itself makes these checks before it calls `ProfileRepository.sessions.start`. So
    /// its users get the same errors as from ``logIn(username:password:)``, and a text that cannot be a password does
    /// not count as an attempt.
    ///
    /// - Parameters:
    ///   - username: The username. White space around it is ignored. Nil has the same meaning as an empty username.
    ///   - password: The password as it was typed. Nil has the same meaning as an empty password.
    /// - Returns: The username without white space around it.
    /// - Throws: ``LoginError``. It describes the first check that failed. `store` if the rules cannot be read.
    @discardableResult
    public func check(username: String?, password: Secret?) async throws(LoginError) -> String {
        let username = String(Array((username ?? "").utf8).span.trimmed())
        let failure = try await checks().failure(username: username, password: password ?? Secret(""))
        if let failure { throw failure }
        return username
    }

    /// Logs a user in.
    ///
    /// - Parameters:
    ///   - username: The username. White space around it is ignored. Nil has the same meaning as an empty username.
    ///   - password: The password as it was typed. Nil has the same meaning as an empty password.
    /// - Returns: The profile of the user.
    /// - Throws: ``LoginError``. It describes the first check that failed, or the error of the authenticator. `unknown`
    ///   if the authenticator did not answer before the timeout. `cancelled` if the caller's task was cancelled.
    public func logIn(username: String?, password: Secret?) async throws(LoginError) -> LoggedInProfile {
        let password = password ?? Secret("")
        let username = try await check(username: username, password: password)
        guard !Task.isCancelled else { throw .cancelled }

        // The authenticator, the timeout and the cancellation can each set a result. The promise keeps only the first
        // result.
        let outcome = Promise<Result<LoggedInProfile, LoginError>>()
        let attempt = Task {
            do throws(LoginError) {
                outcome.fulfill(
                    with: .success(try await authenticator.authenticate(username: username, password: password)))
            } catch {
                outcome.fulfill(with: .failure(error))
            }
        }
        let timer = Task {
            try? await clock.sleep(for: timeout)
            if !Task.isCancelled { outcome.fulfill(with: .failure(.unknown)) }
        }
        defer {
            attempt.cancel()
            timer.cancel()
        }
        return try await outcome.value { outcome.fulfill(with: .failure(.cancelled)) }.get()
    }
}
