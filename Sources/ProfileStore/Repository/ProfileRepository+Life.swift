extension ProfileRepository {
    /// Keeps house until its task is cancelled or the repository is closed, and then closes it: from then on it answers
    /// ``ProfileStoreError/Code/closed``.
    ///
    /// At once, and then every ``Options/housekeepingInterval``, it removes sessions and resets that have expired, and the
    /// oldest changes of a log that is too long. Nothing depends on that but room in the store. What is in its way and may pass, as `busy`, is left to the next round.
    ///
    /// It is what swift-service-lifecycle wants of a service; the article Embedding of ProfileStoreSQLite says how.
    /// - Throws: What does not pass: `newerStore` once a later version of this program has migrated the store, `displaced`,
    ///   `corrupt`, … The repository is closed then too.
    public func run() async throws(ProfileStoreError) {
        var failure: ProfileStoreError?
        while failure == nil, !feed.isClosed, !Task.isCancelled {
            do throws(ProfileStoreError) {
                try await removeExpired()
            } catch {
                if error.endsHousekeeping { failure = error }
            }
            if failure == nil { await rest() }
        }
        await close()
        // Somebody else has closed it, and it was to end then.
        if let failure, failure != .closed { throw failure }
    }

    /// Asks the store for a sign of life, for the health check of a service. It is one cheap round trip.
    ///
    /// On SQLite it takes microseconds: the file must be in its place, and readable. On PostgreSQL a server of the address must
    /// answer. It does not say whether a write would succeed.
    /// - Throws: What a look-up would throw at this moment: `displaced`, `corrupt`, `unavailable`, `closed`, …
    public func ping() async throws(ProfileStoreError) {
        try await ask(.ping, rows: { _ in 0 }, await engine.ping())
    }

    /// Waits for the next round; no longer than until the repository is closed.
    private func rest() async {
        await withTaskGroup { group in
            group.addTask { [options] in try? await options.sleep(max(options.housekeepingInterval, .seconds(1))) }
            group.addTask { [feed] in await feed.waitForClosing() }
            await group.next()
            group.cancelAll()
        }
    }
}

extension ProfileStoreError {
    /// Whether it would be the same in every further round.
    fileprivate var endsHousekeeping: Bool {
        [.closed, .newerStore, .displaced, .altered, .corrupt, .notADatabase].contains(code)
    }
}
