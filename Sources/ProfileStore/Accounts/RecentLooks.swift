internal import Synchronization

/// What was found by a token a moment ago, so that many requests at once are one look at the store.
///
/// Only what was found is kept: who shows what is no token of ours costs a look each time, and takes no room here.
final class RecentLooks: Sendable {
    private struct Look {
        let token: StoredToken
        /// When it was begun, or before.
        let time: ContinuousClock.Instant
    }

    private struct State {
        var looks: [TokenHash: Look] = [:]
        var forgotten = 0
    }

    private let state = Mutex(State())
    /// A look counts while it is younger.
    private let limit: Duration
    private static var mostLooks: Int { 10_000 }

    init(countingFor limit: Duration) { self.limit = limit }

    /// How often all was forgotten. A look that was begun before the last time is not kept.
    var forgotten: Int { state.withLock { $0.forgotten } }

    /// What was found by a look that is young enough.
    func token(of hash: TokenHash, at now: ContinuousClock.Instant) -> StoredToken? {
        state.withLock { state in
            guard let look = state.looks[hash], isYoung(look, at: now) else { return nil }
            return look.token
        }
    }

    /// Keeps what a look has found that was begun at a time, when all had been forgotten so often.
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

    /// Changes what is kept, without making the look younger.
    func update(_ hash: TokenHash, _ change: (StoredToken) -> StoredToken) {
        state.withLock { state in
            guard let look = state.looks[hash] else { return }
            state.looks[hash] = Look(token: change(look.token), time: look.time)
        }
    }

    /// Forgets all, since this process has just ended some of it.
    func forget() {
        state.withLock { state in
            state.looks.removeAll()
            state.forgotten += 1
        }
    }

    private func isYoung(_ look: Look, at now: ContinuousClock.Instant) -> Bool { now - look.time < limit }
}
