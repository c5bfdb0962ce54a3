internal import HTTPBounds
internal import ProfileLogin
internal import ProfileStore
internal import Synchronization

/// Counts the failed logins, failed resets and all registrations of each client address within a minute.
///
/// It keeps a bounded number of addresses, and removes the oldest if there are more. The throttle of each username (P9)
/// still limits the logins from a removed address.
final class AttemptLimiter: Sendable {
    private let limit: Int
    private let mostAddresses: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let windows = Mutex(Windows())

    fileprivate struct Windows {
        var counts: [ClientAddress: Window] = [:]
        /// The addresses in the order of their windows' ends.
        var order: [ClientAddress] = []
        var first = 0
    }

    fileprivate struct Window {
        let end: ContinuousClock.Instant
        var count = 0
    }

    init(
        limit: Int, mostAddresses: Int = 100_000,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limit = limit
        self.mostAddresses = mostAddresses
        self.now = now
    }

    /// Runs an attempt that counts as a failure until it succeeds. So concurrent attempts are counted too. With
    /// `keepsCounting`, a successful attempt also counts.
    ///
    /// An attempt that the store did not answer does not count. Otherwise the clients that repeat a login while a database
    /// is away would be refused for a minute when it is back.
    ///
    /// - Throws: The error of `body`, or 429 without calling it.
    func attempt<Value>(
        from address: ClientAddress?, keepsCounting: Bool, _ body: () async throws -> Value
    ) async throws -> Value {
        guard let key = address?.key else { return try await body() }
        if let wait = count(key) { throw Problem.tooManyAttempts(seconds: max(1, wait.components.seconds + 1)) }
        do {
            let value = try await body()
            if !keepsCounting { uncount(key) }
            return value
        } catch {
            if error.isSilenceOfStore { uncount(key) }
            throw error
        }
    }

    // A `Mutex` must be unlocked by the thread that has locked it, so it is not used in asynchronous functions.

    private func count(_ key: ClientAddress) -> Duration? {
        let time = now()
        return windows.withLock { $0.count(key, limit, mostAddresses, at: time) }
    }

    private func uncount(_ key: ClientAddress) { windows.withLock { $0.uncount(key) } }
}

extension AttemptLimiter.Windows {
    /// Counts an attempt. Returns the time to wait if there were too many.
    fileprivate mutating func count(
        _ key: ClientAddress, _ limit: Int, _ mostAddresses: Int, at time: ContinuousClock.Instant
    ) -> Duration? {
        forget(mostAddresses, at: time)
        if let window = counts[key] {
            guard window.count < limit else { return window.end - time }
            counts[key]?.count += 1
        } else {
            counts[key] = .init(end: time + .seconds(60), count: 1)
            order.append(key)
        }
        return nil
    }

    fileprivate mutating func uncount(_ key: ClientAddress) {
        if let count = counts[key]?.count, count > 0 { counts[key]?.count = count - 1 }
    }

    /// Removes the windows that have ended, and the oldest if there are too many.
    private mutating func forget(_ mostAddresses: Int, at time: ContinuousClock.Instant) {
        while first < order.count {
            let key = order[first]
            guard let window = counts[key], window.end <= time || order.count - first >= mostAddresses else { break }
            counts[key] = nil
            first += 1
        }
        if first > 1_024, first > order.count / 2 {
            order.removeFirst(first)
            first = 0
        }
    }
}

extension Error {
    /// Whether the store was unavailable or busy, so the attempt has not shown whether the secret is right.
    ///
    /// This is false for a cancelled attempt. Otherwise a client could cancel each attempt after the server has
    /// computed a hash, and would never reach the limit.
    fileprivate var isSilenceOfStore: Bool {
        let error: ProfileStoreError? =
            switch self as any Error {
            case let error as ProfileStoreError: error
            case CredentialError.store(let error): error
            case LoginError.store(let error): error
            default: nil
            }
        return error?.code == .unavailable || error?.code == .busy
    }
}
