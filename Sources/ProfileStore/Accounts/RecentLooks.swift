internal import Threads

/// A cache of recently looked up tokens. With the cache, many requests with the same token need only one look-up in the
/// store.
///
/// Only found tokens are kept. An unknown token is looked up in the store each time, and needs no memory in the cache.
final class RecentLooks: Sendable {
    private struct Look {
        let token: StoredToken
        /// The time at which the look-up began, or earlier.
        let time: ContinuousClock.Instant
    }

    private struct State {
        var looks: [TokenHash: Look] = [:]
        var forgotten = 0
    }

    private let state = Locked(State())
    /// Cached look-ups older than this are read again.
    private let limit: Duration
    private static var mostLooks: Int { 10_000 }

    init(countingFor limit: Duration) { self.limit = limit }

    /// The number of times that the cache was emptied. The result of a look-up that began before the cache was last
    /// emptied is not kept.
    var forgotten: Int { state.withLock { $0.forgotten } }

    /// Returns the cached token if it is recent enough.
    func token(of hash: TokenHash, at now: ContinuousClock.Instant) -> StoredToken? {
        state.withLock { state in
            guard let look = state.looks[hash], isYoung(look, at: now) else { return nil }
            return look.token
        }
    }

    /// Keeps the result of a look-up, unless the cache was emptied after the look-up began.
    func keep(_ token: StoredToken, lookedUpAt time: ContinuousClock.Instant, after forgotten: Int) {
        state.withLock { state in
            guard state.forgotten == forgotten else { return }
            if state.looks.count >= Self.mostLooks {
                state.looks = state.looks.filter { isYoung($0.value, at: time) }
                if state.looks.count >= Self.mostLooks { state.looks.removeAll() }
            }
            state.looks[token.hash] = Look(token: token, time: time)
        }
    }

    /// Changes a cached token without changing its age.
    func update(_ hash: TokenHash, _ change: (StoredToken) -> StoredToken) {
        state.withLock { state in
            guard let look = state.looks[hash] else { return }
            state.looks[hash] = Look(token: change(look.token), time: look.time)
        }
    }

    /// Empties the cache, because this process has just ended tokens.
    func forget() {
        state.withLock { state in
            state.looks.removeAll()
            state.forgotten += 1
        }
    }

    private func isYoung(_ look: Look, at now: ContinuousClock.Instant) -> Bool { now - look.time < limit }
}
