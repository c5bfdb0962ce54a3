extension ProfileRepository {
    /// Follows the log of changes.
    public var changes: Changes { Changes(repository: self) }

    /// The log of changes of a store, which holds the newest 10,000.
    public struct Changes: Sendable {
        let repository: ProfileRepository
    }
}

extension ProfileRepository.Changes {
    /// The number of the newest change; it rises with every commit that changes profiles or the schema.
    public var latestNumber: Int64 {
        get async throws(ProfileStoreError) {
            try await repository.ask(.readChanges, rows: { _ in 0 }, await repository.engine.changeNumber())
        }
    }

    /// What happens to the store from now on, or what has happened since, whichever process commits it (R7).
    ///
    /// Nothing is missed between two changes: a listener that remembers ``ProfileChange/number`` goes on after it,
    /// today or after a restart. The store keeps the newest 10,000 changes; who asks for older ones, or falls back behind
    /// them, gets one of the kind ``ProfileChange/Kind/missed``, and goes on from there. See <doc:Changes>.
    /// - Parameter number: The change to go on after, 0 for the beginning; nil for the newest.
    /// - Returns: A sequence that ends with its task, or with ``close()``. While the store does not answer it waits; if the
    ///   store does not answer now either, nil stands for the newest change at its first answer.
    public func stream(after number: Int64? = nil) async -> ProfileChanges {
        let start: Result<Int64, ProfileStoreError>
        if let number {
            start = .success(max(0, number))
        } else {
            // Now, not when the first change is asked for.
            do throws(ProfileStoreError) { start = .success(try await latestNumber) } catch { start = .failure(error) }
        }
        return ProfileChanges(repository: repository, start: start)
    }

    func page(after number: Int64, limit: Int) async throws(ProfileStoreError) -> [ProfileChange] {
        try await repository.call { () throws(ProfileStoreError) in
            let changes = try await repository.ask(
                .readChanges, rows: \.count, await repository.engine.changes(after: number, limit: limit))
            // A listener that receives the change of the rules then finds them in force here too.
            if changes.contains(where: { $0.kind == .adopted || $0.kind == .missed }) {
                try await repository.refreshSchema()
            }
            return changes
        }
    }
}
