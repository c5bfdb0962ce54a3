extension ProfileRepository {
    /// Maintains the store until the task is cancelled or the repository is closed, and then closes the repository.
    ///
    /// At the start, and then every ``Options/housekeepingInterval``, the method removes expired sessions, resets and
    /// devices, and expired entries of the history. Expired tokens and entries have no effect, so their removal only
    /// frees space. On PostgreSQL, the method also removes the oldest changes if the log of changes is too long. After
    /// a temporary error, such as `busy`, the method tries again at the next interval.
    ///
    /// The method fits the service protocol of swift-service-lifecycle. See the article Embedding in the documentation
    /// of ProfileStoreSQLite.
    /// - Throws: Permanent errors: `newerStore` if a later version of this program has migrated the store, `displaced`,
    ///   `corrupt`, … If this method throws an error, it also closes the repository.
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
        // If another task has closed the repository, this method ends without an error.
        if let failure, failure != .closed { throw failure }
    }

    /// Checks in one cheap round trip that the store answers. Use it for the health check of a service.
    ///
    /// On SQLite the check takes microseconds, and succeeds if the file exists at its path and can be read. On
    /// PostgreSQL, the check succeeds if a server at the store's address answers. A success does not mean that a write would
    /// succeed.
    /// - Throws: The error that a look-up would throw: `displaced`, `corrupt`, `unavailable`, `closed`, …
    public func ping() async throws(ProfileStoreError) {
        try await ask(.ping, rows: { _ in 0 }, await engine.ping())
    }

    /// Waits for ``Options/housekeepingInterval``, at least one second. Returns earlier if the repository is closed or
    /// the task is cancelled.
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
    /// Whether each later attempt to remove expired rows would fail with the same error.
    fileprivate var endsHousekeeping: Bool {
        [.closed, .newerStore, .displaced, .altered, .corrupt, .notADatabase].contains(code)
    }
}
