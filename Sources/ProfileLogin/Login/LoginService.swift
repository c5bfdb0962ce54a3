public import ProfileCore
public import ProfileStore
internal import Threads

/// Logs somebody in: looks at what was typed, asks an authenticator, and comes to exactly one outcome (L1–L3).
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
/// An attempt ends with the authenticator's answer, when its time is up, or when its task is cancelled, whichever comes
/// first. Then the authenticator's task is cancelled, and nobody waits for it: what it still answers is dropped.
public struct LoginService: Sendable {
    private let checks: @Sendable () async throws(LoginError) -> LoginChecks
    private let authenticator: any Authenticator
    private let timeout: Duration
    private let clock: any Clock<Duration>

    /// Logs in with an authenticator of any kind.
    ///
    /// - Parameters:
    ///   - checks: What is looked at before the authenticator is asked.
    ///   - authenticator: Who knows which password is right.
    ///   - timeout: How long an answer is waited for, a thousand million seconds at the most.
    ///   - clock: What measures that time.
    public init(
        checks: LoginChecks, authenticator: any Authenticator, timeout: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(authenticator, timeout, clock) { checks }
    }

    /// Logs in to the profiles of a store, by the rules that are in force at each attempt.
    ///
    /// - Parameters:
    ///   - repository: The store.
    ///   - authenticator: Who is asked instead of the store itself.
    ///   - timeout: How long an answer is waited for; by default so long that the store's own
    ///     ``/ProfileStore/ProfileStoreError/Code/busy`` comes first.
    ///   - clock: What measures that time.
    public init(
        _ repository: ProfileRepository, authenticator: (any Authenticator)? = nil, timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let rules = StoredLoginRules(repository)
        // An attempt writes twice: it is counted before its hash, and what came of it is written afterwards.
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

    /// As much of a time as a clock can count to: the one of the system stops the process by a trap at 2^63 seconds.
    private static func bounded(_ time: Duration) -> Duration { min(max(time, .zero), .seconds(1_000_000_000)) }

    /// Logs somebody in.
    ///
    /// - Parameters:
    ///   - username: White space around it is no part of it; nil counts as empty.
    ///   - password: As it was typed; nil counts as empty.
    /// - Returns: Whom to greet.
    /// - Throws: ``LoginError``: the first check that fails, or what the authenticator throws; `unknown` when there was
    ///   no answer in time, `cancelled` when the caller's task was.
    public func logIn(username: String?, password: Secret?) async throws(LoginError) -> LoggedInProfile {
        let username = String(Array((username ?? "").utf8).span.trimmed())
        let password = password ?? Secret("")
        if let failure = try await checks().failure(username: username, password: password) { throw failure }
        guard !Task.isCancelled else { throw .cancelled }

        // The first that decides counts: the authenticator, the timer, or a cancellation.
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
