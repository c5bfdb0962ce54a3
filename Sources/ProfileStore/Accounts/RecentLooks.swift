internal import Threads

/// A cache of tokens that were recently read from the store. If many requests use the same token, the store reads the
/// token only once.
///
/// The cache contains only tokens that exist in the store. If a token is unknown, each request reads the store again.
/// So unknown tokens do not fill the cache.
final class RecentLooks: Sendable {
    private struct Look {
        let token: StoredToken
        /// The time immediately before the look-up in the store. The age of the entry is counted from this time.
        let time: ContinuousClock.Instant
    }

    private struct State {
        var looks: [TokenHash: Look] = [:]
        var forgotten = 0
    }

    private let state = Locked(State())
    /// If a cached look-up is older than this duration, the token is read again from the store.
    private let limit: Duration
    private static var mostLooks: Int { 10_000 }

    init(countingFor limit: Duration) { self.limit = limit }

    /// Counts how often the cache was emptied. If this number changes during a look-up, the result of the look-up is
    /// not cached.
    var forgotten: Int { state.withLock { $0.forgotten } }

    /// Returns the cached token if it is recent enough.
    func token(of hash: TokenHash, at now: ContinuousClock.Instant) -> StoredToken? {
        state.withLock { state in
            guard let look = state.looks[hash], isYoung(look, at: now) else { return nil }
            return look.token
        }
    }

    /// Adds the result of a look-up to the cache. Does nothing if the cache was emptied during the look-up.
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

    /// Changes a cached token. The age of the cache entry stays the same.
    func update(_ hash: TokenHash, _ change: (StoredToken) -> StoredToken) {
        state.withLock { state in
            guard let look = state.looks[hash] else { return }
            state.looks[hash] = Look(token: change(look.token), time: look.time)
        }
    }

    /// Empties the cache. Called after this process has ended tokens.
    func forget() {
        state.withLock { state in
            state.looks.removeAll()
            state.forgotten += 1
        }
    }

    private func isYoung(_ look: Look, at now: ContinuousClock.Instant) -> Bool { now - look.time < limit }
}
