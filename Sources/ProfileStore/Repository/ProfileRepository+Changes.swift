extension ProfileRepository {
    /// The log of changes.
    public var changes: Changes { Changes(repository: self) }

    /// The log of changes of a store, which keeps the newest 10,000 changes.
    public struct Changes: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.Changes {
    /// The number of the newest change. It rises with every commit that changes profiles or the schema.
    public var latestNumber: Int64 {
        get async throws(ProfileStoreError) {
            try await repository.ask(.readChanges, rows: { _ in 0 }, await repository.engine.changeNumber())
        }
    }

    /// Returns the changes of the store from now on, or since an earlier change, by any process (R7).
    ///
    /// A listener that stores ``ProfileChange/number`` can continue after it, even after a restart, and misses no
    /// change. The store keeps the newest 10,000 changes. A listener that falls behind them receives one change of the
    /// kind ``ProfileChange/Kind/missed``, and continues from there. See <doc:Changes>.
    /// - Parameter number: The change to continue after, 0 for the beginning; nil for the newest change.
    /// - Returns: A sequence that ends with its task, or with ``close()``. It waits while the store does not answer.
    ///   If the store does not answer at this call, nil stands for the newest change at its first answer.
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

    func page(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange] {
        try await repository.call { () throws(ProfileStoreError) in
            let changes = try await repository.ask(
                .readChanges, rows: \.count, await repository.engine.changes(after: number, limit: limit))
            // A listener that receives a change of the rules then finds these rules in force in this repository too.
            if changes.contains(where: { $0.kind == .adopted || $0.kind == .missed }) {
                try await repository.refreshSchema()
            }
            return changes
        }
    }
}
