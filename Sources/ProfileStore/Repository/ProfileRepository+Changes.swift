extension ProfileRepository {
    /// The log of changes.
    public var changes: Changes { Changes(repository: self) }

    /// The log of changes of a store, which keeps the newest 10,000 changes.
    public struct Changes: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.Changes {
    /// The number of the newest change. The number rises with every commit that changes profiles or the schema.
    public var latestNumber: Int64 {
        get async throws(ProfileStoreError) {
            try await repository.ask(.readChanges, rows: { _ in 0 }, await repository.engine.changeNumber())
        }
    }

    /// Returns the changes that any process commits. The sequence starts now, or after an earlier change (R7).
    ///
    /// If a listener stores ``ProfileChange/number``, it can continue after that change, even after a restart. It then
    /// misses no change. The store keeps the newest 10,000 changes. If a listener needs an older change, it receives
    /// one change of the kind ``ProfileChange/Kind/missed`` instead. It then continues after the newest change. See
    /// <doc:Changes>.
    /// - Parameter number: The number of the change to continue after: 0 for the beginning of the log, nil for the
    ///   newest change.
    /// - Returns: A sequence that ends when its task is cancelled or the repository is closed. The sequence waits while
    ///   the store does not answer. If `number` is nil and the store does not answer during this call, the sequence
    ///   waits for the answer. It then starts after the change that is the newest one at that time.
    public func stream(after number: Int64? = nil) async -> ProfileChanges {
        let start: Result<Int64, ProfileStoreError>
        if let number {
            start = .success(max(0, number))
        } else {
            // The number is read at this call, and not at the first `next()`.
            do throws(ProfileStoreError) { start = .success(try await latestNumber) } catch { start = .failure(error) }
        }
        return ProfileChanges(repository: repository, start: start)
    }

    /// The maximum number of changes in one ``page(after:limit:)``.
    public static let mostOfPage = 1_000

    /// Returns the changes after an earlier change, oldest first, and does not wait for new changes.
    ///
    /// - Parameters:
    ///   - number: The number of the change to continue after: 0 for the beginning of the log.
    ///   - limit: The maximum number of changes, from 1 to ``mostOfPage``. A smaller number is treated as 1, and a greater
    ///     number as this maximum.
    /// - Returns: The changes. The next page continues after the number of the last one. Empty if there are no later
    ///   changes. The only change is of the kind ``ProfileChange/Kind/missed`` and has the number of the newest change
    ///   in two cases: the store no longer keeps the next change, or `number` is greater than the newest number. In
    ///   these cases, any profile may have changed.
    /// - Throws: `busy`, `unavailable`, …
    public func page(
        after number: Int64, limit: Int = Self.mostOfPage
    ) async throws(ProfileStoreError) -> [ProfileChange] {
        let (number, limit) = (max(0, number), min(max(1, limit), Self.mostOfPage))
        return try await repository.call { () throws(ProfileStoreError) in
            let changes = try await repository.ask(
                .readChanges, rows: \.count, await repository.engine.changes(after: number, limit: limit))
            // The rules are read again before a listener receives their change. So the repository of the listener
            // already uses the new rules.
            if changes.contains(where: { $0.kind == .adopted || $0.kind == .missed }) {
                try await repository.refreshSchema()
            }
            return changes
        }
    }
}
